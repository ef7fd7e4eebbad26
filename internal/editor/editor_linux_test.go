package editor_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/chibi-host/chibi/internal/editor"
	"golang.org/x/sys/unix"
)

// person is the other side of a terminal: they type, and see what is drawn.
type person struct {
	*os.File
	terminal *os.File
	seen     string
}

// newTerminal opens a pseudo-terminal.
func newTerminal(t *testing.T) *person {
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
	t.Cleanup(func() { terminal.Close() })
	return &person{File: master, terminal: terminal}
}

// sees waits until something is drawn.
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

func TestPrompts(t *testing.T) {
	history := []string{"an old prompt", "two\nlines"}
	for _, test := range []struct {
		name, keys, want string
		err              error
	}{
		{"a line", "hello\r", "hello", nil},
		{"a blank line is nothing", "\r  \rhello\r", "hello", nil},
		{"a backslash goes on", "one\\\rtwo\\\rthree\r", "one\ntwo\nthree", nil},
		{"a paste of several lines is one prompt", "see: \x1b[200~a\r\tb\rc\r\x1b[201~ ok\r", "see: a\n\tb\nc ok", nil},
		{"a short paste can be edited", "\x1b[200~abc\x1b[201~\x7fd\r", "abd", nil},
		{"a long paste is not cut", "\x1b[200~" + strings.Repeat("x", 9000) + "\x1b[201~\r", strings.Repeat("x", 9000), nil},
		{"Ctrl-C in a paste is text", "\x1b[200~a\x03b\x1b[201~\r", "a\x03b", nil},
		{"history", "\x1b[A\x1b[A\r", "an old prompt", nil},
		{"history with lines", "\x1b[A!\r", "two\nlines!", nil},
		{"UTF-8", "日本 é\r", "日本 é", nil},
		{"Ctrl-C", "abc\x03", "", editor.ErrInterrupted},
		{"Ctrl-D", "\x04", "", io.EOF},
		{"Ctrl-D in a line", "ab\x04c\r", "abc", nil},
	} {
		t.Run(test.name, func(t *testing.T) {
			p := newTerminal(t)
			e := &editor.Editor{In: p.terminal, Out: p.terminal, History: slices.Clone(history)}
			before, err := unix.IoctlGetTermios(int(p.terminal.Fd()), unix.TCGETS)
			if err != nil {
				t.Fatal(err)
			}
			go func() {
				p.sees(t, "> ")
				for _, piece := range slices.Collect(slices.Chunk([]byte(test.keys), 7)) {
					p.Write(piece)
				}
				io.Copy(io.Discard, p) // the terminal blocks if nobody looks
			}()
			got, err := e.Read(t.Context(), "> ")
			if got != test.want || !errors.Is(err, test.err) {
				t.Errorf("got %.200q, %v; want %.200q, %v", got, err, test.want, test.err)
			}
			if err == nil && e.History[len(e.History)-1] != got {
				t.Errorf("history = %q", e.History)
			}
			after, err := unix.IoctlGetTermios(int(p.terminal.Fd()), unix.TCGETS)
			if err != nil || *after != *before {
				t.Errorf("the terminal is not as it was: %+v, %v", after, err)
			}
		})
	}
}

func TestTheEndOfTheContextEndsReading(t *testing.T) {
	p := newTerminal(t)
	e := &editor.Editor{In: p.terminal, Out: p.terminal}
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		p.sees(t, "> ")
		p.Write([]byte("half"))
		p.sees(t, "half")
		cancel()
	}()
	if text, err := e.Read(ctx, "> "); !errors.Is(err, context.Canceled) {
		t.Errorf("got %q, %v", text, err)
	}
	go func() {
		p.sees(t, "> ")
		p.Write([]byte("again\r"))
		io.Copy(io.Discard, p)
	}()
	if text, err := e.Read(t.Context(), "> "); text != "again" || err != nil {
		t.Errorf("got %q, %v", text, err)
	}
}
