package markdown

import (
	"bytes"
	"strings"
)

// kind is what a line looks like, and with it the block that it begins.
type kind int

const (
	unclear   kind = iota // the line is incomplete and can still be several of the others
	paragraph             // text, or a line that continues a block
	other                 // a table, HTML, indented text: later lines can be anything
	heading
	quote
	item  // of a list
	fence // of a code block
)

// maxOpening bounds the beginning of a line, in bytes, that says what the line is.
const maxOpening = 256

// kindOf returns what a line looks like that is not indented. A fence is known when the line
// is whole.
func kindOf(line []byte, whole bool) kind {
	if len(line) > maxOpening {
		if k := kindOf(line[:maxOpening], true); k != fence {
			return k
		}
		return paragraph
	}
	if len(line) == 0 {
		return unlessWhole(whole)
	}
	switch c := line[0]; {
	case c == '#':
		return headingOr(line, whole)
	case c == '>':
		return quote
	case c == '<' || c == '|':
		return other
	case c == '`' || c == '~':
		return fenceOr(line, whole)
	case c == '-' || c == '+' || c == '*':
		return bulletOr(line, whole)
	case c >= '0' && c <= '9':
		return numberOr(line, whole)
	}
	return paragraph
}

// unlessWhole returns what a line is whose end decides: nothing special if that has come.
func unlessWhole(whole bool) kind {
	if whole {
		return paragraph
	}
	return unclear
}

func headingOr(line []byte, whole bool) kind {
	n := countOf(line, '#')
	switch {
	case n == len(line) && n <= 6:
		return unlessWhole(whole)
	case n <= 6 && line[n] == ' ':
		return heading
	}
	return paragraph
}

func fenceOr(line []byte, whole bool) kind {
	n := countOf(line, line[0])
	switch {
	case n < len(line) && n < 3, line[0] == '`' && bytes.IndexByte(line[n:], '`') >= 0:
		return paragraph
	case whole && n >= 3:
		return fence
	}
	return unlessWhole(whole)
}

// bulletOr tells an item from a rule such as "- - -", and from text.
func bulletOr(line []byte, whole bool) kind {
	if len(line) > 1 && line[1] != ' ' && line[1] != '\t' {
		return paragraph
	}
	switch marks := bytes.Count(line, line[:1]); {
	case len(bytes.TrimLeft(line, string(line[:1])+" \t\r")) > 0:
		return item
	case marks < 3 && len(line) > 1 && whole:
		return item
	}
	return unlessWhole(whole)
}

func numberOr(line []byte, whole bool) kind {
	n := len(marker(line))
	digits := 0
	for digits < len(line) && line[digits] >= '0' && line[digits] <= '9' {
		digits++
	}
	switch {
	case n > 0:
		return item
	case digits < 10 && len(line) <= digits+1 && (len(line) == digits || line[digits] == '.' || line[digits] == ')'):
		return unlessWhole(whole)
	}
	return paragraph
}

// marker returns the bullet or number of an item with the space after it, "" if the line
// begins none.
func marker(line []byte) string {
	digits := 0
	for digits < len(line) && digits < 10 && line[digits] >= '0' && line[digits] <= '9' {
		digits++
	}
	marks := ".)"
	if digits == 0 {
		marks = "-+*"
	}
	if digits > 9 || len(line) < digits+2 || strings.IndexByte(marks, line[digits]) < 0 ||
		line[digits+1] != ' ' && line[digits+1] != '\t' {
		return ""
	}
	return string(line[:digits+2])
}

func countOf(line []byte, c byte) int { return len(line) - len(bytes.TrimLeft(line, string(c))) }

func fenceOf(line []byte) string {
	if kindOf(line, true) != fence {
		return ""
	}
	return string(line[:countOf(line, line[0])])
}

func isFenceEnd(line []byte, fence string) bool {
	return len(line) >= len(fence) && isFenceOnly(line, fence)
}

// isFenceOnly reports whether a line consists of the characters of a fence, and may become
// its end.
func isFenceOnly(line []byte, fence string) bool { return len(bytes.Trim(line, fence[:1])) == 0 }
