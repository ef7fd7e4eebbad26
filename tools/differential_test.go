package tools_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/chibi-host/chibi/internal/fuzztest"
	"github.com/chibi-host/chibi/internal/strictjson"
	"github.com/chibi-host/chibi/tools"
	"github.com/google/jsonschema-go/jsonschema"
)

const (
	draft7    = "http://json-schema.org/draft-07/schema#"
	draft2020 = "https://json-schema.org/draft/2020-12/schema"
)

// verdict is what the reference says about a schema and a value. It knows fewer mistakes
// in schemas, and takes keywords in any case, which are other members.
func verdict(schema, args []byte) (isUsable, isValid bool) {
	var parsed jsonschema.Schema
	if value, err := strictjson.Value(schema); err != nil || hasKeywordInAnotherCase(value) {
		return false, false
	}
	if json.Unmarshal(schema, &parsed) != nil {
		return false, false
	}
	resolved, err := parsed.Resolve(nil)
	if err != nil {
		return false, false
	}
	value, err := strictjson.Value(args)
	return true, err == nil && resolved.Validate(value) == nil
}

// hasKeywordInAnotherCase reports whether a name anywhere in a schema is a keyword of the
// reference but for the case of its letters.
func hasKeywordInAnotherCase(schema any) bool {
	switch v := schema.(type) {
	case []any:
		return slices.ContainsFunc(v, hasKeywordInAnotherCase)
	case map[string]any:
		keywords := append(strictjson.Names(reflect.TypeFor[jsonschema.Schema]()), "type", "items", "dependencies")
		for name, below := range v {
			isFolded := slices.ContainsFunc(keywords, func(k string) bool { return k != name && strings.EqualFold(k, name) })
			if isFolded || hasKeywordInAnotherCase(below) {
				return true
			}
		}
	}
	return false
}

// compare compares with the reference where both can use the schema.
func compare(t *testing.T, schema, args []byte) {
	t.Helper()
	s, err := tools.Compile(schema)
	if value, _ := strictjson.Value(args); err != nil || reflect.TypeOf(value) != reflect.TypeFor[map[string]any]() {
		return
	}
	err = s.Check(args)
	if err != nil && strings.Contains(err.Error(), "too large to be checked") {
		return
	}
	if isUsable, isValid := verdict(schema, args); isUsable && isValid != (err == nil) {
		t.Errorf("schema %s\nvalue %s\nthe reference says %t, the check: %v", schema, args, isValid, err)
	}
}

// TestCheckAgreesWithTheReference compares random schemas and values.
func TestCheckAgreesWithTheReference(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	count := 0
	for range 1_500 {
		m := maker{random, 12}
		schema := m.schema(3)
		schema["$schema"] = []string{draft7, draft2020}[random.IntN(2)]
		schema["$defs"] = map[string]any{"d": m.schema(1)}
		delete(schema, "type")
		text, _ := json.Marshal(schema)
		if _, err := tools.Compile(text); err != nil {
			continue
		}
		for range 4 {
			args, _ := json.Marshal(m.object(3))
			compare(t, text, args)
			count++
		}
		if t.Failed() {
			return
		}
	}
	if count < 3_000 {
		t.Errorf("only %d comparisons", count)
	}
}

// maker makes random schemas and values from few names, so that they often meet.
type maker struct {
	*rand.Rand
	left int // keywords
}

func (m *maker) name() string { return string("abc"[m.IntN(3)]) }

func (m *maker) value(depth int) any {
	switch m.IntN(8) {
	case 0:
		return nil
	case 1:
		return m.IntN(2) == 0
	case 2:
		return m.IntN(4)
	case 3:
		return float64(m.IntN(8)) / 4
	case 4, 5:
		return strings.Repeat(m.name(), m.IntN(3))
	case 6:
		list := []any{}
		for range m.IntN(4) * min(depth, 1) {
			list = append(list, m.value(depth-1))
		}
		return list
	}
	return m.object(depth)
}

func (m *maker) object(depth int) map[string]any {
	object := map[string]any{}
	for range m.IntN(4) * min(depth, 1) {
		object[m.name()] = m.value(depth - 1)
	}
	return object
}

