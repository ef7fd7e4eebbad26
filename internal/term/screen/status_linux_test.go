package screen

import (
	"io"
	"os"
	"strings"
	"testing"

	"github.com/chibi-host/chibi/internal/terminaltest"
)

// beside is a screen whose standard output is read by a program that prints it
// on the same terminal, as tee does, whenever the test calls it.
func beside(t *testing.T, draw func(s *Screen, tee func())) *terminaltest.Screen {
	t.Helper()
	t.Setenv("TERM", "xterm")
	terminal, person := terminaltest.New(t)
	out, in, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer out.Close()
	defer in.Close()
	s := New(in, terminal)
	draw(s, func() {
		buf := make([]byte, 4096)
		n, err := out.Read(buf)
		if err != nil {
			t.Fatal(err)
		}
		terminal.Write(buf[:n])
	})
	s.Close()
	terminal.WriteString("END")
	person.Sees(t, "END")
	return person.Screen()
}

func TestThePipedAnswerStaysOnTheScreen(t *testing.T) {
	got := beside(t, func(s *Screen, tee func()) {
		done := s.Waiting("model")
		for _, delta := range []string{"Hel", "lo, ", "world.\n", "More"} {
			io.WriteString(s.Stdout(), delta)
			tee()
			s.Waiting("plugin")()
		}
		done()
		s.Line("chibi: a notice")
		io.WriteString(s.Stdout(), " text\n")
		tee()
		s.Waiting("a hook at the end")()
	})
	want := "Hello, world.\nMore\nchibi: a notice\n text\nEND"
	if got.Text() != want {
		t.Errorf("the screen shows\n%s\nwant\n%s", got.Text(), want)
	}
}

// TestANoticeBeginsALineWhateverTheReaderHasPrinted: it may be late, or gone.
func TestANoticeBeginsALineWhateverTheReaderHasPrinted(t *testing.T) {
	got := beside(t, func(s *Screen, tee func()) {
		io.WriteString(s.Stdout(), "half a ")
		tee()
		io.WriteString(s.Stdout(), "line\n") // not printed yet
		s.Line("chibi: one")
		tee()
		s.Line("chibi: two")
	})
	if want := "half a\nchibi: one\nline\nchibi: two\nEND"; got.Text() != want {
		t.Errorf("the screen shows\n%s\nwant\n%s", got.Text(), want)
	}
}

func TestTheStatusLineErasesNothingThatWasThereBefore(t *testing.T) {
	t.Setenv("TERM", "xterm")
	terminal, person := terminaltest.New(t)
	terminal.WriteString("Answer: ")
	s := New(terminal, terminal)
	done := s.Waiting("model")
	done()
	io.WriteString(s.Stdout(), "42\nEND")
	person.Sees(t, "END")
	if got := person.Screen().Text(); got != "Answer:\n42\nEND" {
		t.Errorf("the screen shows\n%s", got)
	}
}

// TestAQuestionIsNotErased that a plugin writes to the terminal itself while the
// status line is shown, and others are waited for.
func TestAQuestionIsNotErased(t *testing.T) {
	t.Setenv("TERM", "xterm")
	terminal, person := terminaltest.New(t)
	s := New(terminal, terminal)
	other, asker := s.Waiting("other"), s.Waiting("asker")
	terminal.WriteString("run it? ")
	other()
	resume := s.Pause()
	terminal.WriteString("y\n")
	resume()
	asker()
	s.Line("chibi: next")
	done := s.Waiting("model")
	terminal.WriteString("^C")
	done()
	s.Line("chibi: interrupted")
	terminal.WriteString("END")
	person.Sees(t, "END")
	if got, want := person.Screen().Text(), "run it?\ny\nchibi: next\n^C\nchibi: interrupted\nEND"; got != want {
		t.Errorf("the screen shows\n%s\nwant\n%s", got, want)
	}
}

// TestWhatFollowsAQuestionOfAPluginBeginsALine, however the question ended.
func TestWhatFollowsAQuestionOfAPluginBeginsALine(t *testing.T) {
	for typed, want := range map[string]string{
		"y\r\n":                                 "run it? y\nchibi: next\nEND",
		"":                                      "run it?\nchibi: next\nEND",
		"^C":                                    "run it? ^C\nchibi: next\nEND",
		strings.Repeat("y", 60-len("run it? ")): "run it? " + strings.Repeat("y", 52) + "\nchibi: next\nEND",
	} {
		t.Setenv("TERM", "xterm")
		terminal, person := terminaltest.New(t)
		s := New(terminal, terminal)
		resume := s.Pause()
		terminal.WriteString("run it? " + typed)
		resume()
		s.Line("chibi: next")
		terminal.WriteString("END")
		person.Sees(t, "END")
		if got := person.Screen().Text(); got != want {
			t.Errorf("after %q the screen shows\n%s\nwant\n%s", typed, got, want)
		}
	}
}
