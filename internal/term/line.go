package term

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// The joiners that scripts and emoji are written with.
const (
	nonJoiner = '\u200c'
	joiner    = '\u200d'
)

// invisible reports whether a character that is no control changes how others
// look or is not seen at all.
func invisible(c rune) bool {
	switch {
	case c < 0xad || c == nonJoiner || c == joiner || unicode.Is(unicode.Prepended_Concatenation_Mark, c):
		return false
	}
	return unicode.In(c, unicode.Cf, unicode.Zl, unicode.Zp, unicode.Other_Default_Ignorable_Code_Point)
}

// printable reports whether a character may stand in a name as it is: there,
// nothing may look like something else.
func printable(c rune) bool {
	return unicode.IsPrint(c) && c != unicode.ReplacementChar &&
		!unicode.In(c, unicode.Variation_Selector, unicode.Other_Default_Ignorable_Code_Point)
}

// Name is a name, as of a file, in which nothing is hidden: one that holds
// anything but printable characters, which could look like several or like
// another one, is quoted.
func Name(name string) string {
	if !strings.ContainsFunc(name, func(c rune) bool { return !printable(c) }) {
		return name
	}
	var b strings.Builder
	b.WriteByte('"')
	for rest := name; rest != ""; {
		c, size := utf8.DecodeRuneInString(rest)
		first := rest[:size]
		rest = rest[size:]
		if !printable(c) || c == '"' || c == '\\' {
			quoted := strconv.QuoteToASCII(first)
			first = quoted[1 : len(quoted)-1]
		}
		b.WriteString(first)
	}
	b.WriteByte('"')
	return b.String()
}

// Clip shortens a text to so many characters, of which three say that it goes on.
func Clip(text string, most int) string {
	runes := []rune(text)
	if len(runes) <= most {
		return text
	}
	return string(runes[:max(0, most-3)]) + "..."
}

// Line is a text as one line: its white space becomes single spaces, and what is
// not printable goes.
func Line(text string) string {
	return strings.Map(func(c rune) rune {
		if !printable(c) && c != nonJoiner && c != joiner {
			return -1
		}
		return c
	}, strings.Join(strings.Fields(Plain(text)), " "))
}
