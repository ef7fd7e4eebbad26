package process_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"

	"github.com/chibi-host/chibi/internal/childtest"
	"github.com/chibi-host/chibi/internal/terminaltest"
	"github.com/chibi-host/chibi/plugin/process"
	"golang.org/x/sys/unix"
)

// A process at the terminal reads what is typed, and its Ctrl-C ends it, not
// the host. The host is this test in a session of its own: see hostAtTerminal.
func TestAProcessAtTheTerminal(t *testing.T) {
	childtest.Do(t, "CHIBI_TEST_AT_TERMINAL", func(script string) { hostAtTerminal(t, script) })
	tests := map[string]struct{ script, typed, want string }{
		"reads what is typed": {"echo up >&2; read line; echo got $line", "hello\n",
			`"got hello\n" interrupted=false foreground=true`},
		"is ended by Ctrl-C":   {"echo up >&2; exec sleep 1000", "\x03", `"" interrupted=true foreground=true`},
		"may leave it at once": {"echo up >&2", "", `"" interrupted=false foreground=true`},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			terminal, person := terminaltest.New(t)
			self := childtest.Command(t)
			host := exec.CommandContext(t.Context(), self[0], self[1:]...)
			host.Env = childtest.Environ(t, "CHIBI_TEST_AT_TERMINAL", tt.script)
			host.Stdin = terminal
			host.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
			output, err := host.StdoutPipe()
			if err != nil {
				t.Fatal(err)
			}
			if err := host.Start(); err != nil {
				t.Fatal(err)
			}
			defer host.Wait()
			var got string
			for lines := bufio.NewScanner(output); lines.Scan(); {
				if lines.Text() == "up" {
					person.WriteString(tt.typed)
				}
				if said, ok := strings.CutPrefix(lines.Text(), "host: "); ok {
					got = said
				}
			}
			if got != tt.want {
				t.Errorf("got %s, want %s", got, tt.want)
			}
		})
	}
}

// hostAtTerminal runs a script at the terminal that is its standard input, and
// prints how that went.
func hostAtTerminal(t *testing.T, script string) {
	c := sh(script)
	c.InheritStdin = true
	out, err := process.Runner{Terminal: os.Stdin, Stderr: os.Stdout}.Run(t.Context(), c)
	group, ioctl := unix.IoctlGetInt(int(os.Stdin.Fd()), unix.TIOCGPGRP)
	fmt.Printf("host: %q interrupted=%v foreground=%v\n",
		out.Stdout, errors.Is(err, context.Canceled), ioctl == nil && group == unix.Getpgrp())
}
