package coding_test

import (
	"fmt"
	"io"
	"os"
	osexec "os/exec"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/chibi-host/chibi/internal/childtest"
	"github.com/chibi-host/chibi/internal/terminaltest"
	"github.com/chibi-host/chibi/plugin/process"
	"github.com/chibi-host/chibi/tools/coding"
)

// A command can neither read what the person types nor draw a question. The host is this
// test in a session of its own, with a terminal.
func TestACommandHasNoTerminal(t *testing.T) {
	childtest.Do(t, "CHIBI_TEST_SHELL", func(command string) {
		tty, err := os.OpenFile("/dev/tty", os.O_RDWR, 0)
		if err != nil {
			t.Fatal("the host has no terminal:", err)
		}
		defer tty.Close()
		c := coding.ShellConfig{Dir: "/", Runner: process.Runner{Terminal: os.Stdin,
			Lender: process.NewLender(0, nil), Stderr: os.Stdin}}
		fmt.Printf("%s", exec(t, c, map[string]any{"command": command}).Told())
	})
	for command, want := range map[string]string{
		"(echo 'Allow? [y/n]' > /dev/tty) 2>&1 | grep -o 'No such device.*'": "No such device or address\n",
		"(read answer < /dev/tty) 2>&1 | grep -o 'No such device.*'":         "No such device or address\n",
		"tty; test -t 0 || test -t 1 || test -t 2 || echo none":              "not a tty\nnone\n",
		"ps -o tty= -p $$ | tr -d ' '":                                       "?\n",
	} {
		if _, err := osexec.LookPath(strings.Fields(command)[0]); err != nil && !strings.HasPrefix(command, "(") {
			continue
		}
		terminal, person := terminaltest.New(t)
		self := childtest.Command(t)
		host := osexec.CommandContext(t.Context(), self[0], self[1:]...)
		host.Env = childtest.Environ(t, "CHIBI_TEST_SHELL", command)
		host.Stdin = terminal
		host.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
		person.WriteString("typed ahead\n")
		out, err := host.Output()
		if err != nil || string(out) != want {
			t.Errorf("%s: %q, %v, want %q", command, out, err, want)
		}
		terminal.Close()
		if shown, _ := io.ReadAll(person); strings.Contains(string(shown), "Allow?") {
			t.Errorf("%s: it drew on the terminal: %q", command, shown)
		}
	}
}

// Programs such as timeout(1), and shells that control jobs, make process groups of their own.
func TestCommandsInGroupsOfTheirOwnEndToo(t *testing.T) {
	const jobs = "bash -c 'set -m; trap \"\" TERM; sleep 1000 & sleep 1000 & echo done"
	for command, want := range map[string]string{
		jobs + "'":       "done\n",
		jobs + "; wait'": "done\ntimed out after 1s; the command was ended with its children",
	} {
		life := newLifeline(t)
		got := exec(t, coding.ShellConfig{Dir: "/", Runner: process.Runner{Grace: 100 * time.Millisecond}},
			map[string]any{"command": life.hold + command, "timeout_secs": 1})
		if got.Told() != want {
			t.Errorf("%s: %q", command, got.Told())
		}
		life.mustEnd()
	}
}
