package term

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// ShellWord is a text as one word of a command that a person may copy, in which
// nothing is hidden: quoted where a shell would take it apart, and with escapes, as
// bash and its like know them, where it holds what cannot be seen.
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
