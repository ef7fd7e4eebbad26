package term

import (
	"fmt"
	"io"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// The joiners that scripts and emoji use.
const (
	nonJoiner = '\u200c'
	joiner    = '\u200d'
)

// invisible reports whether a character that is not a control character is invisible or
// changes how others are shown.
func invisible(c rune) bool {
	if c < 0xad || c == nonJoiner || c == joiner || unicode.Is(unicode.Prepended_Concatenation_Mark, c) {
		return false
	}
	return unicode.In(c, unicode.Cf, unicode.Zl, unicode.Zp, unicode.Other_Default_Ignorable_Code_Point)
}

// printable reports whether a character may be shown unquoted in a name, where no character
// may look like another one.
func printable(c rune) bool {
	return unicode.IsPrint(c) && c != unicode.ReplacementChar &&
		!unicode.In(c, unicode.Variation_Selector, unicode.Other_Default_Ignorable_Code_Point)
}

// Name returns a name, for example of a file, for a message. A name with characters that
// are not printable, which could look like another name or like several, is quoted.
func Name(name string) string {
	if !strings.ContainsFunc(name, func(c rune) bool { return !printable(c) }) {
		return name
	}
	return `"` + escape(name, `"\`) + `"`
}

// Visible returns a text on one line in which every character that is not printable is
// shown as an escape: for a person who must see what a text does.
func Visible(text string) string { return escape(text, "") }

func escape(text, others string) string {
	var b strings.Builder
	for text != "" {
		c, size := utf8.DecodeRuneInString(text)
		first := text[:size]
		text = text[size:]
		if !printable(c) || strings.ContainsRune(others, c) {
			quoted := strconv.QuoteToASCII(first)
			first = quoted[1 : len(quoted)-1]
		}
		b.WriteString(first)
	}
	return b.String()
}

// Clip shortens a text to at most so many characters, including "..." at the end.
func Clip(text string, most int) string {
	runes := []rune(text)
	if len(runes) <= most {
		return text
	}
	return string(runes[:max(0, most-3)]) + "..."
}

// Line returns a text as one line: white space becomes single spaces, and characters that
// are not printable are removed.
func Line(text string) string {
	return strings.Map(shown, strings.Join(strings.Fields(Plain(text)), " "))
}

// Row returns a line of a foreign text as a row of a terminal: what was written over the
// beginning of the line is all that is left of it, tabs become spaces, and sequences and
// characters that are not printable are removed.
func Row(line string) string {
	line = strings.TrimRight(line, "\r\n")
	line = line[strings.LastIndexByte(line, '\r')+1:]
	var b strings.Builder
	f := Filter{To: &b}
	io.WriteString(&f, strings.ReplaceAll(line, "\t", "    "))
	f.Close()
	return strings.Map(shown, b.String())
}

// shown returns a character that may be shown in a text, -1 for others.
func shown(c rune) rune {
	if !printable(c) && c != nonJoiner && c != joiner {
		return -1
	}
	return c
}

// ShellWord returns a text as one word of a shell command that a person may copy: quoted if
// necessary, and with the escapes of bash and similar shells if it contains characters
// that are not printable.
func ShellWord(text string) string {
	const plain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._/-+,:@%"
	switch {
	case text != "" && strings.Trim(text, plain) == "":
		return text
	case Name(text) == text:
		return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'"
	}
	var b strings.Builder
	for rest := text; rest != ""; {
		_, size := utf8.DecodeRuneInString(rest)
		c := rest[:size]
		rest = rest[size:]
		if c != "'" && c != `\` && Name(c) == c {
			b.WriteString(c)
			continue
		}
		for i := range size {
			fmt.Fprintf(&b, `\x%02x`, c[i])
		}
	}
	return "$'" + b.String() + "'"
}
