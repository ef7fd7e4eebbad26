package homes

import (
	"strconv"
	"testing"
)

// TestAUserHasANameWithoutVariables: a container and a timer set none of them.
func TestAUserHasANameWithoutVariables(t *testing.T) {
	for _, name := range []string{"USER", "LOGNAME", "USERNAME"} {
		t.Setenv(name, "")
	}
	if _, err := strconv.Atoi(userName()); err == nil {
		t.Errorf("the user is called %q", userName())
	}
	t.Setenv("LOGNAME", "ann")
	if got := userName(); got != "ann" {
		t.Errorf("the user is called %q", got)
	}
}
