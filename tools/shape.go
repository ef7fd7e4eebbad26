package tools

import (
	"errors"
	"fmt"
	"math"
	"regexp"
	"strings"

	"github.com/chibi-host/chibi/internal/strictjson"
)

type typeSet uint8

const (
	typeNull typeSet = 1 << iota
	typeBoolean
	typeInteger
	typeFraction // a number that is not whole
	typeString
	typeArray
	typeObject

	anyType = typeObject<<1 - 1
	// convertible are the types of values that models write as strings.
	convertible = typeNull | typeBoolean | typeInteger | typeFraction
)

// SchemaTypes lists the names of types in a JSON Schema.
func SchemaTypes() []string {
	return []string{"object", "array", "string", "number", "integer", "boolean", "null"}
}

// typesNamed returns the types that the value of "type" allows, a name or a list of names;
// all types if it is absent.
func typesNamed(value any) (allowed typeSet, err error) {
	names, isList := value.([]any)
	name, isName := value.(string)
	switch {
	case isName:
		names = []any{name}
	case !isList:
		return anyType, nil // absent, or not a valid schema
	case len(names) == 0:
		return 0, errors.New(`"type" is an empty list; no value has such a type`)
	}
	for _, v := range names {
		name, _ := v.(string)
		t := typeNamed(name)
		if t == 0 {
			return 0, fmt.Errorf("unknown type %.60q; want one of %s", name, strings.Join(SchemaTypes(), ", "))
		}
		allowed |= t
	}
	return allowed, nil
}

// typeNamed returns the set of one type name, 0 if it is unknown.
func typeNamed(name string) typeSet {
	switch name {
	case "null":
		return typeNull
	case "boolean":
		return typeBoolean
	case "integer":
		return typeInteger
	case "number":
		return typeInteger | typeFraction
	case "string":
		return typeString
	case "array":
		return typeArray
	case "object":
		return typeObject
	}
	return 0
}

func typeOf(v any) typeSet {
	switch v := v.(type) {
	case bool:
		return typeBoolean
	case float64:
		if v == math.Trunc(v) {
			return typeInteger
		}
		return typeFraction
	case string:
		return typeString
	case []any:
		return typeArray
	case map[string]any:
		return typeObject
	}
	return typeNull
}

// shape is what one schema says about types: the types of a value and of its parts. The
// keywords that it ignores can only allow less.
type shape struct {
	types  typeSet
	all    []*shape   // apply to the same value: allOf, $ref
	either [][]*shape // one of each list applies: anyOf, oneOf

	members  map[string]*shape
	patterns []pattern
	others   *shape // other members; nil: no constraint
	first    []*shape
	rest     *shape // elements after first; nil: no constraint
}

// pattern is the shape of members whose names match.
type pattern struct {
	name  *regexp.Regexp
	shape *shape
}

func (s *shape) membersNamed(name string) (list []*shape) {
	if m := s.members[name]; m != nil {
		list = append(list, m)
	}
	for _, p := range s.patterns {
		if p.name.MatchString(name) {
			list = append(list, p.shape)
		}
	}
	if len(list) == 0 && s.others != nil {
		list = append(list, s.others)
	}
	return list
}

func (s *shape) elementsAt(i int) []*shape {
	switch {
	case i < len(s.first):
		return s.first[i : i+1]
	case s.rest != nil:
		return []*shape{s.rest}
	}
	return nil
}

type shaper struct {
	schemas  map[string]*node  // by JSON Pointer; all references have a target
	shapes   map[string]*shape // complete or under construction
	converts bool              // one of them allows a convertible type, but no string
}

func (b *shaper) shape(at string) *shape {
	if s := b.shapes[at]; s != nil {
		return s
	}
	n := b.schemas[at]
	if n == nil {
		return nil
	}
	s := &shape{types: ownTypes(n.schema)}
	b.shapes[at] = s
	b.converts = b.converts || s.types&typeString == 0 && s.types&convertible != 0
	schema, _ := n.schema.(map[string]any)
	if n.ref != "" {
		s.all = append(s.all, b.shape(strings.TrimPrefix(n.ref, "#")))
	}
	s.all = append(s.all, b.list(at, "allOf", schema)...)
	for _, name := range []string{"anyOf", "oneOf"} {
		if list := b.list(at, name, schema); len(list) > 0 {
			s.either = append(s.either, list)
		}
	}
	b.objects(s, at, schema)
	b.arrays(s, at, schema)
	return s
}

// objects adds the shapes of members.
func (b *shaper) objects(s *shape, at string, schema map[string]any) {
	members, _ := schema["properties"].(map[string]any)
	s.members = make(map[string]*shape, len(members))
	for name := range members {
		s.members[name] = b.shape(at + "/properties/" + strictjson.EscapeToken(name))
	}
	patterns, _ := schema["patternProperties"].(map[string]any)
	for name := range patterns {
		if expression, err := regexp.Compile(name); err == nil {
			named := b.shape(at + "/patternProperties/" + strictjson.EscapeToken(name))
			s.patterns = append(s.patterns, pattern{expression, named})
		}
	}
	s.others = b.shape(at + "/additionalProperties")
}

// arrays adds the shapes of elements, with either keyword for the first ones.
func (b *shaper) arrays(s *shape, at string, schema map[string]any) {
	if _, isList := schema["items"].([]any); isList {
		s.first, s.rest = b.list(at, "items", schema), b.shape(at+"/additionalItems")
		return
	}
	s.first, s.rest = b.list(at, "prefixItems", schema), b.shape(at+"/items")
}

// list returns the shapes of a keyword that is a list of schemas.
func (b *shaper) list(at, keyword string, schema map[string]any) (shapes []*shape) {
	list, _ := schema[keyword].([]any)
	for i := range list {
		shapes = append(shapes, b.shape(fmt.Sprintf("%s/%s/%d", at, keyword, i)))
	}
	return shapes
}

// ownTypes returns the types that a schema's own keywords allow.
func ownTypes(schema any) typeSet {
	if schema == false {
		return 0
	}
	allowed, _ := typesNamed(field(schema, "type"))
	if list, ok := field(schema, "enum").([]any); ok {
		var listed typeSet
		for _, v := range list {
			listed |= typeOf(v)
		}
		allowed &= listed
	}
	if keywords, _ := schema.(map[string]any); keywords != nil {
		if v, ok := keywords["const"]; ok {
			allowed &= typeOf(v)
		}
	}
	return allowed
}

// converts reports whether a text is the JSON of a value of an allowed type, where strings
// are not allowed.
func converts(text string, allowed typeSet) bool {
	switch {
	case allowed&typeString != 0:
		return false
	case text == "true" || text == "false":
		return allowed&typeBoolean != 0
	case text == "null":
		return allowed&typeNull != 0
	case !isNumber(text):
		return false
	case strings.ContainsAny(text, ".eE"):
		return allowed&typeFraction != 0
	}
	return allowed&typeInteger != 0
}

// isNumber reports whether a text is a JSON number, without spaces around it.
func isNumber(text string) bool {
	isDigit := func(b byte) bool { return '0' <= b && b <= '9' }
	return text != "" && len(text) <= maxNumber && (text[0] == '-' || isDigit(text[0])) && isDigit(text[len(text)-1]) &&
		strictjson.Valid([]byte(text))
}
