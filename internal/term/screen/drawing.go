package screen

import (
	"io"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/chibi-host/chibi/internal/term"
	"github.com/chibi-host/chibi/internal/term/typing"
	"github.com/mattn/go-runewidth"
	tty "golang.org/x/term"
)

// The rules of the status line:
//
//   - It starts at the beginning of a line, and the cursor is left there: what
//     others write meanwhile, such as a plugin's question or what a person types,
//     is written over it. It is erased from the cursor on, so that nothing of
//     theirs is erased.
//   - It is not drawn after an unfinished line of ours, nor while a plugin has the
//     terminal, nor from the background, where the line belongs to the shell.
//   - Once an answer has begun on a standard output that is not a terminal, it
//     draws no status line: whoever reads the answer may print it on the same terminal
//     at any time, as tee does.

// drawing is the state of the terminal, and who may write to it.
type drawing struct {
	files      [2]*os.File // standard output and standard error
	outlets    [2]*outlet  // the writers of the files
	quiet      *bool
	mu         sync.Mutex
	out        stream
	err        stream
	plugins    stream              // standard error as plugins write to it
	colours    []*term.Filter      // the filters whose texts may leave a colour set
	status     bool                // status lines are shown on standard error
	paused     int                 // how many have exclusive use of the terminal
	marking    io.Writer           // the terminal that marks what is pasted; nil: none does
	silent     int                 // how many want nothing printed meanwhile
	held       []func()            // what prints what was held back
	heldBytes  int                 // of its text
	shared     bool                // stdout is also a terminal
	piped      bool                // stdout goes to a program, which may print on the terminal
	begun      bool                // an answer has begun on a stdout that is not a terminal
	loose      bool                // others may have written over the status line
	inLine     bool                // the last output to a terminal did not end its line
	shown      bool                // the status line is on the terminal now
	waits      []*wait             // what is being waited for
	draft      *Draft              // the answer whose last rows are drawn anew; nil if there is none
	sizeOf     func(*os.File) size // the size of a terminal
	colourless bool                // text on standard output has no colours

	now     func() time.Time
	after   func(time.Duration, func()) // calls a function after a time
	ticking bool                        // it will
}

// wait is something that is being waited for.
type wait struct {
	what  string
	since time.Time
}

// text returns what is waited for, and how long: in whole seconds, from the third on.
func (w *wait) text(now time.Time) string {
	text := term.Line(w.what)
	if took := now.Sub(w.since).Truncate(time.Second); took >= 3*time.Second {
		text += " " + took.String()
	}
	return text
}

// show draws the status line, unless others may be using its line, or the draft of an
// answer.
func (s *drawing) show() {
	if s.draft != nil {
		s.draft.show()
		return
	}
	if !s.status || *s.quiet || s.begun || s.inLine || s.paused > 0 || len(s.waits) == 0 ||
		!typing.InForeground(s.files[1]) {
		return
	}
	var names []string
	for _, w := range s.waits {
		names = append(names, w.text(s.now()))
	}
	text := s.fit("waiting for " + strings.Join(names, ", "))
	s.endColours(nil)
	s.freshLine()
	io.WriteString(s.outlets[1], dim(text)+"\r")
	s.shown = true
	if !s.ticking {
		s.ticking = true
		s.after(time.Second, s.tick)
	}
}

// tick draws the status line again, for the time that it shows.
func (s *drawing) tick() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.ticking = false
	if s.shown {
		s.hide()
		s.show()
	}
}

func (s *drawing) hide() {
	if !s.shown {
		return
	}
	if typing.InForeground(s.files[1]) {
		io.WriteString(s.outlets[1], "\x1b[K")
	}
	s.shown, s.loose = false, true
}

// fit truncates a line of ours to the width of the terminal on standard error.
func (s *drawing) fit(line string) string {
	width := s.sizeOf(s.files[1]).columns
	if width <= 4 {
		width = 80
	}
	return runewidth.Truncate(line, width-1, "...")
}

func dim(line string) string {
	if os.Getenv("NO_COLOR") != "" || isDumb() {
		return line
	}
	return "\x1b[2m" + line + "\x1b[0m"
}

// sizeOf returns the size of a terminal, zero if that is unknown.
func sizeOf(f *os.File) size {
	columns, rows, err := tty.GetSize(int(f.Fd()))
	if err != nil {
		return size{}
	}
	return size{columns, rows}
}

func (s *drawing) beginLine() {
	switch {
	case s.loose || s.begun && s.piped:
		s.freshLine()
	case s.inLine:
		io.WriteString(s.err.to, "\n")
	}
}

// freshLine starts a new line where the column of the cursor is unknown: blanks
// over the width of a line wrap to the next one unless the cursor was at the
// beginning. They overwrite nothing before the cursor.
func (s *drawing) freshLine() {
	s.loose = false
	i := s.drawn()
	if i < 0 {
		return
	}
	erase := "\r"
	if !isDumb() {
		erase = "\r\x1b[K"
	}
	text := "\n"
	if columns := s.sizeOf(s.files[i]).columns; columns > 0 {
		text = strings.Repeat(" ", columns) + erase
	}
	io.WriteString(s.outlets[i], text)
}

// drawn returns which of the standard streams is the terminal that is drawn on: an
// index of files, -1 for none.
func (s *drawing) drawn() int {
	switch {
	case s.err.terminal:
		return 1
	case s.shared:
		return 0
	}
	return -1
}

func isDumb() bool { return os.Getenv("TERM") == "dumb" }

func isPipe(f *os.File) bool {
	info, err := f.Stat()
	return err == nil && info.Mode()&(os.ModeNamedPipe|os.ModeSocket) != 0
}
