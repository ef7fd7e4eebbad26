package agents

import (
	"slices"
	"testing"
)

func TestAnAgentHasTheNamesOfItsTable(t *testing.T) {
	for _, a := range list() {
		d := a.Dialect()
		if !slices.Equal(a.Names, append([]string{d.Name}, d.Aliases...)) {
			t.Errorf("%q is the agent of the table %q, %q", a.Names, d.Name, d.Aliases)
		}
		for _, name := range a.Names {
			if known, ok := NameOf(name); known != d.Name || !ok {
				t.Errorf("%s is %q", name, known)
			}
		}
	}
	if len(list()) != 10 {
		t.Errorf("%d agents", len(list()))
	}
}
