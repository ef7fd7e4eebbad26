// Package termtest lets tests check what must not reach a terminal. It is implemented
// independently of the filter that it tests, by searching the filter's output.
package termtest

import (
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"
)

// Kind is a kind of terminal sequence that must be removed.
type Kind struct{ Name, Text string }

// Kinds lists the kinds, each with an example.
func Kinds() []Kind {
	return []Kind{
		{"cursor", "\x1b[2A\x1b[2K"},
		{"private mode", "\x1b[?1049h"},
		{"title", "\x1b]0;title\a"},
		{"clipboard", "\x1b]52;c;ZWNobyBoaQ==\x1b\\"},
		{"device control string", "\x1bPq#0\x1b\\\x1b_app\x1b\\\x1b^private\x1b\\\x1bXstart\x1b\\"},
		{"string without an end", "\x1b]0;never"},
		{"reset and character set", "\x1bc\x1b(0"},
		{"control of two bytes", "\u009b2J\u009d0;t\u009c"},
		{"control of one byte", "\x9b2J\x85"},
		{"bell, backspace, delete", "\a\b\x0e\x7f"},
		{"carriage return", "\rover"},
		{"concealed text", "\x1b[1;8mhidden"},
		{"invisible and turned around", "\u202e\u2066\u200b\ufeff\u2060\u200e"},
	}
}

// All returns the examples of all kinds in one text, on one line.
func All() string {
	var b strings.Builder
	for _, kind := range Kinds() {
		b.WriteString(kind.Text)
	}
	return b.String()
}

// Wrong returns a part of a text that must not reach a terminal, "" if there is none.
// Colours, line breaks and tabs are allowed.
func Wrong(text string) string {
	if !utf8.ValidString(text) {
		return "a byte that is not UTF-8"
	}
	text = strings.ReplaceAll(text, "\r\n", "\n")
	for _, colour := range regexp.MustCompile(`\x1b\[[0-9;:]*m`).FindAllString(text, -1) {
		if conceals(colour) {
			return colour
		}
		text = strings.Replace(text, colour, "", 1)
	}
	return regexp.MustCompile(`[\x00-\x08\x0b-\x1f\x7f-\x{9f}\x{ad}\x{61c}\x{200b}\x{200e}\x{200f}\x{2028}-\x{202e}` +
		`\x{2060}-\x{206f}\x{3164}\x{feff}\x{fff9}-\x{fffb}]|\x{e0041}`).FindString(text)
}

// conceals reports whether a colour sequence contains code 8, not counting parameters of
// other codes.
func conceals(colour string) bool {
	colour = regexp.MustCompile(`[34]8;5;[0-9]*|[34]8;2;[0-9]*;[0-9]*;[0-9]*`).ReplaceAllString(colour, "")
	codes := strings.FieldsFunc(colour, func(c rune) bool { return strings.ContainsRune("\x1b[;m", c) })
	return slices.ContainsFunc(codes, func(code string) bool {
		return regexp.MustCompile(`^0*8(:.*)?$`).MatchString(code)
	})
}
