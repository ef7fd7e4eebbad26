package output

import (
	"io"
	"strings"

	"github.com/chibi-host/chibi/internal/term"
	"github.com/chibi-host/chibi/internal/term/screen"
)

// wrapper wraps the lines of a help text to the terminal's width or to 80 columns.
// Continuations are aligned with the line's explanation.
type wrapper struct {
	out   io.Writer
	width int
	rest  string // of a line that is not whole yet
}

// HelpWidth returns the width of help: the width of the terminal, or 80 columns.
func HelpWidth(s *screen.Screen) int {
	if columns := s.Columns(); columns > 0 {
		return columns
	}
	return 80
}

// HelpWriter writes help on standard output.
func HelpWriter(s *screen.Screen) io.Writer {
	return &wrapper{out: s.Stdout(), width: HelpWidth(s)}
}

func (w *wrapper) Write(b []byte) (int, error) {
	text := w.rest + string(b)
	whole := strings.LastIndex(text, "\n") + 1
	w.rest = text[whole:]
	_, err := io.WriteString(w.out, Wrap(text[:whole], w.width))
	return len(b), err
}

// Wrap wraps each line of a text.
func Wrap(text string, width int) string {
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		lines[i] = wrapLine(line, width)
	}
	return strings.Join(lines, "\n")
}

// leastColumn is the least width of the column of explanations; on a narrower
// terminal an explanation gets a line of its own.
const leastColumn = 24

// wrapLine wraps one line. The continuation of " --flag what it does" is aligned
// with the explanation; the continuation of other lines is indented a little. A command to copy
// stays as it is.
func wrapLine(line string, width int) string {
	text := strings.TrimLeft(line, " ")
	indent := len(line) - len(text)
	head, column := line[:indent], indent+3
	if i := strings.Index(text, "  "); i >= 0 {
		text = strings.TrimLeft(text[i:], " ")
		column = len(line) - len(text)
		head = line[:column]
	} else if indent > 0 && strings.HasPrefix(text, "chibi ") {
		return line
	}
	if len(line) <= width {
		return line
	}
	if width-column < leastColumn {
		column = indent + 6
		head = strings.TrimRight(head, " ") + "\n" + strings.Repeat(" ", column)
	}
	return head + term.Fill(text, width, column, len(head)-strings.LastIndex(head, "\n")-1)
}
