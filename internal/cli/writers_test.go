package cli_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chibi-host/chibi/internal/systest"
)

// writers is how many processes change one file of a home at once.
const writers = 12

// TestWhatTwelveProcessesWriteAtOnceIsAllThere runs each command that changes a
// file of the home in twelve processes at once: every change is there afterwards.
func TestWhatTwelveProcessesWriteAtOnceIsAllThere(t *testing.T) {
	h := newHome(t)
	for i := range writers {
		h.write(fmt.Sprintf("src/p%d", i), "#!/bin/sh\nexit 0\n", 0o755)
		h.write(fmt.Sprintf("project%d/.chibi/recipes/r.md", i), "hello\n", 0o644)
	}
	has := func(file, text string) func(int) string {
		return func(i int) string {
			if want := fmt.Sprintf(text, i); !strings.Contains(h.read(file), want) {
				return fmt.Sprintf("%s does not say %s", file, want)
			}
			return ""
		}
	}
	not := func(check func(int) string) func(int) string {
		return func(i int) string {
			if check(i) == "" {
				return "something stayed that should be gone"
			}
			return ""
		}
	}
	for _, step := range []struct {
		args  string // %d is the process's number
		check func(i int) string
	}{
		{"plugin install src/p%d", has(".chibi/installed.json", `"p%d":`)},
		{"plugin show p%d", has(".chibi/config.toml", "[plugins.p%d]\nenabled = false")},
		{"plugin enable p%d", not(has(".chibi/config.toml", "[plugins.p%d]"))},
		{"plugin disable p%d", has(".chibi/config.toml", "[plugins.p%d]\nenabled = false")},
		{"plugin remove --yes p%d", not(has(".chibi/installed.json", `"p%d":`))},
		{"plugin install --link src/p%d", has(".chibi/config.toml", `src/p%d'`)},
		{"-C c --wait --set plugins.w%d.timeout_ms=1000 --save",
			has(".chibi/contexts/c/local.toml", "[plugins.w%d]\ntimeout_ms = 1000")},
		{"-C c --wait -u u%d", has(".chibi/contexts/c/local.toml", "[plugins.w%d]\ntimeout_ms = 1000")},
		{"-c s%d -l", has(".chibi/state.json", `"name": "s%d"`)},
		{"context rename s%d t%[1]d", has(".chibi/state.json", `"name": "t%d"`)},
		{"context delete t%d --yes", not(has(".chibi/state.json", `"name": "t%d"`))},
	} {
		h.runAll(step.args)
		for i := range writers {
			if wrong := step.check(i); wrong != "" {
				t.Errorf("after %d times chibi %s: %s", writers, step.args, wrong)
			}
		}
	}
}

// home is a home directory with processes in it.
type home struct {
	t      *testing.T
	folder string
}

func newHome(t *testing.T) home {
	h := home{t, t.TempDir()}
	h.write(".chibi/plugins/.keep", "", 0o644)
	return h
}

func (h home) write(path, text string, mode os.FileMode) {
	h.t.Helper()
	path = filepath.Join(h.folder, path)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		h.t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), mode); err != nil {
		h.t.Fatal(err)
	}
}

func (h home) read(path string) string {
	h.t.Helper()
	data, err := os.ReadFile(filepath.Join(h.folder, path))
	if err != nil {
		h.t.Error(err)
	}
	return string(data)
}

// command is a process of chibi in the home.
func (h home) command(args ...string) *exec.Cmd {
	cmd := exec.Command("chibi", args...) // TestMain puts it into PATH
	cmd.Dir = h.folder
	cmd.Env = append(os.Environ(), "HOME="+h.folder, "CHIBI_HOME=")
	return cmd
}

// runAll runs a command in many processes at once; %d in it is the process's
// number. All must succeed.
func (h home) runAll(line string) {
	h.t.Helper()
	done := make(chan error)
	for i := range writers {
		go func() {
			args := strings.Fields(line)
			for k, arg := range args {
				if strings.Contains(arg, "%") {
					args[k] = fmt.Sprintf(arg, i)
				}
			}
			out, err := h.command(args...).CombinedOutput()
			if err != nil {
				err = fmt.Errorf("chibi %s: %w\n%s", strings.Join(args, " "), err, out)
			}
			done <- err
		}()
	}
	for range writers {
		if err := <-done; err != nil {
			h.t.Error(err)
		}
	}
}

// makePipe puts a named pipe where a file is.
func (h home) makePipe(path string) {
	h.t.Helper()
	path = filepath.Join(h.folder, path)
	if err := os.Remove(path); err != nil {
		h.t.Fatal(err)
	}
	if err := systest.Mkfifo(path); err != nil {
		h.t.Fatal(err)
	}
}

// mustEnd runs a command that must not wait for ever: if it does, go test gives up.
func (h home) mustEnd(args []string) {
	h.t.Helper()
	cmd := h.command(args...)
	out, err := cmd.CombinedOutput()
	if cmd.ProcessState.ExitCode() < 0 {
		h.t.Errorf("chibi %s: %v\n%s", strings.Join(args, " "), err, out)
	}
}
