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
	// Type describes its JSON type, such as "string" or "array of string".
	Type string
	// Optional is true for a field that may be absent.
	Optional bool
	// Doc describes the field in a few words that do not begin with its name; empty for structs of
	// other packages.
	Doc string
	// Rule says how several answers are combined; empty in payloads.
	Rule Rule
	// With names the field that this one belongs to, if Rule is RuleWith.
	With string
}

// Fields describes the fields of a payload or an answer, in order. It leaves out fields without
// a `json` name, and treats an embedded struct's fields as the struct's own. A type that is not
// a struct has no fields.
func Fields(t reflect.Type) []Field {
	if !isStruct(t) {
		return nil
	}
	var fields []Field
	for _, f := range reflect.VisibleFields(t) {
		name := jsonName(f)
		if name == "" {
			continue
		}
		rule, with, _ := strings.Cut(f.Tag.Get("merge"), " ")
		described := Field{
			Name: name, Type: typeName(f.Type), Optional: strings.Contains(f.Tag.Get("json"), ",omit"),
			Doc: docOf(t, f), Rule: Rule(rule), With: with,
		}
		if f.Type.Kind() == reflect.Pointer && !described.Optional {
			described.Type += " or null"
		}
		fields = append(fields, described)
	}
	return fields
}

// jsonName is a field's name in JSON, "" if its tag gives it none.
func jsonName(f reflect.StructField) string {
	name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
	return strings.TrimPrefix(name, "-")
}

// docOf returns a field's comment. A struct of another package may have the same name, but
// has no comments here.
func docOf(t reflect.Type, f reflect.StructField) string {
	if t.PkgPath() != reflect.TypeFor[None]().PkgPath() {
		return ""
	}
	if outer := f.Index[:len(f.Index)-1]; len(outer) > 0 {
		t = t.FieldByIndex(outer).Type
	}
	return fieldDoc(t.Name() + "." + f.Name)
}

// typeName describes the JSON type of a Go type.
func typeName(t reflect.Type) string {
	if t == reflect.TypeFor[json.RawMessage]() {
		return "object"
	}
	switch t.Kind() {
	case reflect.Pointer:
		return typeName(t.Elem())
	case reflect.Slice, reflect.Array:
		return "array of " + typeName(t.Elem())
	case reflect.Map:
		return "object of " + typeName(t.Elem())
	case reflect.Struct:
		return "{" + strings.Join(fieldNames(t), ", ") + "}"
	case reflect.Interface:
		return "any"
	}
	return scalarName(t.Kind())
}

func fieldNames(t reflect.Type) []string {
	var names []string
	for i := range t.NumField() {
		if name := jsonName(t.Field(i)); name != "" {
			names = append(names, name)
		}
	}
	return names
}

// scalarName is the JSON name of a kind that is neither a list nor an object.
func scalarName(k reflect.Kind) string {
	switch {
	case k == reflect.Bool:
		return "boolean"
	case k >= reflect.Int && k <= reflect.Uint64:
		return "integer"
	case k == reflect.Float32 || k == reflect.Float64:
		return "number"
	}
	return k.String()
}
