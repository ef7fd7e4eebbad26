package cli

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"sync"

	"golang.org/x/term"
)

// screen owns the standard streams: what is printed never mixes with the
// status line, and plugins that write at the same time do not tear lines.
type screen struct {
	files  [2]*os.File // standard output and standard error
	mu     sync.Mutex
	out    io.Writer
	err    io.Writer
	status bool     // stderr is a terminal: a status line is shown
	width  int      // of that terminal
	shared bool     // stdout is a terminal too
	json   bool     // lines on stderr are JSON objects
	inLine bool     // the last output to a terminal did not end its line
	shown  bool     // the status line is on the terminal now
	waits  []string // what is being waited for
}

func newScreen(stdout, stderr *os.File) *screen {
	s := &screen{files: [2]*os.File{stdout, stderr}, out: stdout, err: stderr, shared: term.IsTerminal(int(stdout.Fd()))}
	if term.IsTerminal(int(stderr.Fd())) && os.Getenv("TERM") != "dumb" {
		s.status = true
		s.width, _, _ = term.GetSize(int(stderr.Fd()))
	}
	return s
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

// coloured says whether text on standard output is coloured: on a terminal,
// unless NO_COLOR is set.
func (s *screen) coloured() bool {
	return s.shared && os.Getenv("NO_COLOR") == "" && os.Getenv("TERM") != "dumb"
}

// plain is text without colours, where none are wanted.
func (s *screen) plain(text []byte) []byte {
	if s.coloured() {
		return text
	}
	return colour.ReplaceAll(text, nil)
}

// columns is how wide text on standard output may be; 0 if that is no terminal.
func (s *screen) columns() int {
	width, _, err := term.GetSize(int(s.files[0].Fd()))
	if err != nil {
		return 0
	}
	return min(width, maxColumns)
}

// Stdout writes to standard output. A reader that went away is no error: the
// turn goes on and is stored.
func (s *screen) Stdout() io.Writer { return stream{s, s.out, s.shared} }

// Stderr writes to standard error.
func (s *screen) Stderr() io.Writer { return stream{s, s.err, s.status} }

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
	if s.status {
		text = string(harmless([]byte(text)))
	}
	w := s.Stderr()
	s.mu.Lock()
	begun := s.inLine && s.status
	s.mu.Unlock()
	if begun {
		text = "\n" + text
	}
	io.WriteString(w, text+"\n")
}

// waiting shows what is being waited for until the returned function is called.
func (s *screen) waiting(what string) func() {
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
		s.hide()
		s.show()
	})
}

// show draws the status line, unless a begun line of output is in the way.
func (s *screen) show() {
	if !s.status || s.inLine || len(s.waits) == 0 {
		return
	}
	text := []rune("waiting for " + strings.Join(s.waits, ", "))
	if s.width > 4 && len(text) > s.width-1 {
		text = append(text[:s.width-4], []rune("...")...)
	}
	fmt.Fprintf(s.err, "\r\x1b[K\x1b[2m%s\x1b[0m", string(text))
	s.shown = true
}

// hide removes the status line.
func (s *screen) hide() {
	if s.shown {
		io.WriteString(s.err, "\r\x1b[K")
		s.shown = false
	}
}

// stream is one of the standard streams seen through the screen.
type stream struct {
	*screen
	to       io.Writer
	terminal bool
}

// Write prints without mixing with the status line.
func (w stream) Write(p []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.hide()
	if w.terminal && w.to == w.out {
		w.to.Write(w.plain(harmless(p)))
	} else {
		w.to.Write(p)
	}
	if w.terminal && len(p) > 0 {
		w.inLine = p[len(p)-1] != '\n'
	}
	w.show()
	return len(p), nil
}
