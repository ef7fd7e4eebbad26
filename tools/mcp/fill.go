package mcp

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/chibi-host/chibi/tools/mcp/internal/web"
)

// Filled returns a server as it is started or connected to: $NAME, ${NAME} and ${NAME:-else}
// in its command, arguments, directory, variables, address and headers are replaced by the
// result of lookup, and $$ by a dollar sign. else takes the place of a variable that is not set,
// or empty; without it, one that is not set is an error. Every other dollar sign stays. Filled does
// not read filled-in text again. That text is for this use only: chibi neither shows nor stores it.
func (s Server) Filled(lookup func(name string) (value string, ok bool)) (Server, error) {
	f := filler{lookup: lookup}
	s.Command, s.Dir = f.fill("command", s.Command), f.fill("cwd", s.Dir)
	s.Args = slices.Clone(s.Args)
	for i, arg := range s.Args {
		s.Args[i] = f.fill("args", arg)
	}
	s.Env, s.URL, s.Headers = f.table("env", s.Env), f.fill("url", s.URL), f.table("headers", s.Headers)
	s.OAuth.ClientID = f.fill("oauth.client_id", s.OAuth.ClientID)
	s.OAuth.ClientSecret = f.fill("oauth.client_secret", s.OAuth.ClientSecret)
	return s, f.err
}

// filler replaces variables. Its error is the first one.
type filler struct {
	lookup func(string) (string, bool)
	err    error
}

func (f *filler) table(key string, table map[string]string) map[string]string {
	filled := maps.Clone(table)
	for _, name := range slices.Sorted(maps.Keys(table)) {
		filled[name] = f.fill(key+"."+name, table[name])
	}
	return filled
}

func (f *filler) fill(key, text string) string {
	if !strings.Contains(text, "$") {
		return text
	}
	var b strings.Builder
	for {
		before, rest, found := strings.Cut(text, "$")
		b.WriteString(before)
		if !found {
			return b.String()
		}
		ref, ok := reference(rest)
		if !ok {
			b.WriteByte('$')
			text = rest
			continue
		}
		text = rest[ref.length:]
		b.WriteString(f.value(key, ref))
	}
}

func (f *filler) value(key string, ref variable) string {
	if ref.name == "$" {
		return "$"
	}
	value, ok := f.lookup(ref.name)
	switch {
	case value != "":
		return value
	case ref.hasElse:
		return ref.otherwise
	case !ok && f.err == nil:
		f.err = fmt.Errorf("the variable %s in its %s is not set", ref.name, key)
	}
	return ""
}

// variable is a reference to a variable. Its name is "$" for a dollar sign.
type variable struct {
	name, otherwise string
	hasElse         bool
	length          int // of its text after the dollar sign
}

// reference reads what follows a dollar sign; false: it is not a reference.
func reference(text string) (v variable, ok bool) {
	if strings.HasPrefix(text, "$") {
		return variable{name: "$", length: 1}, true
	}
	if !strings.HasPrefix(text, "{") {
		n := nameLength(text)
		return variable{name: text[:n], length: n}, n > 0
	}
	inside, _, closed := strings.Cut(text[1:], "}")
	n := nameLength(inside)
	v = variable{name: inside[:n], length: len(inside) + len("{}")}
	if n < len(inside) {
		v.otherwise, v.hasElse = strings.CutPrefix(inside[n:], ":-")
		closed = closed && v.hasElse
	}
	return v, closed && n > 0
}

// nameLength returns how long the name of a variable is that a text begins with.
func nameLength(text string) int {
	for i := range len(text) {
		c := text[i]
		isLetter := c == '_' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z'
		if !isLetter && (i == 0 || c < '0' || c > '9') {
			return i
		}
	}
	return len(text)
}

// unfilled returns an error about a server without what was filled in for its directory and
// its address, since errors are shown and remembered.
func unfilled(err error, written, filled Server) error {
	if err == nil || written.Dir == filled.Dir && written.URL == filled.URL {
		return err
	}
	text := err.Error()
	if written.Dir != filled.Dir && filled.Dir != "" {
		text = strings.ReplaceAll(text, filled.Dir, written.Dir)
	}
	if written.URL != filled.URL && filled.URL != "" {
		text = strings.ReplaceAll(text, web.Shown(filled.URL), web.Shown(written.URL))
	}
	return unfilledError{err, text}
}

// unfilledError is an error with another text.
type unfilledError struct {
	error
	text string
}

func (e unfilledError) Error() string { return e.text }

func (e unfilledError) Unwrap() error { return e.error }
