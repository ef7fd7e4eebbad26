package term

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

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
