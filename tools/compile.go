package tools

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/chibi-host/chibi/internal/strictjson"
	"github.com/google/jsonschema-go/jsonschema"
)

const (
	maxSchemaSize  = 1 << 20
	maxSchemaDepth = 100
	// maxPlaces bounds the total size of the JSON Pointers of all subschemas: each one
	// repeats the names above it.
	maxPlaces = 8 << 20
)

func keywords() map[string]keyword {
	all := map[string]keyword{}
	for kind, names := range map[keyword]string{
		data: "$ref $dynamicRef type enum const multipleOf minimum maximum exclusiveMinimum exclusiveMaximum minLength " +
			"maxLength pattern minItems maxItems uniqueItems minContains maxContains minProperties maxProperties " +
			"required dependentRequired",
		here:        "allOf anyOf oneOf not if then else",
		hereBy:      "dependentSchemas dependencies",
		named:       "properties",
		members:     "additionalProperties unevaluatedProperties propertyNames",
		matching:    "patternProperties",
		elements:    "items prefixItems contains additionalItems unevaluatedItems",
		definitions: "$defs definitions",
	} {
		for _, name := range strings.Fields(names) {
			all[name] = kind
		}
	}
	return all
}

// Compile compiles the schema of a tool's parameters, for checking and converting the
// arguments of its calls. Without parameters it returns a nil *Schema. The error is an
// ErrSchema and says what is wrong.
//
// Keywords are matched exactly, and unknown ones are ignored. References must point into
// the same schema. A schema whose check could take too many steps is an error: the cost of
// a check is known before it begins.
func Compile(parameters json.RawMessage) (*Schema, error) {
	if len(parameters) == 0 {
		return nil, nil
	}
	s, err := compile(parameters)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrSchema, err)
	}
	return s, nil
}

func compile(schema []byte) (*Schema, error) {
	if len(schema) > maxSchemaSize {
		return nil, fmt.Errorf("they are %d bytes long, at most %d are allowed", len(schema), maxSchemaSize)
	}
	if err := strictjson.CheckDepth(schema, maxSchemaDepth); err != nil {
		return nil, err
	}
	tree, err := strictjson.Value(schema)
	if err != nil {
		return nil, err
	}
	c := compiler{keywords: keywords(), nodes: map[string]*node{}}
	root, clean, err := c.schema("", tree)
	if err == nil {
		err = c.finish()
	}
	if err != nil {
		return nil, err
	}
	if version, ok := field(tree, "$schema").(string); ok {
		if err := checkVersion(version); err != nil {
			return nil, err
		}
		clean.(map[string]any)["$schema"] = version
	}
	s := &Schema{root: root}
	if err := s.resolve(clean); err != nil {
		return nil, err
	}
	b := shaper{schemas: c.nodes, shapes: map[string]*shape{}}
	s.shape, s.converts = b.shape(""), b.converts
	return s, nil
}

// checkVersion refuses the versions of JSON Schema that the validator does not know.
func checkVersion(version string) error {
	switch strings.TrimSuffix(version, "#") {
	case "", "https://json-schema.org/draft/2020-12/schema",
		"http://json-schema.org/draft-07/schema", "https://json-schema.org/draft-07/schema":
		return nil
	}
	return fmt.Errorf("its $schema %.100q is not a known version; want draft-07 or draft 2020-12", version)
}

// resolve passes a cleaned schema, which strictjson has read, to the validator.
func (s *Schema) resolve(clean any) (err error) {
	defer func() {
		if cause := recover(); cause != nil {
			err = fmt.Errorf("the validator cannot read them: %v", cause)
		}
	}()
	text, err := json.Marshal(clean)
	if err != nil {
		return err
	}
	var parsed jsonschema.Schema
	if err := parsed.UnmarshalJSON(text); err != nil {
		return errors.New(decodeText(err))
	}
	if parsed.Type != "" && parsed.Type != "object" {
		return fmt.Errorf("its type is %q, want \"object\"", parsed.Type)
	}
	s.required = parsed.Required
	s.resolved, err = parsed.Resolve(nil)
	return err
}

// compiler splits a schema into nodes and removes the keywords that are ignored.
type compiler struct {
	keywords map[string]keyword
	nodes    map[string]*node // by JSON Pointer
	places   int              // the total size of these
}

func (c *compiler) schema(at string, v any) (*node, any, error) {
	if c.places += len(at); c.places > maxPlaces {
		return nil, nil, errors.New("it has too many subschemas below members with long names")
	}
	n := &node{own: 1}
	c.nodes[at] = n
	object, ok := v.(map[string]any)
	if _, isBool := v.(bool); isBool && at != "" {
		n.schema = v
		return n, v, nil
	}
	if !ok {
		return nil, nil, fmt.Errorf("%s is not a schema; want an object", place(at))
	}
	clean := map[string]any{}
	for name, value := range object {
		kind := c.keywords[name]
		if kind == 0 {
			continue
		}
		if err := checkNumber(name, value); err != nil {
			return nil, nil, fmt.Errorf("in %s: %w", place(at), err)
		}
		kept, err := c.keyword(n, kind, at+"/"+strictjson.EscapeToken(name), value)
		if err != nil {
			return nil, nil, err
		}
		clean[name] = kept
	}
	n.schema = clean
	if err := impossible(clean); err != nil {
		return nil, nil, fmt.Errorf("in %s: %w", place(at), err)
	}
	return n, clean, n.takeData(clean)
}

