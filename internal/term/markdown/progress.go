package markdown

import (
	"bytes"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/chibi-host/chibi/internal/clip"
)

// progress is the block that arrives: its text, and what its lines have shown so far.
type progress struct {
	text  []byte // begins with head; the last line may be incomplete
	line  int    // where the last line begins
	marks int    // the weight of its marks
	known bool   // the last line is known to be a part of this block
	kind  kind
	fence string // of code within the block, as in a list; "" outside
	blank bool   // the last whole line is blank
	items bool   // it has items of a list
	// head is what is repeated from the part that is already drawn, for the parser: the
	// opening of code within a list, the header of a table.
	head int
	// rest means that it continues a block whose beginning is drawn.
	rest bool
	gap  bool // a blank line is between the two
	// code is the line that opened code within the block; table the header of a table with
	// its second line.
	code, table []byte
}

type verdict int

const (
	undecided verdict = iota
	continues
	begins
)

// judge returns whether the last line begins a new block. Only what holds whatever follows
// begins one: a line after a blank one, and lines that end a paragraph or an item.
func (b *progress) judge(whole bool) (verdict, kind) {
	line := b.text[b.line:]
	if b.line == b.head && !b.rest || b.fence != "" || isBlank(line[:min(1, len(line))]) && len(line) > 0 {
		return continues, paragraph
	}
	k := kindOf(line, whole)
	if b.kind == paragraph && k == item && len(bytes.TrimSpace(line)) == 1 {
		k = paragraph // it underlines a heading
	}
	special := k == item || k == fence || k == quote || k == heading
	switch {
	case k == unclear || len(line) == 0:
		return undecided, k
	case b.kind == heading,
		b.kind == paragraph && special,
		b.kind == item && (k == item || k == fence),
		b.blank && !(b.items && k == item):
		return begins, k
	}
	return continues, k
}

// marks returns the weight of the marks in a text: how much time the parser needs for them.
func marks(text []byte) (weight int) {
	for i, c := range text {
		switch c {
		case '[', '`':
			weight += 4
			if c == '[' && i > 0 && text[i-1] == '!' { // an image, which is looked for twice
				weight += 8
			}
		case '*', '_', '~':
			weight++
		}
	}
	return weight
}

func isBlank(text []byte) bool { return len(bytes.TrimSpace(text)) == 0 }

func (b *progress) endLine() {
	line := b.text[b.line:]
	trimmed := bytes.TrimSpace(line)
	first := b.line == b.head && !b.rest
	switch {
	case b.fence != "":
		if isFenceEnd(trimmed, b.fence) {
			b.fence = ""
		}
	case len(trimmed) == 0:
		b.blank = true
	default:
		b.blank = false
		b.items = b.items || marker(trimmed) != ""
		b.noteKind(line, first)
		if b.fence = fenceOf(trimmed); b.fence != "" {
			b.code = append(bytes.Clone(line), '\n')
		}
	}
	b.text = append(b.text, '\n')
	b.line, b.known = len(b.text), false
}

func (b *progress) noteBeginning() {
	if b.line == b.head && !b.rest && len(b.text) > b.line {
		b.noteKind(b.text[b.line:], true)
	}
}

func (b *progress) noteKind(line []byte, first bool) {
	if first {
		b.kind = kindOf(line, true)
		if isBlank(line[:1]) {
			b.kind = other
		}
	}
	if b.kind != paragraph && b.kind != other || bytes.IndexByte(line, '|') < 0 {
		return
	}
	b.kind = other // perhaps a table
	if before := b.lineBefore(); !b.rest && b.table == nil && isUnderline(line) && bytes.IndexByte(before, '|') >= 0 {
		b.table = append(bytes.Clone(before), append(line, '\n')...)
	}
}

func (b *progress) lineBefore() []byte {
	if b.line == 0 {
		return nil
	}
	return b.text[bytes.LastIndexByte(b.text[:b.line-1], '\n')+1 : b.line]
}

// isUnderline reports whether a line divides the header of a table from its rows.
func isUnderline(line []byte) bool {
	return bytes.IndexByte(line, '-') >= 0 && len(bytes.Trim(line, "|:- \t\r")) == 0
}

// goesOn reports whether no blank line belongs before the block, which may be an item of a
// list.
func (b *progress) goesOn(l *listing) bool {
	if b.rest {
		return !b.gap
	}
	return l.items > 0
}

// maxTries bounds the search for a word where a line is cut.
const maxTries = 20

// cutAt returns where a block that is too large is cut: before its last line, or, if that
// is all there is, before one of the last words of it.
func (b *progress) cutAt(words int) int {
	if b.line > b.head {
		return b.line
	}
	at := len(b.text)
	for range words {
		i := bytes.LastIndexAny(b.text[b.head:at], " \t")
		if i < 0 {
			break
		}
		at = b.head + i
	}
	// What follows must not look like the beginning of another block.
	for range maxTries {
		if next, _ := utf8.DecodeRune(b.text[min(at+1, len(b.text)):]); at > b.head && unicode.IsLetter(next) {
			return at
		}
		at = b.head + max(0, bytes.LastIndexAny(b.text[b.head:at], " \t"))
	}
	return len(b.text) - incomplete(b.text[b.head:])
}

// incomplete returns how many bytes at the end of a text are the beginning of a character.
func incomplete(text []byte) int { return len(text) - clip.Whole(text) }

// before returns the text of a block up to a place, with what closes it for the parser.
func (b *progress) before(at int) string {
	text := string(b.text[:at])
	if b.fence == "" {
		return text
	}
	margin := len(b.code) - len(bytes.TrimLeft(b.code, " "))
	return strings.TrimSuffix(text, "\n") + "\n" + strings.Repeat(" ", margin) + b.fence + "\n"
}

// goOn makes the block its own rest, from a place on.
func (b *progress) goOn(at int) {
	within := at > b.line
	head := b.table
	if b.fence != "" {
		head = b.code
	}
	text := bytes.Clone(head)
	if within && b.kind == quote {
		text = append(text, "> "...)
	}
	rest := b.text[at:]
	if within {
		rest = bytes.TrimLeft(rest, " \t")
	}
	b.text, b.head, b.line = append(text, rest...), len(head), len(head)
	b.marks = marks(rest)
	b.rest, b.gap, b.known = true, b.blank && !within, b.known || within
}
