package hookpoints

import (
	"encoding"
	"encoding/json"
	"maps"
	"reflect"
	"slices"
)

// jsonKind is the JSON type of a Go type.
type jsonKind string

// The kinds. The kind of types with their own encoding is unknown, which means any.
const (
	kindAny    jsonKind = "value"
	kindBool   jsonKind = "bool"
	kindText   jsonKind = "string"
	kindNumber jsonKind = "number"
	kindList   jsonKind = "list"
	kindObject jsonKind = "object"
	kindNone   jsonKind = "value that JSON does not have"
)

func kindOf(t reflect.Type) jsonKind {
	if writesItself(t) {
		return kindAny
	}
	switch k := t.Kind(); {
	case k == reflect.Pointer:
		return kindOf(t.Elem())
	case k == reflect.Bool:
		return kindBool
	case k == reflect.String, k == reflect.Slice && t.Elem().Kind() == reflect.Uint8:
		return kindText
	case k >= reflect.Int && k <= reflect.Float64:
		return kindNumber
	case k == reflect.Slice, k == reflect.Array:
		return kindList
	case k == reflect.Map, k == reflect.Struct:
		return kindObject
	case k == reflect.Interface:
		return kindAny
	}
	return kindNone
}

// writesItself reports whether a type has its own JSON encoding.
func writesItself(t reflect.Type) bool {
	p := reflect.PointerTo(t)
	return p.Implements(reflect.TypeFor[json.Marshaler]()) || p.Implements(reflect.TypeFor[encoding.TextMarshaler]())
}

// listsNames reports whether a type may be a list of strings.
func listsNames(t reflect.Type) bool {
	if t.Kind() == reflect.Pointer {
		return listsNames(t.Elem())
	}
	if kindOf(t) != kindList {
		return kindOf(t) == kindAny
	}
	element := kindOf(t.Elem())
	return element == kindText || element == kindAny
}

// kindsOf are the fields of a struct as they stand in JSON: an embedded struct's
// fields are its own.
func kindsOf(t reflect.Type) map[string]jsonKind {
	kinds := map[string]jsonKind{}
	if !isStruct(t) {
		return kinds
	}
	for i := range t.NumField() {
		f := t.Field(i)
		name, embedded := jsonName(f), f.Type
		if embedded.Kind() == reflect.Pointer {
			embedded = embedded.Elem()
		}
		switch {
		case f.Anonymous && name == "" && isStruct(embedded):
			maps.Copy(kinds, kindsOf(embedded))
		case !f.IsExported() || f.Tag.Get("json") == "-":
		case name == "":
			kinds[f.Name] = kindOf(f.Type)
		default:
			kinds[name] = kindOf(f.Type)
		}
	}
	return kinds
}

// checkedType returns the type of an answer with a map in the place of each json.RawMessage, so
// that only an object can be decoded there.
func checkedType(answer reflect.Type) reflect.Type {
	if !isStruct(answer) {
		return answer
	}
	var fields []reflect.StructField
	hasObjects := false
	for i := range answer.NumField() {
		f := answer.Field(i)
		if f.Type == reflect.TypeFor[json.RawMessage]() {
			f.Type, hasObjects = reflect.TypeFor[map[string]json.RawMessage](), true
		}
		if f.IsExported() && jsonName(f) != "" {
			fields = append(fields, reflect.StructField{Name: f.Name, Type: f.Type, Tag: f.Tag})
		}
	}
	if !hasObjects {
		return answer
	}
	return reflect.StructOf(fields)
}

func isStruct(t reflect.Type) bool { return t != nil && t.Kind() == reflect.Struct }

func sortedNames(kinds map[string]jsonKind) []string { return slices.Sorted(maps.Keys(kinds)) }
