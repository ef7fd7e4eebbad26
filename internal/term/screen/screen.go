// Package screen owns a program's standard streams, which it is handed: what is
// printed never mixes with the status line, plugins that write at the same time do
// not tear lines, and what other people wrote can do nothing to a terminal but be
// read.
package screen

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"
	"sync"

	"github.com/chibi-host/chibi/internal/term"
	tty "golang.org/x/term"
)

// Screen is standard output and standard error as a person sees them. It is safe
// for concurrent use, but for its fields, which are set before anything is printed.
type Screen struct {
	// Quiet shows nothing of what happens: no status line, no asides.
	Quiet bool
	// OnTerminal says that standard output is a terminal.
	OnTerminal bool

	drawing
}

// New is the screen of two files, which are standard output and standard error.
func New(stdout, stderr *os.File) *Screen {
	out, err := &outlet{to: stdout, stall: stallTime}, &outlet{to: stderr, stall: stallTime}
	s := &Screen{OnTerminal: IsTerminal(stdout)}
	s.files, s.outlets, s.shared, s.quiet = [2]*os.File{stdout, stderr}, [2]*outlet{out, err}, s.OnTerminal, &s.Quiet
	s.piped = !s.shared && isPipe(stdout)
	s.out, s.err = stream{drawing: &s.drawing, to: out, terminal: s.shared},
		stream{drawing: &s.drawing, to: err, terminal: IsTerminal(stderr)}
	s.plugins = s.err
	if s.shared && !s.Coloured() {
		s.out.to = term.Text(&term.Filter{To: out})
	} else if s.shared {
		s.out.to = s.filtered(term.Text(out))
	}
	if s.err.terminal {
		s.plugins.to = s.filtered(term.Diagnostics(err))
		s.status = !isDumb()
	}
	return s
}

// EndsWith says when the run is over: nobody who does not read is waited for
// then.
func (s *Screen) EndsWith(ended <-chan struct{}) {
	for _, o := range s.outlets {
		o.ended = ended
	}
}

// Terminal is a file to draw on for a person who types at in.
func (s *Screen) Terminal(in *os.File) *os.File {
	for _, f := range []*os.File{s.files[1], s.files[0]} {
		if IsTerminal(f) {
			return f
		}
	}
	return in
}

// maxColumns bounds the width of text on a wide terminal, so that it can be
// read.
const maxColumns = 100

// Coloured reports whether text on standard output is coloured: on a terminal,
// unless NO_COLOR is set.
func (s *Screen) Coloured() bool {
	return s.shared && os.Getenv("NO_COLOR") == "" && !isDumb()
}

// Columns is how wide text on standard output may be; 0 if that is no terminal.
func (s *Screen) Columns() int {
	width, _, err := tty.GetSize(int(s.files[0].Fd()))
	if err != nil {
		return 0
	}
	return min(width, maxColumns)
}

// Stdout writes to standard output. A reader that went away is no error: the
// turn goes on and is stored.
func (s *Screen) Stdout() io.Writer { return s.out }

// Answer is Stdout for the model's answer.
func (s *Screen) Answer() io.Writer {
	w := s.out
	w.answer = true
	return w
}

// Stderr writes to standard error what chibi itself says.
func (s *Screen) Stderr() io.Writer { return s.err }

// Plugins writes to standard error what plugins say. If it is a terminal, colours
// and progress lines stay and other controls go.
func (s *Screen) Plugins() io.Writer { return s.plugins }

// Pause leaves the terminal to somebody else until the returned function is
// called: no status line is drawn. What comes afterwards begins a line: nobody
// knows where the cursor was left.
func (s *Screen) Pause() (resume func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.hide()
	s.paused++
	return sync.OnceFunc(func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.paused--
		s.inLine, s.loose = false, true
		s.show()
	})
}

// AtPrompt begins a line for what a person types, who ends it: what was printed
// before is behind them.
func (s *Screen) AtPrompt() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.hide()
	if s.loose || s.begun && s.piped {
		s.freshLine()
	}
	s.begun, s.inLine = false, false
}

// Close leaves the terminal as a shell expects it.
func (s *Screen) Close() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.status = false
	s.hide()
	if s.loose {
		s.freshLine()
	}
	s.endColours(nil)
}

// Arrived is the error of a run, which is one too if what it printed did not arrive
// where a program or a file waits for it: on a full disk.
func (s *Screen) Arrived(err error) error {
	s.mu.Lock()
	lost := s.outlets[0].lost
	s.mu.Unlock()
	if err != nil || lost == nil {
		return err
	}
	var where *fs.PathError
	if errors.As(lost, &where) {
		lost = where.Err
	}
	return fmt.Errorf("standard output cannot be written, and some of it is lost: %w", lost)
}

// Line prints one line on standard error, on a line of its own.
func (s *Screen) Line(text string) {
	if s.err.terminal {
		text = term.Plain(text)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.err.print(text + "\n")
}

// Waiting shows what is being waited for until the returned function is called.
func (s *Screen) Waiting(what string) func() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.waits = append(s.waits, what)
	s.show()
	return sync.OnceFunc(func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		if i := slices.Index(s.waits, what); i >= 0 {
			s.waits = slices.Delete(s.waits, i, i+1)
		}
		if len(s.waits) == 0 {
			s.endDiagnostics()
		}
		s.hide()
		s.show()
	})
}

// maxAside bounds, in bytes, what of a text is looked at for a line on the
// terminal.
const maxAside = 4 << 10

// Aside prints a dim line about what happens, cut to the width of the terminal,
// for a person who looks on: on standard error, if that is a terminal, and if no
// program reads standard output, which may draw on the same one, as a pager does.
func (s *Screen) Aside(text string) {
	if !s.err.terminal || s.piped || s.Quiet {
		return
	}
	if len(text) > maxAside {
		text = text[:maxAside]
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.err.print(dim(s.fit(term.Line(text))) + "\n")
}

// IsTerminal reports whether a file is a terminal.
func IsTerminal(f *os.File) bool { return tty.IsTerminal(int(f.Fd())) }
