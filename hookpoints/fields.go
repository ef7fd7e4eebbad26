package hookpoints

import (
	"encoding/json"
	"reflect"
	"strings"
)

// Field describes one field of a payload or an answer for documentation.
type Field struct {
	// Name is the field's name in JSON.
	Name string
	// Type says in words what it holds, such as "string" or "array of string".
	Type string
	// Optional is true for a field that may be absent.
	Optional bool
	// Doc is what the field means, in a sentence or two.
	Doc string
	// Rule says how several answers become one; empty in payloads.
	Rule Rule
	// With names the field that this one belongs to, if Rule is RuleWith.
	With string
}

// Fields describes the fields of one of this package's structs. For other
// structs Doc is empty.
func Fields(t reflect.Type) []Field {
	var fields []Field
	for i := range t.NumField() {
		f := t.Field(i)
		name, options, _ := strings.Cut(f.Tag.Get("json"), ",")
		rule, with, _ := strings.Cut(f.Tag.Get("merge"), " ")
		fields = append(fields, Field{
			Name: name, Type: typeName(f.Type), Optional: options != "",
			Doc: fieldDoc(t.Name() + "." + f.Name), Rule: Rule(rule), With: with,
		})
	}
	return fields
}

// typeName says in words what JSON a Go type becomes.
func typeName(t reflect.Type) string {
	switch {
	case t == reflect.TypeFor[json.RawMessage]():
		return "object"
	case t.Kind() == reflect.Pointer:
		return typeName(t.Elem())
	case t.Kind() == reflect.Slice:
		return "array of " + typeName(t.Elem())
	case t.Kind() == reflect.Map:
		return "object of " + typeName(t.Elem())
	case t.Kind() == reflect.Struct:
		var names []string
		for i := range t.NumField() {
			name, _, _ := strings.Cut(t.Field(i).Tag.Get("json"), ",")
			names = append(names, name)
		}
		return "{" + strings.Join(names, ", ") + "}"
	case t.Kind() == reflect.Bool:
		return "boolean"
	case t.Kind() == reflect.Int:
		return "integer"
	}
	return t.Kind().String()
}
