package trace

import (
	"regexp"
	"strings"
)

// Redactor removes secrets from lines: the texts that it was given, what the
// patterns match, and keys of well-known shapes.
type Redactor struct {
	secrets  []string
	patterns []*regexp.Regexp
	shapes   *shapes
}

// shortest is the length of the shortest secret: shorter ones would match ordinary
// words.
const shortest = 6

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

const redacted = "[redacted]"

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
