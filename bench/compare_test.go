package bench_test

import (
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// build builds chibi.
func build(t *testing.T) string {
	t.Helper()
	program := filepath.Join(t.TempDir(), "chibi")
	if out, err := exec.Command("go", "build", "-o", program, "..").CombinedOutput(); err != nil {
		t.Fatalf("building chibi: %v\n%s", err, out)
	}
	return program
}

// compare runs the script and returns what it prints.
func compare(t *testing.T, args ...string) string {
	t.Helper()
	out, err := exec.Command("./compare", args...).CombinedOutput()
	if err != nil {
		t.Fatalf("compare %q: %v\n%s", args, err, out)
	}
	return string(out)
}

// TestProgramsAreCompared: a case of each kind ends with a row of figures. What the
// figures are depends on the machine.
func TestProgramsAreCompared(t *testing.T) {
	program := build(t)
	names := []string{"start/version", "list/sh/1/cold", "turn/none", "network/calls=1", "counts/calls=1"}
	out := compare(t, "--pairs", "2", "--cases", strings.Join(names, ","), program, program)
	for _, name := range names {
		if !strings.Contains(out, "\n| "+name+" | ") {
			t.Errorf("there is no row for %s in:\n%s", name, out)
		}
	}
}

func TestAProgramIsComparedWithItsFloor(t *testing.T) {
	out := compare(t, "--pairs", "2", "--goals", "--cases", "goal/turn,goal/start/version", build(t))
	for _, row := range []string{"| goal/turn | <= 2.5 | ", "| goal/start/version | <= 1.6 | "} {
		if !strings.Contains(out, row) {
			t.Errorf("there is no row %q in:\n%s", row, out)
		}
	}
}

func TestMistakesAreSaid(t *testing.T) {
	for _, test := range []struct {
		args []string
		says string
	}{
		{[]string{"one"}, "want 2 programs, got 1"},
		{[]string{"--goals"}, "want 1 programs, got 0"},
		{[]string{"--pairs", "0", "sh", "sh"}, "--pairs must be at least 1"},
		{[]string{"no-such-program", "sh"}, "no-such-program is not a program"},
		{[]string{"--cases", "nothing/*", "sh", "sh"}, "no case matches nothing/*"},
	} {
		out, err := exec.Command("./compare", test.args...).CombinedOutput()
		if err == nil || !strings.Contains(string(out), test.says) {
			t.Errorf("compare %q: %v, %s; want %q", test.args, err, out, test.says)
		}
	}
}