func (m *maker) schema(depth int) map[string]any {
	schema := map[string]any{}
	for range 1 + m.IntN(3) {
		if m.left--; m.left < 0 {
			break
		}
		keyword, value := m.keyword(depth)
		schema[keyword] = value
	}
	return schema
}

// sub is a schema within another one.
func (m *maker) sub(depth int) any {
	if depth <= 0 || m.IntN(5) == 0 {
		return m.IntN(3) > 0
	}
	if m.IntN(8) == 0 {
		return map[string]any{"$ref": "#/$defs/d", m.name(): 1, "maxProperties": m.IntN(3)}
	}
	return m.schema(depth - 1)
}

func (m *maker) subs(depth int) (list []any) {
	for range 1 + m.IntN(3) {
		list = append(list, m.sub(depth))
	}
	return list
}

func (m *maker) table(depth int) map[string]any {
	table := map[string]any{}
	for range 1 + m.IntN(3) {
		table[m.name()] = m.sub(depth)
	}
	return table
}

func (m *maker) keyword(depth int) (string, any) {
	pick := func(names string) string {
		list := strings.Fields(names)
		return list[m.IntN(len(list))]
	}
	types := func() string { return pick("object array string number integer boolean null") }
	switch m.IntN(12) {
	case 0:
		return "type", types()
	case 1:
		return "type", []string{types(), types()}
	case 2:
		return "enum", []any{m.value(1), m.value(1), m.value(1)}
	case 3:
		return "const", m.value(1)
	case 4:
		return pick("minimum maximum exclusiveMinimum exclusiveMaximum"), float64(m.IntN(8)) / 4
	case 5:
		return pick("minLength maxLength minItems maxItems minProperties maxProperties minContains maxContains"), m.IntN(3)
	case 6:
		return pick("allOf anyOf oneOf prefixItems"), m.subs(depth)
	case 7:
		return pick("not if then else items contains additionalItems propertyNames"), m.sub(depth)
	case 8, 9:
		return pick("properties properties patternProperties dependentSchemas dependencies"), m.table(depth)
	case 10:
		return pick("additionalProperties unevaluatedProperties unevaluatedItems"), m.sub(depth)
	}
	switch m.IntN(5) {
	case 0:
		return "multipleOf", 0.5
	case 1:
		return "pattern", "^" + m.name()
	case 2:
		return "uniqueItems", true
	case 3:
		return "required", []string{m.name()}
	}
	return pick("dependentRequired dependencies"), map[string][]string{m.name(): {m.name()}}
}

// FuzzAgainstTheReference compares with the reference, whatever the schema.
func FuzzAgainstTheReference(f *testing.F) {
	for i, keyword := range strings.Fields("allOf anyOf oneOf") {
		f.Add(fmt.Appendf(nil, `{%q:[{"properties":{"a":{"type":"integer"}}},{"required":["b"]}]}`, keyword),
			fmt.Appendf(nil, `{"a":%d}`, i))
	}
	f.Add([]byte(`{"properties":{"a":{"items":[{"const":1}],"additionalItems":false}},"$schema":"`+draft7+`"}`),
		[]byte(`{"a":[1,2]}`))
	f.Add([]byte(`{"allOf":[{"properties":{"a":true}}],"unevaluatedProperties":false}`), []byte(`{"a":1,"b":2}`))
	f.Add([]byte(`{"AllOf":[{"required":[""]}]}`), []byte(`{}`))
	f.Fuzz(func(t *testing.T, schema, args []byte) {
		fuzztest.Memory(t)
		compare(t, schema, args)
	})
}

func TestASchemaOfAnotherVersionIsNotUsed(t *testing.T) {
	for version, usable := range map[string]bool{
		draft7: true, strings.TrimSuffix(draft7, "#"): true, draft2020: true, "": true,
		"http://json-schema.org/draft-04/schema#": false, "https://json-schema.org/draft/2019-09/schema": false,
	} {
		_, err := tools.Compile(fmt.Appendf(nil, `{"$schema":%q}`, version))
		if usable != (err == nil) || !usable && !errors.Is(err, tools.ErrSchema) {
			t.Errorf("%s: %v", version, err)
		}
	}
}
