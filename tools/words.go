package tools

import (
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/chibi-host/chibi/internal/strictjson"
)

// maxAlone bounds how many arguments are validated once more: each time the validator goes through
// all properties of the schema.
const maxAlone = 100

// explain returns the validator's finding with the name of the argument. The validator goes through
// members in any order and does not always name them, so each is validated alone, in the order of
// their names: the same arguments lead to the same finding.
func (s *Schema) explain(object map[string]any, err error) error {
	names := slices.Sorted(maps.Keys(object))
	for _, name := range names[:min(len(names), maxAlone)] {
		alone := s.validate(map[string]any{name: object[name]})
		if alone == nil || !isInMember(alone.Error()) {
			continue
		}
		text := alone.Error()
		if strings.Contains(name, ": ") { // which ends a place in the text
			text = strings.ReplaceAll(text, strictjson.EscapeToken(name), "...")
		}
		return fmt.Errorf("argument %q: %s", name, words(s.root.schema, text))
	}
	return errors.New(words(s.root.schema, err.Error()))
}

// isInMember reports whether a finding is about the value of a member.
func isInMember(text string) bool {
	_, found := lastPlace(text)
	return regexp.MustCompile(`/(properties/|patternProperties/|additionalProperties|unevaluatedProperties)`).
		MatchString(strings.TrimSuffix(text, found))
}

// words returns the validator's finding in terms of JSON: the validator itself prints
// values in Go syntax. schema is the whole schema as a value; text is the validator's
// message with its chain of places.
func words(schema any, text string) string {
	place, text := lastPlace(text)
	if list, ok := strings.CutPrefix(text, unexpected); ok {
		return unexpected + sortedNames(list)
	}
	keyword, found, ok := strings.Cut(text, ": ")
	if !ok {
		return text
	}
	switch keyword {
	case "type":
		return typeWords(found)
	case "enum", "const":
		return allowedWords(at(schema, place), keyword)
	case "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf":
		return boundWords(keyword, found)
	case "anyOf", "oneOf", "not", "contains":
		return matchWords(schema, keyword, found)
	}
	return text
}

const unexpected = "unexpected additional properties "

// sortedNames sorts names that are written as fmt does with %q.
func sortedNames(list string) string {
	var names []string
	for rest := strings.TrimPrefix(list, "["); ; {
		name, err := strconv.QuotedPrefix(rest)
		if err != nil {
			break
		}
		names = append(names, name)
		rest = strings.TrimPrefix(rest[len(name):], " ")
	}
	slices.Sort(names)
	return "[" + strings.Join(names, " ") + "]"
}

// typeWords returns which types are wanted and which one the value has.
func typeWords(found string) string {
	m := regexp.MustCompile(`has type "(\w+)", want (?:one of )?"([^"]*)"$`).FindStringSubmatch(found)
	if m == nil {
		return "must be of another type"
	}
	var wanted []string
	for _, name := range strings.Split(m[2], ", ") {
		wanted = append(wanted, aType(name))
	}
	return "must be " + strings.Join(wanted, " or ") + ", is " + aType(m[1])
}

// aType returns a JSON Schema type with its article.
func aType(kind string) string {
	switch kind {
	case "null":
		return kind
	case "object", "array", "integer":
		return "an " + kind
	}
	return "a " + kind
}

// maxAllowed bounds the list of allowed values in a message, in bytes.
const maxAllowed = 400

func allowedWords(schema any, keyword string) string {
	object, _ := schema.(map[string]any)
	text, err := strictjson.Encode(object[keyword])
	switch {
	case err != nil || object == nil || len(text) > maxAllowed:
		return "is not one of the allowed values"
	case keyword == "const":
		return "must be " + string(text)
	}
	return "must be one of " + string(text)
}

func boundWords(keyword, found string) string {
	bound, err := strconv.ParseFloat(found[strings.LastIndexByte(found, ' ')+1:], 64)
	if err != nil {
		return keyword + ": is out of range"
	}
	return map[string]string{
		"minimum": "must be at least ", "maximum": "must be at most ", "exclusiveMinimum": "must be more than ",
		"exclusiveMaximum": "must be less than ", "multipleOf": "must be a multiple of ",
	}[keyword] + strconv.FormatFloat(bound, 'f', -1, 64)
}

// matchWords returns why a value does not match several schemas, with the reasons that the
// validator gives.
func matchWords(schema any, keyword, found string) string {
	switch {
	case keyword == "not":
		return "not: matches the schema that it must not match"
	case keyword == "contains":
		return "contains: no item matches"
	case strings.HasPrefix(found, "validated against both"):
		return "matches more than one of the schemas of oneOf"
	}
	var reasons []string
	for line := range strings.Lines(found) {
		if strings.HasPrefix(line, "validating ") {
			reasons = append(reasons, words(schema, strings.TrimSuffix(line, "\n")))
		}
	}
	text := "matches none of the schemas of " + keyword
	if len(reasons) > 0 {
		text += ": " + strings.Join(reasons, "; ")
	}
	return text
}

// lastPlace splits the validator's message into the innermost place of the chain, a JSON
// Pointer, and the finding.
func lastPlace(text string) (place, found string) {
	for {
		chain, rest, ok := strings.Cut(text, ": ")
		next, isPlace := strings.CutPrefix(chain, "validating ")
		if !ok || !isPlace {
			return place, text
		}
		place, text = next, rest
	}
}

// at returns the value at a JSON Pointer, nil if there is none.
func at(schema any, pointer string) any {
	for _, token := range strings.Split(strings.TrimPrefix(pointer, "/"), "/") {
		token = strictjson.UnescapeToken(token)
		switch v := schema.(type) {
		case map[string]any:
			schema = v[token]
		case []any:
			i, err := strconv.Atoi(token)
			if err != nil || i < 0 || i >= len(v) {
				return nil
			}
			schema = v[i]
		default:
			return nil
		}
	}
	return schema
}
