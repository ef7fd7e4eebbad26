package screen

import (
	"io"
	"strings"
	"testing"
	"time"

	"github.com/chibi-host/chibi/internal/terminaltest"
	"github.com/mattn/go-runewidth"
)

// freshLine begins a line of 60 columns, whatever was there.
const freshLine = "                                                            \r\x1b[K"

// drawn is what a terminal of 60 columns gets.
func drawn(t *testing.T, draw func(s *Screen)) string {
	t.Helper()
	t.Setenv("TERM", "xterm")
	terminal, person := terminaltest.New(t)
	s := New(terminal, terminal)
	s.now, s.after = func() time.Time { return time.Time{} }, func(time.Duration, func()) {} // no time passes
	draw(s)
	terminal.WriteString("END")
	var all strings.Builder
	for buf := make([]byte, 4096); !strings.HasSuffix(all.String(), "END"); {
		n, err := person.Read(buf)
		if err != nil {
			t.Fatal(err)
		}
		all.Write(buf[:n])
	}
	return strings.TrimSuffix(all.String(), "END")
}

func TestNoStatusLineIsDrawnWhileSomebodyElseHasTheTerminal(t *testing.T) {
	got := drawn(t, func(s *Screen) {
		one := s.Waiting("one")
		resume := s.Pause()
		again := s.Pause()
		two := s.Waiting("two")
		s.Line("said meanwhile")
		one()
		resume()
		resume()
		io.WriteString(s.Stderr(), "still\n")
		again()
		two()
	})
	line := func(text string) string { return freshLine + "\x1b[2m" + text + "\x1b[0m\r" }
	hidden := "\x1b[K"
	if want := line("waiting for one") + hidden + freshLine + "still\r\n" + freshLine + "said meanwhile\r\n" +
		line("waiting for two") + hidden; got != want {
		t.Errorf("drawn is %q, want %q", got, want)
	}
}

// TestPastesAreMarkedWhileNobodyElseHasTheTerminal: a plugin that asks there knows no marks.
func TestPastesAreMarkedWhileNobodyElseHasTheTerminal(t *testing.T) {
	got := drawn(t, func(s *Screen) {
		end := s.MarkPastes(t.Context(), s.files[0])
		resume := s.Pause()
		again := s.Pause()
		s.files[0].WriteString("theirs")
		resume()
		again()
		s.files[0].WriteString("ours")
		end()
		s.Pause()()
	})
	const on, off = "\x1b[?2004h", "\x1b[?2004l"
	if want := on + off + "theirs" + on + "ours" + off; got != want {
		t.Errorf("the terminal gets %q, want %q", got, want)
	}
}

// TestNothingIsPrintedIntoAQuestion of chibi's own, and into one of a plugin only what plugins
// write; nothing is lost, and the order stays.
func TestNothingIsPrintedIntoAQuestion(t *testing.T) {
	for own, want := range map[bool]string{
		true:  "[question]" + freshLine + "one\r\ntwo\r\nthree\r\n\x1b[2mfour\x1b[0m\r\n",
		false: "[question]one\r\n" + freshLine + "two\r\nthree\r\n\x1b[2mfour\x1b[0m\r\n",
	} {
		got := drawn(t, func(s *Screen) {
			resume, release := s.Pause(), func() {}
			if own {
				release = s.Hold()
			}
			io.WriteString(s.files[1], "[question]")
			io.WriteString(s.Plugins(), "one\n")
			s.Line("two")
			io.WriteString(s.Stdout(), "three\n")
			s.Aside("four")
			release()
			resume()
		})
		if got != want {
			t.Errorf("own %v: drawn is %q, want %q", own, got, want)
		}
	}
}

// TestWhatIsHeldBackIsBounded: what is more is printed at once.
func TestWhatIsHeldBackIsBounded(t *testing.T) {
	got := drawn(t, func(s *Screen) {
		s.Hold()
		s.Line(strings.Repeat("x", maxHeld-len("\n")))
		s.Line("more")
		s.held, s.heldBytes = nil, 0
	})
	if got != "more\r\n" {
		t.Errorf("drawn is %.100q", got)
	}
}

