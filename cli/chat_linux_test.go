package cli_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"
)

// person sits at a pseudo-terminal in which chibi runs.
type person struct {
	*os.File
	seen string
}

// atTerminal starts chibi in a terminal of its own.
func atTerminal(t *testing.T, home string, args ...string) (*person, *exec.Cmd) {
	t.Helper()
	master, err := os.OpenFile("/dev/ptmx", os.O_RDWR|syscall.O_NOCTTY, 0)
	if err != nil {
		t.Skip("no pseudo-terminals here: ", err)
	}
	t.Cleanup(func() { master.Close() })
	if err := unix.IoctlSetPointerInt(int(master.Fd()), unix.TIOCSPTLCK, 0); err != nil {
		t.Fatal(err)
	}
	n, err := unix.IoctlGetInt(int(master.Fd()), unix.TIOCGPTN)
	if err != nil {
		t.Fatal(err)
	}
	terminal, err := os.OpenFile(fmt.Sprintf("/dev/pts/%d", n), os.O_RDWR|syscall.O_NOCTTY, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer terminal.Close()
	if err := unix.IoctlSetWinsize(int(master.Fd()), unix.TIOCSWINSZ, &unix.Winsize{Row: 24, Col: 60}); err != nil {
		t.Fatal(err)
	}
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
	return &person{File: master}, cmd
}

// sees waits until something is on the terminal.
func (p *person) sees(t *testing.T, text string) {
	t.Helper()
	buf := make([]byte, 4096)
	for !strings.Contains(p.seen, text) {
		n, err := p.Read(buf)
		if err != nil {
			t.Fatalf("waiting for %q: %v; so far %q", text, err, p.seen)
		}
		p.seen += string(buf[:n])
	}
	_, p.seen, _ = strings.Cut(p.seen, text)
}

func (p *person) types(keys string) { p.WriteString(keys) }

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
	p.sees(t, "Ctrl-D ends. Context: work")
	p.sees(t, "> ")
	p.types("@say **bold** \\\r\ran answer\r")
	p.sees(t, "\x1b[1mbold\x1b[0m")
	p.sees(t, "> ")
	p.types("@tool slow\r")
	p.sees(t, "up")
	p.types("\x03")
	p.sees(t, "interrupted; what has arrived is kept")
	p.sees(t, "> ")
	p.types("\x1b[A\x1b[A\r")
	p.sees(t, "\x1b[1mbold\x1b[0m")
	p.sees(t, "> ")
	p.types("@error 400 out of luck\r")
	p.sees(t, "out of luck")
	p.sees(t, "> ")
	p.types("\x04")
	if err := cmd.Wait(); err != nil {
		t.Errorf("chibi ended with %v", err)
	}
}

// TestCtrlCAtThePromptEndsTheProgram holds the exit status too.
func TestCtrlCAtThePromptEndsTheProgram(t *testing.T) {
	home := t.TempDir()
	p, cmd := atTerminal(t, home)
	p.sees(t, "> ")
	p.types("\x03")
	if err := cmd.Wait(); cmd.ProcessState.ExitCode() != 130 {
		t.Errorf("chibi ended with %v", err)
	}
}
