package systest_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chibi-host/chibi/internal/systest"
)

// asks are tests that look for python3.
type asks struct{ found *string }

func (a asks) Run() int {
	*a.found, _ = exec.LookPath("python3")
	*a.found, _ = filepath.EvalSymlinks(*a.found)
	return 7
}

// TestAScriptThatStandsBeforeAnInterpreterIsPassedBy: whatever else is in PATH stays.
func TestAScriptThatStandsBeforeAnInterpreterIsPassedBy(t *testing.T) {
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{"script": "#!/bin/sh\n", "program": "\x7fELF", "other": "\x7fELF"} {
		if err := os.Mkdir(filepath.Join(dir, name), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, name, "python3"), []byte(text), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	for _, test := range []struct{ path, want string }{
		{"script program other", "program"},
		{"nothing script script program", "program"},
		{"program script other", "program"},
		{"script", "script"},
		{"nothing script nothing", "script"},
	} {
		path := ""
		for name := range strings.FieldsSeq(test.path) {
			path += filepath.Join(dir, name) + string(filepath.ListSeparator)
		}
		t.Setenv("PATH", path)
		found := ""
		if status := (systest.Processes{M: asks{&found}}).Run(); status != 7 {
			t.Errorf("exit status %d", status)
		}
		if found != filepath.Join(dir, test.want, "python3") {
			t.Errorf("with PATH %s the tests find %s", test.path, found)
		}
		if got := os.Getenv("PATH"); !strings.HasSuffix(got, path) {
			t.Errorf("PATH is %s, and was %s", got, path)
		}
	}
}
