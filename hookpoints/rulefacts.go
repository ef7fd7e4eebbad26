package hookpoints

import (
	"encoding"
	"encoding/json"
	"maps"
	"reflect"
	"slices"
)

// ruleFacts holds the requirements of a rule for its field.
type ruleFacts struct {
	rule  Rule
	modes []Mode // in which it has an effect
	kind  jsonKind
	names bool // a list of names
	leads bool // other fields can belong to the field
}

// ruleTable lists the rules in the order of the documentation.
func ruleTable() []ruleFacts {
	chain, folds := []Mode{Chain}, []Mode{Gather, Chain}
	return []ruleFacts{
		{rule: RuleReplace, modes: chain, kind: kindAny, leads: true},
		{rule: RulePatch, modes: chain, kind: kindObject, leads: true},
		{rule: RuleBlock, modes: folds, kind: kindBool, leads: true},
		{rule: RuleIntersect, modes: folds, kind: kindList, names: true},
		{rule: RuleUnite, modes: folds, kind: kindList, names: true},
		{rule: RuleJoin, modes: folds, kind: kindText},
		{rule: RuleFirst, modes: folds, kind: kindAny, leads: true},
		{rule: RuleAppend, modes: folds, kind: kindList},
		{rule: RuleClaim, modes: []Mode{Claim}, kind: kindBool, leads: true},
		{rule: RuleWith, modes: []Mode{Gather, Chain, Claim}, kind: kindAny},
	}
}

func modes() []Mode { return []Mode{Observe, Gather, Chain, Claim} }

func factsOf(rule Rule) (ruleFacts, bool) {
	for _, facts := range ruleTable() {
		if facts.rule == rule {
			return facts, true
		}
	}
	return ruleFacts{}, false
}

// rules lists the rules as they are written in tags.
func rules() []Rule { return rulesIn(modes()...) }

// rulesIn lists the rules that have an effect in one of the modes.
func rulesIn(in ...Mode) (rules []Rule) {
	for _, facts := range ruleTable() {
		if slices.ContainsFunc(facts.modes, func(m Mode) bool { return slices.Contains(in, m) }) {
			rules = append(rules, facts.rule)
		}
	}
	return rules
}

// wants describes the type that the field must have.
func (f ruleFacts) wants() string {
	if f.names {
		return "a list of strings"
	}
	return "a " + string(f.kind)
}

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

// kindsOf are the fields of a struct as they stand in JSON: those of embedded
// structs are its own.
func kindsOf(t reflect.Type) map[string]jsonKind {
	kinds := map[string]jsonKind{}
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

func isStruct(t reflect.Type) bool { return t != nil && t.Kind() == reflect.Struct }

func sortedNames(kinds map[string]jsonKind) []string { return slices.Sorted(maps.Keys(kinds)) }