func TestColoursThatOthersLeaveOnEndBeforeTheNext(t *testing.T) {
	for name, tt := range map[string]struct {
		draw func(s *Screen)
		want string
	}{
		"a plugin's, before what chibi says": {func(s *Screen) {
			io.WriteString(s.Plugins(), "\x1b[30;40mhidden\n")
			s.Line("a warning")
		}, "\x1b[30;40mhidden\r\n\x1b[0ma warning\r\n"},
		"an answer's": {func(s *Screen) {
			io.WriteString(s.Stdout(), "\x1b[31mred\n")
			s.Line("said")
			io.WriteString(s.Stdout(), "plain\n")
		}, "\x1b[31mred\r\n\x1b[0msaid\r\nplain\r\n"},
		"before the status line": {func(s *Screen) {
			io.WriteString(s.Plugins(), "\x1b[41mx\n")
			s.Waiting("y")()
		}, "\x1b[41mx\r\n\x1b[0m" + freshLine + "\x1b[2mwaiting for y\x1b[0m\r\x1b[K"},
		"when the program ends": {func(s *Screen) {
			io.WriteString(s.Plugins(), "\x1b[41mx\n")
			s.Close()
		}, "\x1b[41mx\r\n\x1b[0m"},
		"they stay within one text": {func(s *Screen) {
			io.WriteString(s.Plugins(), "\x1b[31mred ")
			io.WriteString(s.Plugins(), "still\x1b[0m\n")
			s.Line("said")
		}, "\x1b[31mred still\x1b[0m\r\nsaid\r\n"},
	} {
		t.Run(name, func(t *testing.T) {
			if got := drawn(t, tt.draw); got != tt.want {
				t.Errorf("drawn is %q, want %q", got, tt.want)
			}
		})
	}
}

// TestTheStatusLineSaysHowLongItTakes, each second, and not while others write.
func TestTheStatusLineSaysHowLongItTakes(t *testing.T) {
	got := drawn(t, func(s *Screen) {
		begun, next := time.Now(), func() {}
		now := begun
		s.now = func() time.Time { return now }
		s.after = func(_ time.Duration, do func()) { next = do }
		done := s.Waiting("model")
		for _, second := range []int{1, 3, 64} {
			now = begun.Add(time.Duration(second) * time.Second)
			next()
		}
		io.WriteString(s.Stdout(), "text ")
		next() // within a line of the answer
		io.WriteString(s.Stdout(), "more\n")
		done()
		next()
	})
	line := func(text string) string { return freshLine + "\x1b[2mwaiting for " + text + "\x1b[0m\r\x1b[K" }
	want := line("model") + line("model") + line("model 3s") + line("model 1m4s") + freshLine + "text more\r\n" +
		line("model 1m4s")
	if got != want {
		t.Errorf("drawn is %q, want %q", got, want)
	}
}

func TestWhatOnePluginHasNotEndedDoesNotSwallowTheNext(t *testing.T) {
	got := drawn(t, func(s *Screen) {
		s.status = false
		done := s.Waiting("one")
		io.WriteString(s.Plugins(), "\x1b]0;never ends")
		done()
		io.WriteString(s.Plugins(), "two\n")
	})
	if got != "two\r\n" {
		t.Errorf("drawn is %q", got)
	}
}

func TestTheStatusLineFitsTheTerminal(t *testing.T) {
	for name, what := range map[string]string{
		"letters": strings.Repeat("long ", 30), "wide characters": strings.Repeat("日本語", 20), "lines": "one\ntwo\r\nthree",
	} {
		t.Run(name, func(t *testing.T) {
			got := drawn(t, func(s *Screen) { s.Waiting(what) })
			text := strings.TrimSuffix(strings.TrimPrefix(got, freshLine+"\x1b[2m"), "\x1b[0m\r")
			if w := runewidth.StringWidth(text); w > 59 || strings.ContainsAny(text, "\r\n") ||
				!strings.HasPrefix(text, "waiting for ") {
				t.Errorf("it is %d columns wide: %q", w, text)
			}
		})
	}
}

func TestWithoutColourNoneAreDrawn(t *testing.T) {
	t.Setenv("NO_COLOR", "1")
	got := drawn(t, func(s *Screen) { io.WriteString(s.Stdout(), "\x1b[31mred\x1b[0m \x1b[2Jx\n") })
	if want := "red \uFFFDx\r\n"; got != want {
		t.Errorf("drawn is %q, want %q", got, want)
	}
}
