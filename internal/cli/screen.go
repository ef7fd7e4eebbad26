package cli

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"sync"

	"github.com/chibi-host/chibi/internal/term"
	tty "golang.org/x/term"
)

// screen owns the standard streams: what is printed never mixes with the
// status line, plugins that write at the same time do not tear lines, and what
// other people wrote can do nothing to a terminal but be read.
type screen struct {
	files   [2]*os.File // standard output and standard error
	outlets [2]*outlet  // where they are written
	mu      sync.Mutex
	out     stream
	err     stream
	plugins stream         // standard error as plugins write to it
	colours []*term.Filter // the filters whose texts may leave a colour on
	status  bool           // a status line is shown on standard error
	paused  int            // how many have the terminal for themselves
	shared  bool           // stdout is a terminal too
	piped   bool           // stdout goes to a program, which may print on the terminal
	begun   bool           // an answer has begun on a stdout that is no terminal
	json    bool           // lines on stderr are JSON objects
	quiet   bool           // nothing is shown of what happens
	loose   bool           // somebody may have written where the status line was
	inLine  bool           // the last output to a terminal did not end its line
	shown   bool           // the status line is on the terminal now
	waits   []string       // what is being waited for
}

func newScreen(stdout, stderr *os.File) *screen {
	out, err := &outlet{to: stdout, stall: stallTime}, &outlet{to: stderr, stall: stallTime}
	s := &screen{files: [2]*os.File{stdout, stderr}, outlets: [2]*outlet{out, err}, shared: isTerminal(stdout)}
	s.piped = !s.shared && isPipe(stdout)
	s.out, s.err = stream{screen: s, to: out, terminal: s.shared}, stream{screen: s, to: err, terminal: isTerminal(stderr)}
	s.plugins = s.err
	if s.shared && !s.coloured() {
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

// endsWith says when the run is over: nobody who does not read is waited for
// then.
func (s *screen) endsWith(ended <-chan struct{}) {
	for _, o := range s.outlets {
		o.ended = ended
	}
}

// filtered is a filter whose colours end before something else is printed.
func (s *screen) filtered(f *term.Filter) *term.Filter {
	s.colours = append(s.colours, f)
	return f
}

// terminal is a file to draw on for a person who types at in.
func (s *screen) terminal(in *os.File) *os.File {
	for _, f := range []*os.File{s.files[1], s.files[0]} {
		if isTerminal(f) {
			return f
		}
	}
	return in
}

// maxColumns bounds the width of text on a wide terminal, so that it can be
// read.
const maxColumns = 100

// coloured reports whether text on standard output is coloured: on a terminal,
// unless NO_COLOR is set.
func (s *screen) coloured() bool {
	return s.shared && os.Getenv("NO_COLOR") == "" && !isDumb()
}

// columns is how wide text on standard output may be; 0 if that is no terminal.
func (s *screen) columns() int {
	width, _, err := tty.GetSize(int(s.files[0].Fd()))
	if err != nil {
		return 0
	}
	return min(width, maxColumns)
}

// Stdout writes to standard output. A reader that went away is no error: the
// turn goes on and is stored.
func (s *screen) Stdout() io.Writer { return s.out }

// Answer is Stdout for the model's answer.
func (s *screen) Answer() io.Writer {
	w := s.out
	w.answer = true
	return w
}

// Stderr writes to standard error what chibi itself says.
func (s *screen) Stderr() io.Writer { return s.err }

// Plugins writes to standard error what plugins say. If it is a terminal, colours
// and progress lines stay and other controls go, unless raw.
func (s *screen) Plugins(raw bool) io.Writer {
	if raw {
		return s.err
	}
	return s.plugins
}

// pause leaves the terminal to somebody else until the returned function is
// called: no status line is drawn. What comes afterwards begins a line: nobody
// knows where the cursor was left.
func (s *screen) pause() (resume func()) {
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

// atPrompt begins a line for what a person types, who ends it: what was printed
// before is behind them.
func (s *screen) atPrompt() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.hide()
	if s.loose || s.begun && s.piped {
		s.freshLine()
	}
	s.begun, s.inLine = false, false
}

// close leaves the terminal as a shell expects it.
func (s *screen) close() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.status = false
	s.hide()
	if s.loose {
		s.freshLine()
	}
	s.endColours(nil)
}

// arrived is the error of a run, which is one too if what it printed did not arrive
// where a program or a file waits for it: on a full disk.
func (s *screen) arrived(err error) error {
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

// notef prints a sentence for the person on standard error.
func (s *screen) notef(format string, args ...any) {
	s.line("chibi: " + fmt.Sprintf(format, args...))
}

// errorf prints the error that ends the program.
func (s *screen) errorf(format string, args ...any) {
	s.put("error", "chibi: "+fmt.Sprintf(format, args...))
}

// line prints one line on standard error, on a line of its own.
func (s *screen) line(text string) { s.put("diagnostic", text) }

// put is line for one kind of message.
func (s *screen) put(kind, text string) {
	if s.json {
		if data, err := json.Marshal(newMessage(kind, text)); err == nil {
			text = string(data)
		}
	}
	if s.err.terminal {
		text = term.Plain(text)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.err.print(text + "\n")
}

// endDiagnostics ends what a plugin has begun and not ended: the next one's words
// are no part of it.
func (s *screen) endDiagnostics() {
	if f, ok := s.plugins.to.(*term.Filter); ok {
		f.Close()
	}
}

// endColours ends the colours that others than writer have left on.
func (s *screen) endColours(writer io.Writer) {
	for _, f := range s.colours {
		if f != writer {
			f.EndColours()
		}
	}
}

// stream is one of the standard streams seen through the screen.
type stream struct {
	*screen
	to       io.Writer
	terminal bool
	answer   bool // the model's answer is written
}

// Write prints without mixing with the status line.
func (w stream) Write(p []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.write(p)
	return len(p), nil
}

// print prints lines of their own.
func (w stream) print(text string) {
	w.hide()
	if w.terminal {
		w.beginLine()
	}
	w.write([]byte(text))
}

func (w stream) write(p []byte) {
	w.hide()
	w.endColours(w.to)
	if w.terminal && w.loose {
		w.freshLine()
	}
	w.to.Write(p)
	isOut := w.to == w.out.to
	if len(p) > 0 {
		// Of what goes to another program, nobody knows when it is printed.
		w.begun = w.begun || isOut && (w.piped || w.answer && !w.shared)
		if w.terminal || isOut && w.piped {
			w.inLine = p[len(p)-1] != '\n'
		}
	}
	w.show()
}
