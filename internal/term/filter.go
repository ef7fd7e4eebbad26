// Package term makes what other people wrote harmless for a terminal: answers
// of models, output of tools, names of files, diagnostics of plugins.
//
// It promises that nothing in such a text can move the cursor, write the
// clipboard, change the title, hide what it says or turn it around, however it
// is cut into pieces, and that it holds a bounded amount of it back. [Filter] is
// for texts of several lines and streams, [Name] and [Line] for what stands in
// a line of ours, [ShellWord] for what stands in a command. The package knows nothing of chibi.
package term

import (
	"io"
	"strings"
	"unicode/utf8"
)

// Mark stands for a control sequence that was taken out.
const Mark = "\uFFFD"

// Filter passes text on to To without control sequences. A sequence is taken
// out as a whole, with what it carries. Newlines, tabs and the joiners that
// scripts and emoji need stay; other characters that nobody can see go without
// a mark.
//
// The zero value passes nothing but text. It is not safe for concurrent use.
type Filter struct {
	// To receives the text.
	To io.Writer
	// Colours lets colours and styles pass, but not the one that conceals.
	Colours bool
	// Returns lets a carriage return pass that is not followed by a newline:
	// progress lines are drawn with it.
	Returns bool
	// Mark is put in the place of each sequence that is taken out.
	Mark string

	state    state
	sequence []byte // the parameters of a control sequence that has begun
	length   int    // of the string that has begun, in bytes
	held     []byte // the beginning of a character
	out      []byte
	styled   bool
}

// state is what a filter is in the middle of.
type state int

const (
	inText     state = iota
	atReturn         // after a carriage return
	inEscape         // after ESC
	inSequence       // after ESC [
	inString         // after ESC ], P, X, ^ or _
	atEnd            // after ESC in such a string
)

const (
	// maxString bounds, in bytes, how much a string without an end swallows; it
	// ends with its line too.
	maxString = 64 << 10
	// maxSequence bounds the parameters of colours.
	maxSequence = 64
)

// Diagnostics is a filter for what programs say while they work: colours and
// progress lines stay, and all else goes without a trace.
func Diagnostics(to io.Writer) *Filter { return &Filter{To: to, Colours: true, Returns: true} }

// Text is a filter for texts: colours stay, and a mark says where more was.
func Text(to io.Writer) *Filter { return &Filter{To: to, Colours: true, Mark: Mark} }

// Plain is a text of any number of lines without colours or anything else that
// a terminal would obey.
func Plain(text string) string {
	var b strings.Builder
	f := Filter{To: &b, Mark: Mark}
	io.WriteString(&f, text)
	f.Close()
	return b.String()
}

// EndColours ends the colours and styles that the text so far has left on, so
// that they do not reach what others write.
func (f *Filter) EndColours() {
	if f.styled {
		f.styled = false
		io.WriteString(f.To, "\x1b[0m")
	}
}

// Write takes the next piece of the text, cut anywhere.
func (f *Filter) Write(p []byte) (int, error) {
	data := p
	if len(f.held) > 0 {
		data = append(f.held, p...)
		f.held = nil
	}
	f.out = f.out[:0]
	for len(data) > 0 {
		if !utf8.FullRune(data) {
			f.held = append([]byte(nil), data...)
			break
		}
		c, size := utf8.DecodeRune(data)
		f.take(c, size)
		data = data[size:]
	}
	if len(f.out) == 0 {
		return len(p), nil
	}
	if _, err := f.To.Write(f.out); err != nil {
		return 0, err
	}
	return len(p), nil
}

// Close ends the text: what follows is not the rest of anything that it began.
// It does not close To.
func (f *Filter) Close() error {
	f.out = f.out[:0]
	switch {
	case f.state == atReturn:
		f.lone()
	case f.state == inEscape || f.state == inSequence:
		f.mark()
	case len(f.held) > 0 && f.state == inText:
		f.out = append(f.out, Mark...)
	}
	f.held, f.state = nil, inText
	if len(f.out) == 0 {
		return nil
	}
	_, err := f.To.Write(f.out)
	return err
}

