package cli

import (
	"bytes"
	"regexp"
	"strconv"
	"strings"
	"unicode"
)

// colours are the only escape sequences that reach a terminal: they cannot move
// the cursor, change the title or worse.
var colours = regexp.MustCompile(`^\x1b\[[0-9;]*m`)

// colour is one of them anywhere in a text.
var colour = regexp.MustCompile(`\x1b\[[0-9;]*m`)

// harmless is text for a terminal: what models, tools and files put into it can
// do nothing but be read. A sequence that is cut between two texts does not get
// through.
func harmless(text []byte) []byte {
	clean := make([]byte, 0, len(text))
	for i := 0; i < len(text); i++ {
		b := text[i]
		switch {
		case b == 0x1b && colours.Match(text[i:]):
			end := i + bytes.IndexByte(text[i:], 'm')
			clean = append(clean, text[i:end+1]...)
			i = end
		case b == '\r' && i+1 < len(text) && text[i+1] == '\n', b == '\n', b == '\t':
			clean = append(clean, b)
		case b < ' ' || b == 0x7f:
			clean = append(clean, "\uFFFD"...)
		case b == 0xc2 && i+1 < len(text) && text[i+1] >= 0x80 && text[i+1] <= 0x9f: // controls of two bytes
			clean = append(clean, "\uFFFD"...)
			i++
		default:
			clean = append(clean, b)
		}
	}
	return clean
}

// visible is a name of a file in which nothing is hidden: one with control
// characters, which could look like several or like another one, is quoted.
func visible(name string) string {
	if strings.ContainsFunc(name, func(c rune) bool { return unicode.IsControl(c) || unicode.In(c, unicode.Cf) }) {
		return strconv.Quote(name)
	}
	return name
}
