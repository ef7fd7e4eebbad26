//go:build unix

package resident

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/chibi-host/chibi/plugin"
	"github.com/chibi-host/chibi/plugin/process"
)

// early makes a group with a process in sh, and a directory for it.
func early(t *testing.T, script string) (g *Group, r *Resident, dir string) {
	t.Helper()
	dir = t.TempDir()
	g = &Group{Notify: func(n plugin.Notice) { t.Errorf("told: %s", n) }}
	t.Cleanup(func() { g.Close() })
	return g, g.Add(Spec{Plugin: "p", Command: process.Command{Path: "/bin/sh",
		Args: []string{"-c", "cd " + dir + "\n" + script + "\n" + answers}}}), dir
}

// answers answers every request.
const answers = `echo started >> log; while read -r line; do id=${line#*'"id":'}; id=${id%%,*}
	printf '{"jsonrpc":"2.0","id":%s,"result":{}}\n' "$id"; done`

// isAsked asks and reports whether the process was started for it.
func isAsked(t *testing.T, r *Resident) (started bool) {
	t.Helper()
	a, err := r.Ask(t.Context(), Question{Method: "hook", Timeout: time.Hour})
	if err != nil {
		t.Fatal(err)
	}
	return a.Started
}

func TestAProcessIsStartedBeforeItIsAsked(t *testing.T) {
	g, r, dir := early(t, "")
	other := g.Add(Spec{Plugin: "other", Command: process.Command{Path: "/no/such/file"}})
	g.Start("p")
	g.Start("p", "none")
	if isAsked(t, r) {
		t.Error("it was started for its first question")
	}
	g.Start("p") // it runs
	if got, _ := os.ReadFile(filepath.Join(dir, "log")); string(got) != "started\n" {
		t.Errorf("log: %q", got)
	}
	if other.now != nil {
		t.Error("another one was started too")
	}
	g.Close()
	g.Start("p")
}

// TestWhatHappensBeforeTheFirstQuestionIsNotCounted: the first question starts the process
// again, and all restarts are left.
func TestWhatHappensBeforeTheFirstQuestionIsNotCounted(t *testing.T) {
	for name, once := range map[string]string{"it ends": "exit 3", "it prints a line": "echo loaded; exec sleep 600",
		"it closes its output": "exec >&-; exec sleep 600"} {
		t.Run(name, func(t *testing.T) {
			g, r, _ := early(t, "[ -e once ] || { : > once; "+once+"; }")
			g.Start("p")
			<-r.now.over
			g.Start("p") // not twice
			if !isAsked(t, r) || r.failures != 0 {
				t.Errorf("it has failed %d times", r.failures)
			}
		})
	}
}

// TestAProcessThatCannotBeStartedEarly: its first question says why.
func TestAProcessThatCannotBeStartedEarly(t *testing.T) {
	g := &Group{}
	r := g.Add(Spec{Plugin: "p", Command: process.Command{Path: "/no/such/file"}})
	g.Start("p")
	if _, err := r.Ask(t.Context(), Question{Method: "hook"}); !errors.Is(err, process.ErrStart) || r.failures != 1 {
		t.Errorf("it has failed %d times: %v", r.failures, err)
	}
}
