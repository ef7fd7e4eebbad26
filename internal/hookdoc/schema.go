package hookdoc

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strings"

	"github.com/chibi-host/chibi/hookpoints"
	"github.com/google/jsonschema-go/jsonschema"
)

// Schema is the JSON Schema of a point's payload and of its answer. The answer
// is nil for a point that is only observed.
func Schema(info hookpoints.Info) (payload, answer *jsonschema.Schema, err error) {
	if payload, err = schemaOf(info.Payload, fmt.Sprintf("Payload of %s", info.Name)); err != nil || !info.CanChange() {
		return payload, nil, err
	}
	answer, err = schemaOf(info.Answer, fmt.Sprintf("Answer at %s", info.Name))
	return payload, answer, err
}

// schemaOf makes a schema of a struct and puts the field comments into it.
// Additional properties are allowed: fields may be added, and plugins may
// answer more than a host knows.
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

// describe puts the comments of a struct's fields into its schema.
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

// describeInner describes the struct that a field is, points to or is a list of.
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

// plain takes "null" out of a type: a plugin never receives one, and answers
// that leave a field out mean the same.
func plain(s *jsonschema.Schema) {
	if len(s.Types) == 2 && s.Types[0] == "null" {
		s.Type, s.Types = s.Types[1], nil
	}
}
