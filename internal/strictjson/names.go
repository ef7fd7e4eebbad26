package strictjson

import (
	"reflect"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// Nearest returns the known name that is most similar to a name, "" if none is similar.
// The case of letters is ignored.
func Nearest(name string, known []string) string {
	best, least := "", len(name)/2+1
	for _, k := range known {
		if len(k) > len(name)+least || len(name) > len(k)+least {
			continue
		}
		if d := Distance(fold(name), fold(k)); d < least {
			best, least = k, d
		}
	}
	return best
}

// fold returns a name in lower case without "_" and "-".
func fold(name string) string {
	return strings.ToLower(strings.Map(func(r rune) rune {
		if r == '_' || r == '-' {
			return -1
		}
		return r
	}, name))
}

// Distance returns the edit distance of two names in bytes (insertions, deletions,
// replacements).
func Distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			cost := 1
			if a[i] == b[j] {
				cost = 0
			}
			diagonal, row[j+1] = row[j+1], min(diagonal+cost, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(b)]
}

// namesAt lists the names of the members at a place in the JSON of a value's type.
func namesAt(v any, at jsontext.Pointer) []string {
	t := reflect.TypeOf(v)
	for part := range at.Tokens() {
		switch t = element(t); t.Kind() {
		case reflect.Slice, reflect.Array, reflect.Map:
			t = t.Elem()
		case reflect.Struct:
			f, ok := fieldNamed(t, part)
			if !ok {
				return nil
			}
			t = f.Type
		default:
			return nil
		}
	}
	return Names(element(t))
}

// element returns the type without pointers.
func element(t reflect.Type) reflect.Type {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	return t
}

// Names lists the names of the members of a struct type in their order; other types have
// none.
func Names(t reflect.Type) (names []string) {
	if t.Kind() != reflect.Struct {
		return nil
	}
	for _, f := range reflect.VisibleFields(t) {
		if name := nameOf(f); name != "" {
			names = append(names, name)
		}
	}
	return names
}

func fieldNamed(t reflect.Type, name string) (reflect.StructField, bool) {
	for _, f := range reflect.VisibleFields(t) {
		if nameOf(f) == name {
			return f, true
		}
	}
	return reflect.StructField{}, false
}

// nameOf returns the name of a field in JSON, "" if it has none of its own.
func nameOf(f reflect.StructField) string {
	tag, _, _ := strings.Cut(f.Tag.Get("json"), ",")
	switch {
	case !f.IsExported() || tag == "-":
		return ""
	case tag != "":
		return tag
	case f.Anonymous && element(f.Type).Kind() == reflect.Struct:
		return ""
	}
	return f.Name
}

// EscapeToken returns a member's name as a token of a JSON Pointer (RFC 6901).
func EscapeToken(name string) string {
	if !strings.ContainsAny(name, "~/") {
		return name
	}
	return strings.NewReplacer("~", "~0", "/", "~1").Replace(name)
}

// UnescapeToken returns the member's name for a token of a JSON Pointer.
func UnescapeToken(token string) string {
	if !strings.Contains(token, "~") {
		return token
	}
	return strings.NewReplacer("~1", "/", "~0", "~").Replace(token)
}