// checkNumber returns an error for a keyword that takes a number and has another value; null counts
// as absent. The library does not name the keyword.
func checkNumber(name string, value any) error {
	n, isNumber := value.(float64)
	switch name {
	case "multipleOf", "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum":
		n = 0
	case "minLength", "maxLength", "minItems", "maxItems", "minContains", "maxContains", "minProperties", "maxProperties":
	default:
		return nil
	}
	if value == nil || isNumber && n == math.Trunc(n) && math.Abs(n) <= math.MaxInt32 {
		return nil
	}
	want := "a number"
	if isNumber {
		want = "an integer"
	}
	text, err := strictjson.Encode(value)
	return cmp.Or(err, error(&strictjson.TypeError{Field: name, Want: want, Value: strictjson.TypeOf(text)}))
}

// impossible returns an error for a keyword whose value JSON Schema forbids and no argument
// could satisfy.
func impossible(schema map[string]any) error {
	if _, err := typesNamed(schema["type"]); err != nil {
		return err
	}
	for _, name := range []string{"allOf", "anyOf", "oneOf", "enum"} {
		if list, ok := schema[name].([]any); ok && len(list) == 0 {
			return fmt.Errorf("%q is an empty list", name)
		}
	}
	for _, name := range []string{"maxLength", "maxItems", "maxContains", "maxProperties"} {
		if most, ok := schema[name].(float64); ok && most < 0 {
			return fmt.Errorf("%q is negative", name)
		}
	}
	if step, ok := schema["multipleOf"].(float64); ok && step <= 0 {
		return errors.New(`"multipleOf" is not above 0`)
	}
	return nil
}

// keyword reads a keyword's value and returns what is passed to the validator.
func (c *compiler) keyword(n *node, kind keyword, at string, value any) (any, error) {
	switch kind {
	case data:
		return value, nil
	case hereBy, named, matching, definitions:
		return c.object(n, kind, at, value)
	}
	list, isList := value.([]any)
	if !isList {
		child, clean, err := c.schema(at, value)
		n.add(kind, "", child)
		return clean, err
	}
	clean := make([]any, len(list))
	for i, v := range list {
		child, kept, err := c.schema(fmt.Sprintf("%s/%d", at, i), v)
		if err != nil {
			return nil, err
		}
		n.add(kind, "", child)
		clean[i] = kept
	}
	return clean, nil
}

// object reads an object of schemas.
func (c *compiler) object(n *node, kind keyword, at string, value any) (any, error) {
	object, ok := value.(map[string]any)
	if !ok {
		return nil, fmt.Errorf("%s is not an object of schemas", place(at))
	}
	clean := map[string]any{}
	for name, v := range object {
		if _, isList := v.([]any); isList && kind == hereBy {
			clean[name] = v // names of members
			continue
		}
		child, kept, err := c.schema(at+"/"+strictjson.EscapeToken(name), v)
		if err != nil {
			return nil, err
		}
		if kind == matching {
			cost, err := patternCost(name)
			if err != nil {
				return nil, err
			}
			n.own += cost
		}
		n.add(kind, name, child)
		clean[name] = kept
	}
	return clean, nil
}

// takeData reads the other keywords that determine the node's cost.
func (n *node) takeData(schema map[string]any) error {
	if _, dynamic := schema["$dynamicRef"]; dynamic {
		return errors.New("$dynamicRef is not supported")
	}
	if ref, ok := schema["$ref"].(string); ok {
		path, local := strings.CutPrefix(ref, "#")
		if !local || path != "" && path[0] != '/' || strings.ContainsRune(path, '%') {
			return fmt.Errorf("its $ref %q does not point into the schema; use #/$defs/NAME", ref)
		}
		n.ref = ref
	}
	if list, ok := schema["enum"].([]any); ok {
		n.own += len(list)
	}
	if text, ok := schema["pattern"].(string); ok {
		cost, err := patternCost(text)
		n.pattern = cost
		return err
	}
	return nil
}

// finish resolves the references and bounds the cost of one value.
func (c *compiler) finish() error {
	for _, n := range c.nodes {
		if n.ref == "" {
			continue
		}
		target, ok := c.nodes[strings.TrimPrefix(n.ref, "#")]
		if !ok {
			return fmt.Errorf("its $ref %q has no target", n.ref)
		}
		n.here = append(slices.Clip(n.here), target)
	}
	for _, n := range c.nodes {
		if err := n.weigh(0); err != nil {
			return err
		}
	}
	return nil
}

// place returns the name of a place in a schema for messages.
func place(at string) string {
	if at == "" {
		return "the top level"
	}
	return at
}
