// Package term makes untrusted text safe to print on a terminal: answers of models, output
// of tools, names of files, diagnostics of plugins.
//
// It promises that such a text cannot move the cursor, write the clipboard, change the
// title, hide or reverse text, however it is split into pieces, and that a bounded amount
// of it is buffered. [Filter] is for streams and texts of several lines, [Name], [Line]
// and [Visible] for text within a line, [ShellWord] for a word of a command. The package is independent
// of chibi.
package term

import (
	"io"
	"strings"
	"unicode/utf8"
)

// Mark replaces a removed control sequence.
const Mark = "\uFFFD"

// Filter writes text to To without control sequences. A sequence is removed as a whole,
// with its string. Newlines, tabs and the joiners that scripts and emoji need are kept;
// other invisible characters are removed without a mark.
//
// With all other fields zero, only text is passed on. It is not safe for concurrent use.
type Filter struct {
	// To receives the text.
	To io.Writer
	// Colours passes colours and styles on, except concealed text.
	Colours bool
	// Returns passes carriage returns on that are not followed by a newline, which
	// progress lines use.
	Returns bool
	// Mark replaces each removed sequence.
	Mark string

	state    state
	sequence []byte // the parameters of an incomplete control sequence
	length   int    // of an incomplete string, in bytes
	held     []byte // an incomplete character
	out      []byte
	styled   bool
}

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
	// maxString bounds, in bytes, a string without an end; it also ends with its line.
	maxString   = 64 << 10
	maxSequence = 64
)

// Diagnostics returns a filter for diagnostic output: colours and progress lines are kept,
// and everything else is removed without a mark.
func Diagnostics(to io.Writer) *Filter { return &Filter{To: to, Colours: true, Returns: true} }

// Text returns a filter for texts: colours are kept, other sequences are marked.
func Text(to io.Writer) *Filter { return &Filter{To: to, Colours: true, Mark: Mark} }

// Plain returns a text of any number of lines without control sequences, including
// colours.
func Plain(text string) string {
	var b strings.Builder
	f := Filter{To: &b, Mark: Mark}
	io.WriteString(&f, text)
	f.Close()
	return b.String()
}

// EndColours resets the colours and styles that the text so far has left on, so that they
// do not affect other output.
func (f *Filter) EndColours() {
	if f.styled {
		f.styled = false
		io.WriteString(f.To, "\x1b[0m")
	}
}

// Write filters the next piece of the text, split anywhere.
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

// Close ends the text, with any incomplete sequence. It does not close To.
func (f *Filter) Close() error {
	f.out = f.out[:0]
	switch {
	case f.state == atReturn:
		f.loneReturn()
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

func (f *Filter) take(c rune, size int) {
	switch f.state {
	case atReturn:
		f.state = inText
		if c != '\n' {
			f.loneReturn()
		}
	case atEnd:
		f.state = inEscape
		if c == '\\' {
			f.state = inText
			return
		}
		if f.afterEscape(c) {
			return
		}
	case inEscape:
		if f.afterEscape(c) {
			return
		}
	case inSequence:
		if f.ofSequence(c) {
			return
		}
	case inString:
		if f.ofString(c, size) {
			return
		}
	}
	f.text(c, size)
}

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

func (f *Filter) mark() { f.out = append(f.out, f.Mark...) }

func (f *Filter) loneReturn() {
	if f.Returns {
		f.out = append(f.out, '\r')
	} else {
		f.mark()
	}
}

// afterEscape processes the character after ESC; false: it is text.
func (f *Filter) afterEscape(c rune) bool {
	switch {
	case c == '[':
		f.begin(inSequence)
	case opensString(c):
		f.begin(inString)
	case c >= ' ' && c <= '/': // intermediate bytes
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

// begin begins a sequence or a string. A string is marked at once, because none is passed
// on.
func (f *Filter) begin(s state) {
	f.state, f.length, f.sequence = s, 0, f.sequence[:0]
	if s == inString {
		f.mark()
	}
}

// ofSequence processes a character of a control sequence, after ESC [; false: it is text.
func (f *Filter) ofSequence(c rune) bool {
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

// colour writes the colour sequence; false: it is not a safe one.
func (f *Filter) colour() bool {
	codes, ok := safeColours(string(f.sequence))
	if !ok {
		return false
	}
	f.out = append(append(append(f.out, "\x1b["...), codes...), 'm')
	f.styled = strings.Trim(codes, "0;") != ""
	return true
}

// ofString processes a character of a string, after ESC ] and the like; false: it is text. A string ends with its
// terminator, at the end of the line, or when it is too long.
func (f *Filter) ofString(c rune, size int) bool {
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

// opensString reports whether ESC followed by this character begins a string.
func opensString(c rune) bool {
	return c == ']' || c == 'P' || c == 'X' || c == '^' || c == '_'
}

// isControl reports whether a character is a C0 or C1 control character.
func isControl(c rune) bool { return c < ' ' || c >= 0x7f && c <= 0x9f }
