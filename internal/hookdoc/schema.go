package hookdoc

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"
	"strings"

	"github.com/chibi-host/chibi/hookpoints"
)

// JSONSchema is the JSON Schema of a payload, of an answer, or of a part of one. Additional
// properties are allowed, because later versions may add fields and plugins may answer
// fields that a host does not know.
type JSONSchema struct {
	// Type is "object", "array", "string", "integer", "number" or "boolean"; "" allows any.
	Type Type `json:"type,omitempty"`
	// Enum lists the values, if only some are allowed.
	Enum []string `json:"enum,omitempty"`
	// Properties are the members of an object, in order.
	Properties Properties `json:"properties,omitempty"`
	// Items is the schema of the elements of an array.
	Items *JSONSchema `json:"items,omitempty"`
	// Schema names the version of JSON Schema; "" in a part.
	Schema string `json:"$schema,omitempty"`
	// Title and Description are for people.
	Title       string `json:"title,omitempty"`
	Description string `json:"description,omitempty"`
	// Required names the members that are always there.
	Required []string `json:"required,omitempty"`
	// Additional is the schema of members of any name.
	Additional *JSONSchema `json:"additionalProperties,omitempty"`
}

// Type is a type of JSON, or two that are separated by "|": "string|null".
type Type string

// MarshalJSON writes one type as a text, two as a list.
func (t Type) MarshalJSON() ([]byte, error) {
	if one, other, two := strings.Cut(string(t), "|"); two {
		return json.Marshal([]string{one, other})
	}
	return json.Marshal(string(t))
}

// Properties are the members of an object, in order.
type Properties []Property

// Property is a member of an object.
type Property struct {
	// Name is its name.
	Name string
	// Schema is the schema of its value.
	Schema *JSONSchema
}

// MarshalJSON writes an object with the members in their order.
func (p Properties) MarshalJSON() ([]byte, error) {
	var b bytes.Buffer
	for _, property := range p {
		schema, err := json.Marshal(property.Schema)
		if err != nil {
			return nil, err
		}
		fmt.Fprintf(&b, ",%q:%s", property.Name, schema)
	}
	return append(append([]byte("{"), bytes.TrimPrefix(b.Bytes(), []byte(","))...), '}'), nil
}

// Schema returns the JSON Schemas of a point's payload and of its answer. The answer is
// nil for a point that is only observed.
func Schema(info hookpoints.Info) (payload, answer *JSONSchema, err error) {
	if payload, err = schemaOf(info.Payload, fmt.Sprintf("Payload of %s", info.Name)); err != nil || !info.CanChange() {
		return payload, nil, err
	}
	if answer, err = schemaOf(info.Answer, fmt.Sprintf("Answer at %s", info.Name)); err != nil {
		return payload, nil, err
	}
	err = answer.add(reflect.TypeFor[hookpoints.Words](), info.OtherWords())
	return payload, answer, err
}

// schemaOf returns the schema of a struct, with the field comments as descriptions.
func schemaOf(t reflect.Type, title string) (*JSONSchema, error) {
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
func typeSchema(t reflect.Type) (s *JSONSchema, err error) {
	if t == reflect.TypeFor[json.RawMessage]() {
		return &JSONSchema{Type: "object"}, nil
	}
	s = &JSONSchema{}
	switch t.Kind() {
	case reflect.Pointer:
		return typeSchema(t.Elem())
	case reflect.String:
		s.Type = "string"
		if limited, ok := reflect.Zero(t).Interface().(interface{ Values() []string }); ok {
			s.Enum = limited.Values()
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
		s.Additional, err = typeSchema(t.Elem())
	case reflect.Struct:
		s.Type = "object"
		err = s.add(t, hookpoints.Fields(t))
	default:
		err = fmt.Errorf("no type of JSON is known for %s", t)
	}
	return s, err
}

func (s *JSONSchema) add(t reflect.Type, fields []hookpoints.Field) error {
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
			property.Type += "|null"
		}
		s.Properties = append(s.Properties, Property{f.Name, property})
		if !f.Optional {
			s.Required = append(s.Required, f.Name)
		}
	}
	return nil
}
