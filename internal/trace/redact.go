package trace

import (
	"encoding/json"
	"regexp"
	"strings"
)

// Redactor takes secrets out of lines.
type Redactor struct {
	secrets  []string
	patterns []*regexp.Regexp
}

// shortest is the length of the shortest secret: shorter ones would take
// ordinary words out.
const shortest = 6

// authorization is the name of a member, header or variable whose value is a
// secret.
var authorization = regexp.MustCompile(`(?i)^(proxy-)?authorization$|^(.*[_-])?api[_-]?key$|^x-api-key$`)

// bearer is an authorization in the middle of a text.
var bearer = regexp.MustCompile(`(?i)(authorization:\s*(?:bearer|basic)?\s*|\bbearer\s+)[A-Za-z0-9._~+/=-]{6,}`)

// NewRedactor takes these texts out, and what the patterns fit.
func NewRedactor(secrets []string, patterns []*regexp.Regexp) *Redactor {
	r := &Redactor{patterns: patterns}
	for _, s := range secrets {
		if len(s) >= shortest {
			r.secrets = append(r.secrets, s)
		}
	}
	return r
}

const redacted = "[redacted]"

// text is a text without secrets.
func (r *Redactor) text(text string) string {
	for _, s := range r.secrets {
		text = strings.ReplaceAll(text, s, redacted)
	}
	text = bearer.ReplaceAllString(text, "${1}"+redacted)
	for _, p := range r.patterns {
		text = p.ReplaceAllString(text, redacted)
	}
	return text
}

// Line is a line of JSON without secrets. Texts that are JSON themselves, as a
// call's arguments, are treated as texts.
func (r *Redactor) Line(line []byte) []byte {
	var out []byte
	name, secret := "", false
	for i := 0; i < len(line); {
		if line[i] != '"' {
			switch line[i] {
			case ':':
				secret = authorization.MatchString(name)
			case ',', '{', '}', '[', ']':
				secret = false
			}
			out = append(out, line[i])
			i++
			continue
		}
		end := endOfString(line, i)
		text, raw := "", line[i:end]
		if json.Unmarshal(raw, &text) == nil {
			changed := r.text(text)
			if secret {
				changed = redacted
			}
			if changed != text {
				raw, _ = json.Marshal(changed)
			}
		}
		out = append(out, raw...)
		name, i = text, end
	}
	return out
}

// endOfString is where the string that begins at i ends.
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
