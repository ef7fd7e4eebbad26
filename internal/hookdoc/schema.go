package hookdoc

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strings"

	"github.com/chibi-host/chibi/hookpoints"
	"github.com/google/jsonschema-go/jsonschema"
)

// Schema returns the JSON Schemas of a point's payload and of its answer. The answer is
// nil for a point that is only observed.
func Schema(info hookpoints.Info) (payload, answer *jsonschema.Schema, err error) {
	if payload, err = schemaOf(info.Payload, fmt.Sprintf("Payload of %s", info.Name)); err != nil || !info.CanChange() {
		return payload, nil, err
	}
	answer, err = schemaOf(info.Answer, fmt.Sprintf("Answer at %s", info.Name))
	return payload, answer, err
}

// schemaOf returns the schema of a struct, with the field comments as descriptions.
// Additional properties are allowed, because later versions may add fields and plugins
// may answer fields that a host does not know.
func schemaOf(t reflect.Type, title string) (*jsonschema.Schema, error) {
	s, err := jsonschema.ForType(t, &jsonschema.ForOptions{TypeSchemas: map[reflect.Type]*jsonschema.Schema{
		reflect.TypeFor[json.RawMessage](): {Type: "object"},
	}})
	if err != nil {
		return nil, fmt.Errorf("schema of %s: %w", t, err)
	}
	s.Schema = "https://json-schema.org/draft/2020-12/schema"
	s.Title = title
	describe(s, t)
	return s, nil
}

// describe sets the descriptions of a struct's fields in its schema.
func describe(s *jsonschema.Schema, t reflect.Type) {
	s.AdditionalProperties = nil
	for _, f := range hookpoints.Fields(t) {
		s.Properties[f.Name].Description = f.Doc
	}
	for i := range t.NumField() {
		name, _, _ := strings.Cut(t.Field(i).Tag.Get("json"), ",")
		if property := s.Properties[name]; property != nil {
			plain(property)
			describeInner(property, t.Field(i).Type)
		}
	}
}

// describeInner describes the struct type of a field, a pointer to it or a list of it.
func describeInner(property *jsonschema.Schema, t reflect.Type) {
	for t.Kind() == reflect.Slice || t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	if property.Items != nil {
		property = property.Items
	}
	if t.Kind() == reflect.Struct {
		describe(property, t)
	}
}

// plain removes "null" from a type: a plugin never receives it, and in an answer it means
// the same as an absent field.
func plain(s *jsonschema.Schema) {
	if len(s.Types) == 2 && s.Types[0] == "null" {
		s.Type, s.Types = s.Types[1], nil
	}
}