// take takes one character.
func (f *Filter) take(c rune, size int) {
	switch f.state {
	case atReturn:
		f.state = inText
		if c != '\n' {
			f.lone()
		}
	case atEnd:
		f.state = inEscape
		if c == '\\' {
			f.state = inText
			return
		}
		if f.escaped(c) {
			return
		}
	case inEscape:
		if f.escaped(c) {
			return
		}
	case inSequence:
		if f.parameter(c) {
			return
		}
	case inString:
		if f.carried(c, size) {
			return
		}
	}
	f.text(c, size)
}

// text takes a character that stands for itself, or begins a sequence.
func (f *Filter) text(c rune, size int) {
	switch {
	case c == '\n' || c == '\t':
		f.out = append(f.out, byte(c))
	case c == '\r':
		f.state = atReturn
	case c == '\x1b':
		f.state = inEscape
	case c == '\u009b':
		f.begin(inSequence)
	case isControl(c) && opensString(c-0x40):
		f.begin(inString)
	case isControl(c):
		f.mark()
	case c == utf8.RuneError && size == 1:
		f.out = append(f.out, Mark...)
	case !invisible(c):
		f.out = utf8.AppendRune(f.out, c)
	}
}

// mark marks that something was taken out.
func (f *Filter) mark() { f.out = append(f.out, f.Mark...) }

// lone takes a carriage return without a newline behind it.
func (f *Filter) lone() {
	if f.Returns {
		f.out = append(f.out, '\r')
	} else {
		f.mark()
	}
}

// escaped takes what follows ESC; false: it is text.
func (f *Filter) escaped(c rune) bool {
	switch {
	case c == '[':
		f.begin(inSequence)
	case opensString(c):
		f.begin(inString)
	case c >= ' ' && c <= '/': // more of the same sequence follows
	case c >= '0' && c <= '~':
		f.state = inText
		f.mark()
	default:
		f.state = inText
		f.mark()
		return false
	}
	return true
}

// begin begins a sequence or a string, which is marked at once: no string
// passes.
func (f *Filter) begin(s state) {
	f.state, f.length, f.sequence = s, 0, f.sequence[:0]
	if s == inString {
		f.mark()
	}
}

// parameter takes what follows ESC [; false: it is text.
func (f *Filter) parameter(c rune) bool {
	switch {
	case c >= ' ' && c <= '?':
		if len(f.sequence) <= maxSequence {
			f.sequence = append(f.sequence, byte(c))
		}
		return true
	case c >= '@' && c <= '~':
		f.state = inText
		if c != 'm' || !f.Colours || !f.colour() {
			f.mark()
		}
		return true
	}
	f.state = inText
	f.mark()
	return false
}

// colour passes a colour on; false: there is none.
func (f *Filter) colour() bool {
	codes, ok := harmlessColours(string(f.sequence))
	if !ok {
		return false
	}
	f.out = append(append(append(f.out, "\x1b["...), codes...), 'm')
	f.styled = strings.Trim(codes, "0;") != ""
	return true
}

// carried takes what a string carries; false: it is text. A string ends with
// its terminator, with its line and when it is too long.
func (f *Filter) carried(c rune, size int) bool {
	f.length += size
	switch {
	case c == '\x1b':
		f.state = atEnd
	case c == '\a' || c == '\u009c' || c == '\x18' || c == '\x1a' || f.length > maxString:
		f.state = inText
	case c == '\n':
		f.state = inText
		return false
	}
	return true
}

// opensString reports whether ESC and this character begin a string.
func opensString(c rune) bool {
	return c == ']' || c == 'P' || c == 'X' || c == '^' || c == '_'
}

// isControl reports whether a character is a control of one or two bytes.
func isControl(c rune) bool { return c < ' ' || c >= 0x7f && c <= 0x9f }
