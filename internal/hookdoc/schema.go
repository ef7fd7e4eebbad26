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
// nil for a point that is only observed. Additional properties are allowed, because later versions
// may add fields and plugins may answer fields that a host does not know.
func Schema(info hookpoints.Info) (payload, answer *jsonschema.Schema, err error) {
	if payload, err = schemaOf(info.Payload, fmt.Sprintf("Payload of %s", info.Name)); err != nil || !info.CanChange() {
		return payload, nil, err
	}
	if answer, err = schemaOf(info.Answer, fmt.Sprintf("Answer at %s", info.Name)); err != nil {
		return payload, nil, err
	}
	err = add(answer, reflect.TypeFor[hookpoints.Words](), info.OtherWords())
	return payload, answer, err
}

// schemaOf returns the schema of a struct, with the field comments as descriptions.
func schemaOf(t reflect.Type, title string) (*jsonschema.Schema, error) {
	s, err := typeSchema(t)
	if err != nil {
		return nil, fmt.Errorf("schema of %s: %w", t, err)
	}
	s.Schema = "https://json-schema.org/draft/2020-12/schema"
	s.Title = title
	return s, nil
}

// typeSchema returns the schema of a type. Null is not allowed except for some fields of
// payloads; in an answer it means the same as an absent field.
func typeSchema(t reflect.Type) (s *jsonschema.Schema, err error) {
	if t == reflect.TypeFor[json.RawMessage]() {
		return &jsonschema.Schema{Type: "object"}, nil
	}
	s = &jsonschema.Schema{}
	switch t.Kind() {
	case reflect.Pointer:
		return typeSchema(t.Elem())
	case reflect.String:
		s.Type = "string"
		if limited, ok := reflect.Zero(t).Interface().(interface{ Values() []string }); ok {
			for _, value := range limited.Values() {
				s.Enum = append(s.Enum, value)
			}
		}
	case reflect.Bool:
		s.Type = "boolean"
	case reflect.Int, reflect.Int64:
		s.Type = "integer"
	case reflect.Float64:
		s.Type = "number"
	case reflect.Slice:
		s.Type = "array"
		s.Items, err = typeSchema(t.Elem())
	case reflect.Map:
		s.Type = "object"
		s.AdditionalProperties, err = typeSchema(t.Elem())
	case reflect.Struct:
		s.Type = "object"
		err = add(s, t, hookpoints.Fields(t))
	default:
		err = fmt.Errorf("no type of JSON is known for %s", t)
	}
	return s, err
}

func add(s *jsonschema.Schema, t reflect.Type, fields []hookpoints.Field) error {
	types := map[string]reflect.Type{}
	for _, f := range reflect.VisibleFields(t) {
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		types[name] = f.Type
	}
	for _, f := range fields {
		property, err := typeSchema(types[f.Name])
		if err != nil {
			return fmt.Errorf("%s: %w", f.Name, err)
		}
		property.Description = f.Doc
		if types[f.Name].Kind() == reflect.Pointer && !f.Optional {
			property.Type, property.Types = "", []string{property.Type, "null"}
		}
		if s.Properties == nil {
			s.Properties = map[string]*jsonschema.Schema{}
		}
		s.Properties[f.Name], s.PropertyOrder = property, append(s.PropertyOrder, f.Name)
		if !f.Optional {
			s.Required = append(s.Required, f.Name)
		}
	}
	return nil
}
