package editor_test

import (
	"context"
	"errors"
	"io"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/chibi-host/chibi/internal/term/editor"
	"github.com/chibi-host/chibi/internal/terminaltest"
	"golang.org/x/sys/unix"
)

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
		{"Alt-Enter begins a new line", "one\x1b\rtwo\r", "one\ntwo", nil},
		{"Alt-Enter as other terminals send it", "one\x1b[13;3utwo\x1b[27;3;13~three\r", "one\ntwo\nthree", nil},
		{"a key that is not known swallows nothing", "ab\x1b[5^c\x1b[15~d\r", "abcd", nil},
		{"Escape keeps the next key", "a\x1b1b\x1bxe\x1b\x7fd\x1bé\r", "dé", nil},
		{"Home and End of tmux and PuTTY", "b\x1b[1~a\x1b[4~c\r", "abc", nil},
		{"Home and End of xterm and rxvt", "c\x1b[Hb\x1b[7~a\x1b[F\x1bOFd\x1b[8~e\r", "abcde", nil},
		{"words with Ctrl", "one two\x1b[1;5D\x1b[1;5DX\x1b[1;5CY\r", "Xone Ytwo", nil},
		{"Delete", "abc\x1b[H\x1b[3~\r", "bc", nil},
		{"bytes that are no UTF-8", "a\xe9b\xff\xfe\xc3\r", "a?b???", nil},
		{"a character that says so", "a\uFFFDb\r", "a?b", nil},
		{"a paste that is no UTF-8", "\x1b[200~a\xe9b\x1b[201~c\r", "a\uFFFDbc", nil},
		{"Ctrl-C in a character", "a\xe6\x97\x03b\r", "b", nil},
		{"Alt-Backspace deletes a word", "one two\x1b\x7fthree\r", "one three", nil},
		{"words with Alt", "one two\x1bb\x1bbX\x1bfY\r", "Xone Ytwo", nil},
		{"Escape and Ctrl-C", "abc\x1b\x03d\r", "d", nil},
		{"Ctrl-C in the beginning of a key", "abc\x1b[1\x03d\r", "d", nil},
		{"a paste with controls of two bytes is not typed", "\x1b[200~a\u009b2Jb\x1b[201~\r", "a\u009b2Jb", nil},
		{"UTF-8", "日本 é\r", "日本 é", nil},
		{"Ctrl-C clears the line", "abc\x03d\r", "d", nil},
		{"Ctrl-C in the middle of a line", "abc\x1b[D\x1b[D\x03d\r", "d", nil},
		{"Ctrl-C clears all lines", "one\\\rtwo\x03three\r", "three", nil},
		{"Ctrl-C on an empty line", "\x03abc\r", "abc", nil},
		{"Ctrl-C twice", "\x03\x03", "", editor.ErrInterrupted},
		{"Ctrl-C that clears is not the first of two", "\x03a\x03b\r", "b", nil},
		{"Ctrl-C that clears, and twice", "a\x03\x03\x03", "", editor.ErrInterrupted},
		{"Ctrl-D", "\x04", "", io.EOF},
		{"Ctrl-D in a line", "ab\x04c\r", "abc", nil},
	} {
		t.Run(test.name, func(t *testing.T) {
			terminal, p := terminaltest.New(t)
			e := &editor.Editor{In: terminal, Out: terminal, History: slices.Clone(history)}
			before, err := unix.IoctlGetTermios(int(terminal.Fd()), unix.TCGETS)
			if err != nil {
				t.Fatal(err)
			}
			go func() {
				p.Sees(t, "> ")
				p.WriteString(test.keys) // at once: Escape that stays alone is a key
				io.Copy(io.Discard, p)   // the terminal blocks if nobody looks
			}()
			got, err := e.Read(t.Context(), "> ")
			if got != test.want || !errors.Is(err, test.err) {
				t.Errorf("got %.200q, %v; want %.200q, %v", got, err, test.want, test.err)
			}
			if err == nil && e.History[len(e.History)-1] != got {
				t.Errorf("history = %q", e.History)
			}
			after, err := unix.IoctlGetTermios(int(terminal.Fd()), unix.TCGETS)
			if err != nil || *after != *before {
				t.Errorf("the terminal is not as it was: %+v, %v", after, err)
			}
		})
	}
}

// TestCtrlCThatWasMeantForTheAnswerOnlyClears, however often it is pressed.
func TestCtrlCThatWasMeantForTheAnswerOnlyClears(t *testing.T) {
	terminal, p := terminaltest.New(t)
	e := &editor.Editor{In: terminal, Out: terminal, Grace: time.Hour}
	go func() {
		p.Sees(t, "> ")
		p.WriteString("\x03\x03\x03ab\x03cd\r")
	}()
	if text, err := e.Read(t.Context(), "> "); text != "cd" || err != nil {
		t.Errorf("got %q, %v", text, err)
	}
	terminal.WriteString("END")
	p.Sees(t, "END")
	said := "> ^C\nTo end, press Ctrl-D, or Ctrl-C twice.\n"
	if got, want := p.Screen().Text(), strings.Repeat(said, 3)+"> ab^C\n> cd\nEND"; got != want {
		t.Errorf("the screen is\n%s\nwant\n%s", got, want)
	}
}

func TestTheEndOfTheContextEndsReading(t *testing.T) {
	terminal, p := terminaltest.New(t)
	e := &editor.Editor{In: terminal, Out: terminal}
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		p.Sees(t, "> ")
		p.Write([]byte("half"))
		p.Sees(t, "half")
		cancel()
	}()
	if text, err := e.Read(ctx, "> "); !errors.Is(err, context.Canceled) {
		t.Errorf("got %q, %v", text, err)
	}
	go func() {
		p.Sees(t, "> ")
		p.Write([]byte("again\r"))
		io.Copy(io.Discard, p)
	}()
	if text, err := e.Read(t.Context(), "> "); text != "again" || err != nil {
		t.Errorf("got %q, %v", text, err)
	}
}

// TestWhatIsTypedBehindAPromptIsForTheNext holds that for a paste above all: its
// lines must not be sent one by one.
func TestWhatIsTypedBehindAPromptIsForTheNext(t *testing.T) {
	terminal, p := terminaltest.New(t)
	e := &editor.Editor{In: terminal, Out: terminal}
	go func() {
		p.Sees(t, "> ")
		p.Write([]byte("one\rtwo\r\x1b[200~three\rfour"))
		p.Sees(t, "> ")
		p.Sees(t, "> ")
		p.Write([]byte("\x1b[201~\r"))
		io.Copy(io.Discard, p)
	}()
	for _, want := range []string{"one", "two", "three\nfour"} {
		if got, err := e.Read(t.Context(), "> "); got != want || err != nil {
			t.Errorf("got %q, %v; want %q", got, err, want)
		}
	}
}

func TestWhatIsTypedBehindAPromptCanBeForgotten(t *testing.T) {
	terminal, p := terminaltest.New(t)
	e := &editor.Editor{In: terminal, Out: terminal}
	go func() {
		p.Sees(t, "> ")
		p.Write([]byte("one\rtwo\r"))
		p.Sees(t, "> ")
		p.Write([]byte("three\r"))
		io.Copy(io.Discard, p)
	}()
	for _, want := range []string{"one", "three"} {
		if got, err := e.Read(t.Context(), "> "); got != want || err != nil {
			t.Errorf("got %q, %v; want %q", got, err, want)
		}
		e.Forget()
	}
}
