package terminaltest

import (
	"errors"
	"fmt"
	"os"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// Person is the other side of a terminal: writing to it types, reading from it sees the
// output.
type Person struct {
	*os.File
	seen    string // output after the last text that was waited for
	all     string
	columns int
}

// New opens a pseudo-terminal with 60 columns and returns the side of the program and that
// of the person. Both are closed when the test ends.
func New(t *testing.T) (terminal *os.File, person *Person) {
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
	terminal, err = os.OpenFile(fmt.Sprintf("/dev/pts/%d", n), os.O_RDWR|syscall.O_NOCTTY, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { terminal.Close() })
	person = &Person{File: master}
	person.Resize(t, 60)
	return terminal, person
}

// Resize sets the number of columns of the terminal.
func (p *Person) Resize(t *testing.T, columns int) {
	t.Helper()
	p.columns = columns
	size := &unix.Winsize{Row: 24, Col: uint16(columns)}
	if err := unix.IoctlSetWinsize(int(p.Fd()), unix.TIOCSWINSZ, size); err != nil {
		t.Fatal(err)
	}
}

// Screen returns the screen after the output that has been read so far.
func (p *Person) Screen() *Screen { return Draw(p.columns, p.all) }

// Raw returns the output that has been read so far.
func (p *Person) Raw() string { return p.all }

// patience bounds the wait for a text, even on a slow machine.
const patience = 2 * time.Minute

// Sees waits for a text in the output after the last text that was waited for.
func (p *Person) Sees(t *testing.T, text string) {
	t.Helper()
	buf := make([]byte, 4096)
	end := time.Now().Add(patience)
	for !strings.Contains(p.seen, text) {
		ready, err := unix.Poll([]unix.PollFd{{Fd: int32(p.Fd()), Events: unix.POLLIN}},
			int(max(0, time.Until(end).Milliseconds())))
		if errors.Is(err, unix.EINTR) {
			continue
		}
		n := 0
		if ready > 0 && err == nil {
			n, err = p.Read(buf)
		} else if err == nil {
			err = os.ErrDeadlineExceeded
		}
		if err != nil {
			t.Errorf("waiting for %q: %v; so far %q", text, err, p.seen)
			return
		}
		p.seen += string(buf[:n])
		p.all += string(buf[:n])
	}
	_, p.seen, _ = strings.Cut(p.seen, text)
}

// IsLentTo waits until a process group has the terminal.
func (p *Person) IsLentTo(t *testing.T, group int) {
	t.Helper()
	for end := time.Now().Add(patience); time.Now().Before(end); time.Sleep(time.Millisecond) {
		if has, err := unix.IoctlGetInt(int(p.Fd()), unix.TIOCGPGRP); err != nil {
			t.Fatal(err)
		} else if has == group {
			return
		}
	}
	t.Errorf("process group %d did not get the terminal", group)
}
