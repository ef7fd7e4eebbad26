package markdown

import (
	"bytes"
	"strings"
	"unicode"
	"unicode/utf8"
)

// maxTries bounds the search for a word before which a line is cut.
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
func incomplete(text []byte) int {
	for n := 1; n < utf8.UTFMax && n <= len(text); n++ {
		if last := text[len(text)-n:]; utf8.RuneStart(last[0]) {
			if utf8.FullRune(last) {
				return 0
			}
			return n
		}
	}
	return 0
}

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
