package merge

import (
	"slices"

	"github.com/chibi-host/chibi/internal/strictjson"
)

// answer is a combined answer on its way: names and raw values. Nil is none.
type answer struct {
	names, values []string
}

// put gives a name a raw value, instead of the one that it may have.
func (a *answer) put(name, value string) {
	if i := slices.Index(a.names, name); i >= 0 {
		a.values[i] = value
		return
	}
	a.names = append(a.names, name)
	a.values = append(a.values, value)
}

// encode gives a name a Go value.
func (a *answer) encode(name string, value any) {
	if raw, err := strictjson.Encode(value); err == nil {
		a.put(name, string(raw))
	}
}

// value is a name's raw value, "" if there is none.
func (a *answer) value(name string) string {
	if i := slices.Index(a.names, name); i >= 0 {
		return a.values[i]
	}
	return ""
}

// bytes is the answer as an object, nil if it has no fields.
func (a *answer) bytes() []byte {
	if len(a.names) == 0 {
		return nil
	}
	size := 2
	for i := range a.names {
		size += len(a.names[i]) + len(a.values[i]) + 4
	}
	out := append(make([]byte, 0, size), '{')
	for i, name := range a.names {
		if i > 0 {
			out = append(out, ',')
		}
		out = append(append(out, strictjson.Quote(name)...), ':')
		out = append(out, a.values[i]...)
	}
	return append(out, '}')
}
