// Package screen writes to a program's standard output and standard error, which
// the program passes to it. It promises that output never mixes with the status
// line, that plugins that write at the same time do not break each other's lines,
// and that text from others cannot control the terminal.
package screen

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"
	"sync"
	"time"

	"github.com/chibi-host/chibi/internal/term"
	tty "golang.org/x/term"
)

// Screen is standard output and standard error as a person sees them. It is safe
// for concurrent use, except that its fields must be set before anything is
// printed.
type Screen struct {
	// Quiet disables the status line and asides.
	Quiet bool
	// OnTerminal is true if standard output is a terminal.
	OnTerminal bool
	// IsPiped is true if another program reads standard output, which may use the same
	// terminal, as a pager does.
	IsPiped bool

	drawing
}

// New returns the screen of two files, which are standard output and standard
// error.
func New(stdout, stderr *os.File) *Screen {
	out, err := &outlet{to: stdout, stall: stallTime}, &outlet{to: stderr, stall: stallTime}
	s := &Screen{OnTerminal: IsTerminal(stdout)}
	s.files, s.outlets, s.shared, s.quiet = [2]*os.File{stdout, stderr}, [2]*outlet{out, err}, s.OnTerminal, &s.Quiet
	s.piped, s.sizeOf, s.colourless = !s.shared && isPipe(stdout), sizeOf, !s.Coloured()
	s.now, s.after = time.Now, func(d time.Duration, do func()) { time.AfterFunc(d, do) }
	s.IsPiped = s.piped
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

// EndsWith sets the channel that is closed when the run is over: then output no
// longer waits for readers.
func (s *Screen) EndsWith(ended <-chan struct{}) {
	for _, o := range s.outlets {
		o.ended = ended
	}
}

// Terminal returns a file to draw on for a person who types at in.
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

// Columns returns how wide text on standard output may be; 0 if that is not a
// terminal.
func (s *Screen) Columns() int {
	return min(s.sizeOf(s.files[0]).columns, maxColumns)
}

// Stdout writes to standard output. It is not an error if the reader has gone away:
// the turn continues and is stored.
func (s *Screen) Stdout() io.Writer { return s.out }

// Answer is like Stdout, for the model's answer.
func (s *Screen) Answer() io.Writer {
	w := s.out
	w.answer = true
	return w
}

// Stderr writes chibi's own messages to standard error.
func (s *Screen) Stderr() io.Writer { return s.err }

// Plugins writes the diagnostics of plugins to standard error. If that is a
// terminal, colours and progress lines stay and other control sequences are
// removed.
func (s *Screen) Plugins() io.Writer { return s.plugins }

// Pause leaves the terminal to somebody else until the returned function is called: no status
// line is drawn, and what chibi prints there is held back; what plugins write is not, as it may
// be their question. Later output starts on a new line, as the position of the cursor is
// unknown.
func (s *Screen) Pause() (resume func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.hide()
	s.liftDraft()
	s.mark(false)
	s.paused++
	return sync.OnceFunc(func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.paused--
		s.mark(true)
		s.inLine, s.loose = false, true
		s.release()
		if !s.shown {
			s.show()
		}
	})
}

// MarkPastes has a terminal mark what is pasted, while nobody else has it, until the returned function is
// called or ctx ends.
func (s *Screen) MarkPastes(ctx context.Context, terminal *os.File) (end func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.marking = terminal
	s.mark(true)
	unmark := func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.mark(false)
		s.marking = nil
	}
	stop := context.AfterFunc(ctx, unmark)
	return func() { stop(); unmark() }
}

// mark has the terminal mark what is pasted, or not, unless somebody else has it.
func (s *drawing) mark(on bool) {
	if s.marking != nil && s.paused == 0 {
		io.WriteString(s.marking, map[bool]string{true: "\x1b[?2004h", false: "\x1b[?2004l"}[on])
	}
}

// Hold holds back everything that would be printed on the terminal, what plugins write
// included, until the returned function is called.
func (s *Screen) Hold() (release func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.silent++
	return sync.OnceFunc(func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.silent--
		s.release()
	})
}

// AtPrompt starts a line for what a person types. The person ends it, so the next
// output is at the beginning of a line.
func (s *Screen) AtPrompt() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.hide()
	s.liftDraft()
	if s.loose || s.begun && s.piped {
		s.freshLine()
	}
	s.begun, s.inLine = false, false
}

// Close removes the status line and ends an unfinished line, as a shell expects.
func (s *Screen) Close() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.status, s.paused, s.silent = false, 0, 0
	s.mark(false)
	s.release()
	s.hide()
	s.leaveDraft()
	if s.loose {
		s.freshLine()
	}
	s.endColours(nil)
}

// Arrived returns the error of a run, or, if there is none, an error if output was
// lost that a program or a file expects, as on a full disk.
func (s *Screen) Arrived(err error) error {
	s.mu.Lock()
	lost := s.outlets[0].lost
	s.mu.Unlock()
	if err != nil || lost == nil {
		return err
	}
	if where, ok := errors.AsType[*fs.PathError](lost); ok {
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

// Waiting shows what is being waited for, until the returned function is called.
func (s *Screen) Waiting(what string) func() {
	s.mu.Lock()
	defer s.mu.Unlock()
	w := &wait{what: what, since: s.now()}
	s.waits = append(s.waits, w)
	s.show()
	return sync.OnceFunc(func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.waits = slices.DeleteFunc(s.waits, func(other *wait) bool { return other == w })
		if len(s.waits) == 0 {
			s.endDiagnostics()
		}
		s.hide()
		s.show()
	})
}

// maxAside bounds the part of a text, in bytes, that is processed for a line on the
// terminal.
const maxAside = 4 << 10

// Aside prints a dim line about what happens, truncated to the width of the
// terminal. It prints on standard error if that is a terminal, unless a program
// reads standard output that may draw on the same terminal, as a pager does.
func (s *Screen) Aside(text string) {
	s.asides([]string{text}, term.Line)
}

// Rows prints dim rows of a foreign text where Aside prints lines, each cut to the width of
// the terminal.
func (s *Screen) Rows(rows []string) { s.asides(rows, term.Row) }

func (s *Screen) asides(texts []string, clean func(string) string) {
	if !s.err.terminal || s.piped || s.Quiet {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, text := range texts {
		s.err.print(dim(s.fit(clean(text[:min(len(text), maxAside)]))) + "\n")
	}
}

// IsTerminal reports whether a file is a terminal.
func IsTerminal(f *os.File) bool { return tty.IsTerminal(int(f.Fd())) }
