package childtest_test

import (
	"fmt"
	"os/exec"
	"strings"
	"testing"

	"github.com/chibi-host/chibi/internal/childtest"
)

// TestAChildsOutputIsItsOwn is meant for -cover too, which makes the testing
// package write more.
func TestAChildsOutputIsItsOwn(t *testing.T) {
	childtest.Do(t, "CHIBI_TEST_CHILD", func(value string) {
		if value == "fails" {
			t.Error("it failed")
		}
		fmt.Println(value)
	})
	self := childtest.Command(t)
	child := exec.Command(self[0], self[1:]...)
	child.Env = childtest.Environ(t, "CHIBI_TEST_CHILD", "hello")
	if out, err := child.CombinedOutput(); string(out) != "hello\n" || err != nil {
		t.Errorf("%q, %v", out, err)
	}
	child = exec.Command(self[0], self[1:]...)
	child.Env = childtest.Environ(t, "CHIBI_TEST_CHILD", "fails")
	if out, err := child.CombinedOutput(); !strings.Contains(string(out), "it failed") || err == nil {
		t.Errorf("%q, %v", out, err)
	}
}
