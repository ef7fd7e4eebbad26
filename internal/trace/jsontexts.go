package trace

import (
	"bytes"
	"strings"

	"github.com/chibi-host/chibi/internal/strictjson"
)

// maxNesting is how many texts within texts are looked into.
const maxNesting = 4

// hasEscapedTexts reports whether a text at some depth may be JSON with strings in it
// that are written with escapes, which a search in the text itself would not find.
func hasEscapedTexts(text string, depth int) bool {
	return depth < maxNesting && strings.Contains(text, `\`) && strings.Contains(text, `"`)
}

// isKey is passed instead of a name for strings that are names themselves.
const isKey = "\x00key"

// walk returns a text of JSON with every string replaced by what visit returns for
// it. name is the name of the member whose value the string is, isKey for names, ""
// for elements of lists. Strings are found by their quotes, also in a text that is not
// valid JSON.
func walk(line []byte, visit func(name, text string) string) []byte {
	var out []byte
	done, name, last := 0, "", ""
	for i := 0; i < len(line); {
		switch line[i] {
		case '"':
			end := endOfString(line, i)
			text, ok := unquote(line[i:end])
			if ok {
				if name == "" && isBeforeColon(line, end) {
					name = isKey
				}
				if changed := visit(name, text); changed != text {
					out = append(out, line[done:i]...)
					out = append(out, strictjson.Quote(changed)...)
					done = end
				}
			}
			name, last, i = "", text, end
			continue
		case ':':
			name = last
		case ',', '{', '}', '[', ']':
			name, last = "", ""
		}
		i++
	}
	if done == 0 {
		return line
	}
	return append(out, line[done:]...)
}

// isBeforeColon reports whether the next byte that is not a space is a colon.
func isBeforeColon(line []byte, i int) bool {
	for i < len(line) && (line[i] == ' ' || line[i] == '\t' || line[i] == '\n' || line[i] == '\r') {
		i++
	}
	return i < len(line) && line[i] == ':'
}

func unquote(raw []byte) (text string, ok bool) {
	if len(raw) < 2 || raw[len(raw)-1] != '"' {
		return "", false
	}
	if bytes.IndexByte(raw, '\\') < 0 {
		return string(raw[1 : len(raw)-1]), true
	}
	return text, strictjson.Decode(raw, &text) == nil
}

func endOfString(line []byte, i int) int {
	for j := i + 1; j < len(line); j++ {
		switch line[j] {
		case '\\':
			j++
		case '"':
			return j + 1
		}
	}
	return len(line)
}
