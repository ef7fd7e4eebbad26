package cli_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/chibi-host/chibi/internal/terminaltest"
)

// startAtTerminal starts a process in a session of its own, at a terminal of so many
// columns.
func startAtTerminal(t *testing.T, columns int, cmd *exec.Cmd) *terminaltest.Person {
	t.Helper()
	terminal, person := terminaltest.New(t)
	person.Resize(t, columns)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = terminal, terminal, terminal
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	return person
}

// atTerminal starts chibi in a terminal of its own.
func atTerminal(t *testing.T, home string, args ...string) (*terminaltest.Person, *exec.Cmd) {
	t.Helper()
	binary, err := exec.LookPath("chibi")
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), binary, append([]string{"--home", home}, args...)...)
	return startAtTerminal(t, 60, cmd), cmd
}

// TestAWordLikeACommandIsAQuestion at a terminal, before the model is asked.
func TestAWordLikeACommandIsAQuestion(t *testing.T) {
	for typed, want := range map[string]string{"n": "put -- before it if it is a prompt", "y": "You said: plugins"} {
		p, cmd := atTerminal(t, t.TempDir(), "plugins")
		p.Sees(t, "chibi plugin list. Ask the model anyway? [y/N] ")
		p.WriteString(typed + "\n")
		p.Sees(t, want)
		if err := cmd.Wait(); (err == nil) != (typed == "y") {
			t.Errorf("%s: chibi ended with %v", typed, err)
		}
	}
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
	p.Sees(t, "interrupted; chibi keeps the part that has arrived")
	p.Sees(t, "> ")
	p.WriteString("\x1b[A\x1b[A\r")
	p.Sees(t, "\x1b[1mbold\x1b[0m")
	p.Sees(t, "> ")
	p.WriteString("@error 400 out of luck\r")
	p.Sees(t, "out of luck")
	p.Sees(t, "> ")
	p.WriteString("\x04")
	p.Sees(t, "\x1b[?2004l")
	if err := cmd.Wait(); err != nil {
		t.Errorf("chibi ended with %v", err)
	}
	if strings.Count(p.Raw(), "\x1b[?2004") != 2 {
		t.Error("while an answer ran, the terminal did not mark what is pasted: its lines would be prompts")
	}
}

// TestCtrlCAtThePromptClearsIt, and twice on an empty line ends the program; the exit status
// too.
func TestCtrlCAtThePromptClearsIt(t *testing.T) {
	p, cmd := atTerminal(t, t.TempDir())
	p.Sees(t, "> ")
	p.WriteString("half\x03")
	p.Sees(t, "half^C\r\n> ")
	p.WriteString("hello\r")
	p.Sees(t, "You said: hello")
	p.Sees(t, "> ")
	p.WriteString("\x03")
	p.Sees(t, "To end, press Ctrl-D, or Ctrl-C twice.\r\n> ")
	p.WriteString("more\r")
	p.Sees(t, "You said: more")
	p.Sees(t, "> ")
	p.WriteString("\x04")
	if err := cmd.Wait(); err != nil {
		t.Errorf("chibi ended with %v", err)
	}
	p, cmd = atTerminal(t, t.TempDir())
	p.Sees(t, "> ")
	p.WriteString("\x03\x03")
	if err := cmd.Wait(); cmd.ProcessState.ExitCode() != 130 {
		t.Errorf("chibi ended with %v", err)
	}
}

// askingGuard is a guard that asks before a tool runs, and writes down who asks.
const askingGuard = `
echo $$ >"$CHIBI_HOME/asks"
printf 'run it? ' >&2
read -r answer </dev/tty || exit 1
[ "$answer" = y ] || echo '{"block":true,"message":"REFUSED"}'`

// answer waits for the question of a home's guard and answers it.
func answer(t *testing.T, p *terminaltest.Person, home, typed string) {
	t.Helper()
	p.Sees(t, "run it? ")
	data, err := os.ReadFile(filepath.Join(home, "asks"))
	if err != nil {
		t.Fatal(err)
	}
	group, err := strconv.Atoi(strings.TrimSpace(string(data)))
	if err != nil {
		t.Fatal(err)
	}
	p.IsLentTo(t, group)
	p.WriteString(typed)
}

// TestAGuardAsksThePerson answers a guard's question at the terminal: what is
// refused does not run. It does so in a chibi within a plugin too, where each of
// the two lends the terminal to the one below it.
func TestAGuardAsksThePerson(t *testing.T) {
	home, outer := t.TempDir(), t.TempDir()
	writePlugin(t, home, "danger", `{"name":"danger"}`, `touch "$CHIBI_HOME/ran"; echo it ran`)
	writePlugin(t, home, "guard", `{"name":"guard","hooks":["pre_tool"],"guards":["pre_tool"]}`, askingGuard)
	writePlugin(t, outer, "outer", `{"name":"outer"}`, `chibi --home "`+home+`" "@tool danger"`)
	for _, tt := range []struct {
		typed, sees string
		runs        bool
	}{{"n\n", "REFUSED", false}, {"\x03", "ended by Ctrl-C; blocked, as it was asking you", false},
		{"y\n", "it ran", true}} {
		for _, args := range [][]string{{home, "@tool danger"}, {outer, "@tool outer"}} {
			os.Remove(filepath.Join(home, "ran"))
			p, cmd := atTerminal(t, args[0], args[1])
			answer(t, p, home, tt.typed)
			p.Sees(t, tt.sees)
			if err := cmd.Wait(); err != nil {
				t.Errorf("%q: chibi ended with %v", tt.typed, err)
			}
			if _, err := os.Stat(filepath.Join(home, "ran")); (err == nil) != tt.runs {
				t.Errorf("%q: the tool ran: %v", tt.typed, err == nil)
			}
		}
	}
}

// TestCheckingAGuardThatAsks: nobody answers it there, which is no error of the
// plugin.
func TestCheckingAGuardThatAsks(t *testing.T) {
	home := t.TempDir()
	writePlugin(t, home, "guard", `{"name":"guard","hooks":["pre_tool"],"guards":["pre_tool"]}`, askingGuard)
	p, cmd := atTerminal(t, home, "plugin", "check", "guard")
	p.Sees(t, "it asks the person at the terminal, which is not possible here; try it: chibi hook fire pre_tool --plugin "+
		"guard")
	if err := cmd.Wait(); err != nil {
		t.Errorf("chibi ended with %v", err)
	}
}
