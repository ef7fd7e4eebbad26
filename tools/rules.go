package tools

import (
	"fmt"
	"maps"
	"math"
	"regexp"
	"slices"
	"strings"

	"github.com/chibi-host/chibi/internal/strictjson"
)

// rule checks a value by one keyword of a schema, or by several that belong together. It
// returns nil if the value satisfies it.
type rule func(v any, seen *evaluated) *finding

type dialect int

const (
	draft2020 dialect = iota // also without $schema
	draft7
)

func dialectOf(schema any) (dialect, error) {
	version, _ := field(schema, "$schema").(string)
	switch strings.TrimSuffix(version, "#") {
	case "", "https://json-schema.org/draft/2020-12/schema":
		return draft2020, nil
	case "http://json-schema.org/draft-07/schema", "https://json-schema.org/draft-07/schema":
		return draft7, nil
	}
	return 0, fmt.Errorf("its $schema %.100q is not a known version; want draft-07 or draft 2020-12", version)
}

// ruleMaker makes the rules of one schema. A keyword with a value of the wrong type is an
// error; null counts as absent, except for const and type.
type ruleMaker struct {
	nodes  map[string]*node // by JSON Pointer
	at     string
	schema map[string]any
	draft  dialect
	err    error
}

func (c *compiler) makeRules(draft dialect) error {
	for _, at := range slices.Sorted(maps.Keys(c.nodes)) {
		n := c.nodes[at]
		schema, ok := n.schema.(map[string]any)
		if !ok {
			if n.schema == false {
				n.rules = []rule{func(any, *evaluated) *finding { return found(matchesNot) }}
			}
			continue
		}
		m := ruleMaker{nodes: c.nodes, at: at, schema: schema, draft: draft}
		if n.rules = m.all(); m.err != nil {
			return fmt.Errorf("in %s: %w", place(at), m.err)
		}
	}
	return nil
}

// all makes the rules in the order in which they are checked. What is evaluated by other
// schemas is known before unevaluatedItems and unevaluatedProperties.
func (m *ruleMaker) all() (rules []rule) {
	makers := []func(*ruleMaker) rule{
		refRule, typeRule, enumRule, constRule, numberRule, stringRule, allOfRule, anyOfRule, oneOfRule, notRule, ifRule,
		elementsRule, containsRule, arraySizeRule, uniqueRule, unevaluatedElementsRule,
		membersRule, namesRule, objectSizeRule, requiredRule, dependentRule, unevaluatedMembersRule,
	}
	if _, isRef := m.schema["$ref"].(string); isRef && m.draft == draft7 {
		makers = makers[:1] // what stands beside $ref is ignored
	}
	for _, make := range makers {
		if r := make(m); r != nil {
			rules = append(rules, r)
		}
	}
	return rules
}

// wrong records that a keyword has a value of the wrong type.
func (m *ruleMaker) wrong(keyword, want string) {
	if m.err == nil {
		value, _ := strictjson.Encode(m.schema[keyword])
		m.err = &strictjson.TypeError{Field: keyword, Want: want, Value: strictjson.TypeOf(value)}
	}
}

func (m *ruleMaker) number(keyword string) (n float64, isSet bool) {
	value := m.schema[keyword]
	n, isSet = value.(float64)
	if !isSet && value != nil {
		m.wrong(keyword, "a number")
	}
	return n, isSet
}

func (m *ruleMaker) count(keyword string) (n int, isSet bool) {
	value, isSet := m.number(keyword)
	if value != math.Trunc(value) || math.Abs(value) > math.MaxInt32 {
		m.wrong(keyword, "an integer")
		return 0, false
	}
	return int(value), isSet
}

// names returns a list of strings that is the value of a keyword, or is in it.
func (m *ruleMaker) names(keyword string, value any) (names []string) {
	list, isList := value.([]any)
	if !isList && value != nil {
		m.wrong(keyword, "a list of strings")
	}
	for _, v := range list {
		name, ok := v.(string)
		if !ok {
			m.wrong(keyword, "a list of strings")
			return nil
		}
		names = append(names, name)
	}
	return names
}

// child returns the schema that is the value of a keyword, nil if it is absent. A list of
// schemas for items is no mistake: draft-07 has it.
func (m *ruleMaker) child(keyword string) *node {
	if _, isList := m.schema[keyword].([]any); isList && keyword != "items" {
		m.wrong(keyword, "a schema")
	}
	return m.nodes[m.at+"/"+keyword]
}

func (m *ruleMaker) compiled(text string) *regexp.Regexp {
	pattern, err := regexp.Compile(text)
	if err != nil && m.err == nil {
		m.err = err
	}
	return pattern
}

// list returns the schemas in the list that is the value of a keyword.
func (m *ruleMaker) list(keyword string) (nodes []*node) {
	values, isList := m.schema[keyword].([]any)
	if !isList && m.schema[keyword] != nil {
		m.wrong(keyword, "a list of schemas")
	}
	for i := range values {
		nodes = append(nodes, m.nodes[fmt.Sprintf("%s/%s/%d", m.at, keyword, i)])
	}
	return nodes
}

// table returns the schemas in the object that is the value of a keyword, by name.
func (m *ruleMaker) table(keyword string) map[string]*node {
	nodes := map[string]*node{}
	for name := range objectAt(m.schema, keyword) {
		if n := m.nodes[m.at+"/"+keyword+"/"+strictjson.EscapeToken(name)]; n != nil {
			nodes[name] = n
		}
	}
	return nodes
}

func objectAt(schema map[string]any, keyword string) map[string]any {
	object, _ := schema[keyword].(map[string]any)
	return object
}
