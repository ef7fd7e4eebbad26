package tools

import (
	"maps"
	"regexp"
	"slices"
)

// The rules for objects. Members are checked by name, so that the same arguments always
// lead to the same finding.

// onObjects makes a rule that other values satisfy.
func onObjects(check func(object map[string]any, seen *evaluated) *finding) rule {
	return func(v any, seen *evaluated) *finding {
		if object, isObject := v.(map[string]any); isObject {
			return check(object, seen)
		}
		return nil
	}
}

// matched are the members whose names match a pattern.
type matched struct {
	pattern *regexp.Regexp
	node    *node
}

// memberRules are properties, patternProperties and additionalProperties.
type memberRules struct {
	named   map[string]*node
	matched []matched
	others  *node // nil: not said
}

func membersRule(m *ruleMaker) rule {
	r := memberRules{named: m.table("properties"), others: m.child("additionalProperties")}
	patterns := m.table("patternProperties")
	for _, text := range slices.Sorted(maps.Keys(patterns)) {
		r.matched = append(r.matched, matched{m.compiled(text), patterns[text]})
	}
	if len(r.named) == 0 && len(r.matched) == 0 && r.others == nil {
		return nil
	}
	return onObjects(r.check)
}

func (r memberRules) check(object map[string]any, seen *evaluated) *finding {
	var unexpected []string
	for _, name := range slices.Sorted(maps.Keys(object)) {
		nodes := r.of(name)
		if len(nodes) == 0 && r.others != nil {
			if r.others.isNothing() {
				unexpected = append(unexpected, name)
				continue
			}
			nodes = []*node{r.others}
		}
		for _, n := range nodes {
			if f := n.check(object[name], nil); f != nil {
				return f.in(name)
			}
			seen.member(name)
		}
	}
	if len(unexpected) > 0 {
		return found("unexpected additional properties %q", unexpected)
	}
	return nil
}

// of lists the schemas for a member other than additionalProperties.
func (r memberRules) of(name string) (nodes []*node) {
	if n := r.named[name]; n != nil {
		nodes = append(nodes, n)
	}
	for _, m := range r.matched {
		if m.pattern.MatchString(name) {
			nodes = append(nodes, m.node)
		}
	}
	return nodes
}

func namesRule(m *ruleMaker) rule {
	names := m.child("propertyNames")
	if names == nil {
		return nil
	}
	return onObjects(func(object map[string]any, _ *evaluated) *finding {
		for _, name := range slices.Sorted(maps.Keys(object)) {
			if f := names.check(name, nil); f != nil {
				return f
			}
		}
		return nil
	})
}

func objectSizeRule(m *ruleMaker) rule {
	least, hasLeast := m.count("minProperties")
	most, hasMost := m.count("maxProperties")
	if !hasLeast && !hasMost {
		return nil
	}
	return onObjects(func(object map[string]any, _ *evaluated) *finding {
		switch {
		case hasLeast && len(object) < least:
			return found("minProperties: object has %d properties, less than %d", len(object), least)
		case hasMost && len(object) > most:
			return found("maxProperties: object has %d properties, greater than %d", len(object), most)
		}
		return nil
	})
}

func requiredRule(m *ruleMaker) rule {
	required := m.names("required", m.schema["required"])
	if len(required) == 0 {
		return nil
	}
	return onObjects(func(object map[string]any, _ *evaluated) *finding {
		if lacks := missing(object, required); len(lacks) > 0 {
			return found("required: missing properties: %q", lacks)
		}
		return nil
	})
}

func missing(object map[string]any, names []string) (lacks []string) {
	for _, name := range names {
		if _, isThere := object[name]; !isThere {
			lacks = append(lacks, name)
		}
	}
	return lacks
}

// dependentRule is for what members require of others: in draft-07 in one keyword.
func dependentRule(m *ruleMaker) rule {
	forNames, forSchemas := "dependentRequired", "dependentSchemas"
	if m.draft == draft7 {
		forNames, forSchemas = "dependencies", "dependencies"
	}
	if value := m.schema[forNames]; value != nil && objectAt(m.schema, forNames) == nil {
		m.wrong(forNames, "an object of lists of strings")
	}
	schemas, required := m.table(forSchemas), map[string][]string{}
	for name, value := range objectAt(m.schema, forNames) {
		if _, isList := value.([]any); isList || m.draft != draft7 {
			required[name] = m.names(forNames, value)
		}
	}
	if m.draft != draft7 && len(schemas) < len(objectAt(m.schema, forSchemas)) {
		m.wrong(forSchemas, "an object of schemas")
	}
	if len(schemas) == 0 && len(required) == 0 {
		return nil
	}
	return onObjects(func(object map[string]any, seen *evaluated) *finding {
		for _, name := range slices.Sorted(maps.Keys(object)) {
			if lacks := missing(object, required[name]); len(lacks) > 0 {
				return found("dependentRequired[%q]: missing properties %q", name, lacks)
			}
			if n := schemas[name]; n != nil {
				if f := n.check(object, seen); f != nil {
					return f
				}
			}
		}
		return nil
	})
}

func unevaluatedMembersRule(m *ruleMaker) rule {
	others := m.child("unevaluatedProperties")
	if others == nil {
		return nil
	}
	return onObjects(func(object map[string]any, seen *evaluated) *finding {
		for _, name := range slices.Sorted(maps.Keys(object)) {
			if seen.allMembers || seen.members[name] {
				continue
			}
			if f := others.check(object[name], nil); f != nil {
				return f.in(name)
			}
		}
		seen.allMembers = true
		return nil
	})
}
