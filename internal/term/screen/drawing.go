package screen

import (
	"io"
	"os"
	"strings"
	"sync"

	"github.com/chibi-host/chibi/internal/term"
	"github.com/mattn/go-runewidth"
	"golang.org/x/sys/unix"
	tty "golang.org/x/term"
)

// The rules of the status line:
//
//   - It begins a line, and the cursor stands at its begin: what others write
//     meanwhile, as a plugin's question or what a person types, is written over
//     it. Erasing it begins at the cursor, so that it takes nothing of theirs.
//   - It is not drawn behind a begun line of ours, not while a plugin has the
//     terminal, and not from the background, where the line is the shell's.
//   - Once an answer has begun on a standard output that is no terminal there is
//     none: whoever reads the answer may print it on the same terminal at any
//     time, as tee does.

// drawing is what is on the terminal now, and who may write to it.
type drawing struct {
	files   [2]*os.File // standard output and standard error
	outlets [2]*outlet  // where they are written
	quiet   *bool
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
	loose   bool           // somebody may have written where the status line was
	inLine  bool           // the last output to a terminal did not end its line
	shown   bool           // the status line is on the terminal now
	waits   []string       // what is being waited for
}

// show draws the status line, unless its line may be somebody else's.
func (s *drawing) show() {
	if !s.status || *s.quiet || s.begun || s.inLine || s.paused > 0 || len(s.waits) == 0 || !inForeground(s.files[1]) {
		return
	}
	var names []string
	for _, what := range s.waits {
		names = append(names, term.Line(what))
	}
	text := s.fit("waiting for " + strings.Join(names, ", "))
	s.endColours(nil)
	s.freshLine()
	io.WriteString(s.outlets[1], dim(text)+"\r")
	s.shown = true
}

// hide removes the status line.
func (s *drawing) hide() {
	if !s.shown {
		return
	}
	if inForeground(s.files[1]) {
		io.WriteString(s.outlets[1], "\x1b[K")
	}
	s.shown, s.loose = false, true
}

// fit cuts a line of ours to the width of the terminal on standard error.
func (s *drawing) fit(line string) string {
	width := width(s.files[1])
	if width <= 4 {
		width = 80
	}
	return runewidth.Truncate(line, width-1, "...")
}

// dim is a line of ours as it stands behind what matters more.
func dim(line string) string {
	if os.Getenv("NO_COLOR") != "" || isDumb() {
		return line
	}
	return "\x1b[2m" + line + "\x1b[0m"
}

// width is how many columns a terminal has, 0 if that is not known.
func width(f *os.File) int {
	width, _, err := tty.GetSize(int(f.Fd()))
	if err != nil {
		return 0
	}
	return width
}

// beginLine begins a line on the terminal, unless one begins there already.
func (s *drawing) beginLine() {
	switch {
	case s.loose || s.begun && s.piped:
		s.freshLine()
	case s.inLine:
		io.WriteString(s.err.to, "\n")
	}
}

// freshLine begins a line where nobody knows whether one begins there already:
// blanks over the width of a line go on to the next one if the cursor was not at
// the begin of it. They destroy nothing that anybody has written before the
// cursor.
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
	if columns := width(s.files[i]); columns > 0 {
		text = strings.Repeat(" ", columns) + erase
	}
	io.WriteString(s.outlets[i], text)
}

// drawn says which of the standard streams is the terminal that is drawn on: an
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

// isDumb reports whether terminals know no control sequences.
func isDumb() bool { return os.Getenv("TERM") == "dumb" }

// inForeground reports whether this process may draw on a terminal: not in the
// background of a shell, if that is known.
func inForeground(f *os.File) bool {
	group, err := unix.IoctlGetInt(int(f.Fd()), unix.TIOCGPGRP)
	return err != nil || group == unix.Getpgrp()
}

// isPipe reports whether a program receives what is written to a file.
func isPipe(f *os.File) bool {
	info, err := f.Stat()
	return err == nil && info.Mode()&(os.ModeNamedPipe|os.ModeSocket) != 0
}
