package markdown

import (
	"bytes"
	"strings"
)

// Surface is what an answer is drawn on.
type Surface interface {
	// Look returns what the surface is like now. It is called before each piece.
	Look() View
	// Draw replaces the rows of its last call by final text, which is "" or whole lines, and
	// by rows below it that the next call replaces. The last row may be incomplete.
	Draw(final string, rows []string) error
}

// View is what a surface is like.
type View struct {
	// Columns is the width to which text is wrapped; 0: it is not wrapped.
	Columns int
	// Rows is how many rows can be replaced; 0: only final text is drawn.
	Rows int
	// Lost reports that the rows of the last Draw stay as they are, as after the size of
	// the terminal has changed. It is reported once.
	Lost bool
}

// final is the final text that is drawn next.
type final struct {
	text  strings.Builder
	begun bool // something is drawn
}

// put adds lines, with a blank line before them unless they go on with what is drawn.
func (f *final) put(lines []string, goOn bool) {
	if len(lines) == 0 {
		return
	}
	if !goOn {
		f.separate()
	}
	f.text.WriteString(strings.Join(lines, "\n") + "\n")
	f.begun = true
}

func (f *final) separate() {
	if f.begun {
		f.text.WriteByte('\n')
	}
	f.begun = true
}

func (f *final) next() string {
	text := f.text.String()
	f.text.Reset()
	return text
}

// codeBlock is a code block, which is drawn line by line.
type codeBlock struct {
	fence string // "" outside
	lines int    // how many are drawn
	blank int    // empty lines, which are not drawn at the end of the block
}

// take returns what is drawn for a whole line; "" for the end of the block, and for empty
// lines as long as none follows that is not.
func (c *codeBlock) take(line string) string {
	if isFenceEnd(bytes.TrimSpace([]byte(line)), c.fence) {
		c.fence = ""
		return ""
	}
	line = clean(strings.TrimSuffix(line, "\r"))
	if strings.TrimSpace(line) == "" {
		c.blank++
		return ""
	}
	text := strings.Repeat("\n", c.blank) + code(line)[0] + "\n"
	c.lines, c.blank = c.lines+1, 0
	return text
}
