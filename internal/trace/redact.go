package trace

import (
	"bytes"
	"regexp"
	"strings"

	"github.com/chibi-host/chibi/internal/strictjson"
)

// Redactor removes secrets from lines: the texts that it was given, what the
// patterns match, and keys of well-known shapes.
type Redactor struct {
	secrets  []string
	patterns []*regexp.Regexp
	shapes   *shapes
}

// NewRedactor returns a redactor for these texts, what the patterns match, and
// every key that is known by its shape.
func NewRedactor(secrets []string, patterns []*regexp.Regexp) *Redactor {
	r := &Redactor{patterns: patterns, shapes: newShapes()}
	for _, s := range secrets {
		if len(s) >= shortest {
			r.secrets = append(r.secrets, s)
		}
	}
	return r
}

// Line returns a line of JSON without secrets.
func (r *Redactor) Line(line []byte) []byte {
	return walk(line, func(name, text string) string { return r.value(name, text, 0) })
}

func (r *Redactor) value(name, text string, depth int) string {
	if isSecretName(name) {
		return redacted
	}
	if depth < maxNesting && strings.Contains(text, `"`) {
		// JSON within a text, as a call's arguments: names count, and escapes hide nothing.
		text = string(walk([]byte(text), func(name, inner string) string { return r.value(name, inner, depth+1) }))
	}
	return r.text(text)
}

func (r *Redactor) text(text string) string {
	for _, s := range r.secrets {
		text = strings.ReplaceAll(text, s, redacted)
	}
	text = r.shapes.hide(text)
	for _, p := range r.patterns {
		text = p.ReplaceAllString(text, redacted)
	}
	return text
}

// isSecretName reports whether a member, header or variable of this name is a
// secret: authorization, api_key and names that end in them.
func isSecretName(name string) bool {
	if len(name) < len("apikey") {
		return false
	}
	name = strings.ToLower(name)
	if name == "authorization" || name == "proxy-authorization" {
		return true
	}
	for _, key := range []string{"apikey", "api_key", "api-key"} {
		if before, ok := strings.CutSuffix(name, key); ok &&
			(before == "" || strings.HasSuffix(before, "_") || strings.HasSuffix(before, "-")) {
			return true
		}
	}
	return false
}

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
