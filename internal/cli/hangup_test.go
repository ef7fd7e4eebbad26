//go:build unix

package cli_test

import (
	"bufio"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// TestAClosedTerminalEndsARun sends what the kernel sends when the terminal is
// gone. A run that was told to ignore that, as by nohup, goes on.
func TestAClosedTerminalEndsARun(t *testing.T) {
	for _, tt := range []struct {
		name, start string
		ends        bool
	}{
		{"a run ends as with SIGTERM", `exec chibi "$@"`, true},
		{"one that ignores it goes on", `trap "" HUP; exec chibi "$@"`, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			// Where the tests are started with nohup, SIGHUP is ignored, and children would inherit that.
			signal.Notify(make(chan os.Signal, 1), syscall.SIGHUP)
			home := t.TempDir()
			writePlugin(t, home, "slow", `{"name":"slow"}`, `
echo "up $$" >&2
while [ ! -e "$CHIBI_HOME/go" ]; do sleep 0.01; done
echo the tool is done`)
			writePlugin(t, home, "end", `{"name":"end","hooks":["on_end"]}`, `touch "$CHIBI_HOME/ended"`)
			cmd := exec.CommandContext(t.Context(), "sh", "-c", tt.start, "sh", "--home", home, "@tool slow")
			said, err := cmd.StderrPipe()
			if err != nil {
				t.Fatal(err)
			}
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			for scanner := bufio.NewScanner(said); scanner.Scan(); {
				if strings.HasPrefix(scanner.Text(), "up") {
					cmd.Process.Signal(syscall.SIGHUP)
					if !tt.ends {
						os.WriteFile(filepath.Join(home, "go"), nil, 0o600)
					}
				}
			}
			if err := cmd.Wait(); (err != nil) != tt.ends || cmd.ProcessState.Sys().(syscall.WaitStatus).Signaled() {
				t.Errorf("chibi ended with %v", err)
			}
			if _, err := os.Stat(filepath.Join(home, "ended")); err != nil {
				t.Error("on_end was not asked")
			}
		})
	}
}

// writePlugin writes a plugin for sh into a home.
func writePlugin(t *testing.T, home, name, schema, body string) {
	t.Helper()
	script := "#!/bin/sh\n[ \"$1\" = --schema ] && { echo '" + schema + "'; exit; }\n" + body + "\n"
	if err := os.MkdirAll(filepath.Join(home, "plugins"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(home, "plugins", name), []byte(script), 0o755); err != nil {
		t.Fatal(err)
	}
}
