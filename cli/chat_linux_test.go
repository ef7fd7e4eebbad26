package cli_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/chibi-host/chibi/internal/terminaltest"
)

// atTerminal starts chibi in a terminal of its own.
func atTerminal(t *testing.T, home string, args ...string) (*terminaltest.Person, *exec.Cmd) {
	t.Helper()
	terminal, person := terminaltest.New(t)
	binary, err := exec.LookPath("chibi")
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), binary, append([]string{"--home", home}, args...)...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = terminal, terminal, terminal
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	return person, cmd
}

// TestAConversationAtTheTerminal types prompts, brings one back with the arrow
// key, interrupts an answer and goes on, and ends with Ctrl-D.
func TestAConversationAtTheTerminal(t *testing.T) {
	home := t.TempDir()
	slow := "#!/bin/sh\n[ \"$1\" = --schema ] && { echo '{\"name\": \"slow\"}'; exit; }\necho up >&2\nexec sleep 1000\n"
	if err := os.Mkdir(filepath.Join(home, "plugins"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(home, "plugins", "slow"), []byte(slow), 0o755); err != nil {
		t.Fatal(err)
	}
	p, cmd := atTerminal(t, home, "-c", "work")
	p.Sees(t, "Ctrl-D ends. Context: work")
	p.Sees(t, "> ")
	p.WriteString("@say **bold** \\\ran answer\r")
	p.Sees(t, "\x1b[1mbold\x1b[0m")
	p.Sees(t, "> ")
	p.WriteString("@tool slow\r")
	p.Sees(t, "up")
	p.WriteString("\x03")
	p.Sees(t, "interrupted; what has arrived is kept")
	p.Sees(t, "> ")
	p.WriteString("\x1b[A\x1b[A\r")
	p.Sees(t, "\x1b[1mbold\x1b[0m")
	p.Sees(t, "> ")
	p.WriteString("@error 400 out of luck\r")
	p.Sees(t, "out of luck")
	p.Sees(t, "> ")
	p.WriteString("\x04")
	if err := cmd.Wait(); err != nil {
		t.Errorf("chibi ended with %v", err)
	}
}

// TestCtrlCAtThePromptEndsTheProgram holds the exit status too.
func TestCtrlCAtThePromptEndsTheProgram(t *testing.T) {
	home := t.TempDir()
	p, cmd := atTerminal(t, home)
	p.Sees(t, "> ")
	p.WriteString("\x03")
	if err := cmd.Wait(); cmd.ProcessState.ExitCode() != 130 {
		t.Errorf("chibi ended with %v", err)
	}
}

// TestAGuardAsksThePerson answers a guard's question at the terminal: no status
// line is drawn over it, and what is refused does not run.
func TestAGuardAsksThePerson(t *testing.T) {
	home := t.TempDir()
	writePlugin(t, home, "danger", `{"name":"danger"}`, `touch "$CHIBI_HOME/ran"; echo it ran`)
	writePlugin(t, home, "guard", `{"name":"guard","hooks":["pre_tool"],"guards":["pre_tool"]}`, `
printf 'run it? ' >&2
read -r answer </dev/tty || exit 1
[ "$answer" = y ] || echo '{"block":true,"message":"REFUSED"}'`)
	for _, tt := range []struct {
		typed, sees string
		runs        bool
	}{{"n\n", "REFUSED", false}, {"\x03", "blocked, as it asked", false}, {"y\n", "it ran", true}} {
		os.Remove(filepath.Join(home, "ran"))
		p, cmd := atTerminal(t, home, "@tool danger")
		p.Sees(t, "run it? ")
		p.IsLent(t)
		p.WriteString(tt.typed)
		p.Sees(t, tt.sees)
		if err := cmd.Wait(); err != nil {
			t.Errorf("%q: chibi ended with %v", tt.typed, err)
		}
		if _, err := os.Stat(filepath.Join(home, "ran")); (err == nil) != tt.runs {
			t.Errorf("%q: the tool ran: %v", tt.typed, err == nil)
		}
	}
}
