package tools

import (
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"github.com/chibi-host/chibi/internal/strictjson"
)

// explain puts the argument's name before what the validator found wrong.
func explain(schema any, err error) error {
	text := err.Error()
	found := words(schema, text)
	if m := regexp.MustCompile(`/properties/([^/:]+)`).FindStringSubmatch(text); m != nil {
		return fmt.Errorf("argument %q: %s", m[1], found)
	}
	return errors.New(found)
}

// words says what the validator found wrong, in the terms of JSON: the validator
// itself prints values as Go does. schema is the whole schema as a value; text is
// what the validator said, with the places that it was at.
func words(schema any, text string) string {
	place, text := lastPlace(text)
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

// typeWords reads the type that is there and the one or those that are wanted.
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

// aType is a type of JSON Schema in a sentence.
func aType(kind string) string {
	switch kind {
	case "null":
		return kind
	case "object", "array", "integer":
		return "an " + kind
	}
	return "a " + kind
}

// maxAllowed bounds how many bytes of the values that a schema allows are named.
const maxAllowed = 400

func allowedWords(schema any, keyword string) string {
	object, _ := schema.(map[string]any)
	text, err := strictjson.Encode(object[keyword])
	switch {
	case err != nil || object == nil || len(text) > maxAllowed:
		return "is none of the values that are allowed"
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

// matchWords says what is wrong with each of several schemas, where the validator
// does.
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

// lastPlace takes the chain of places off what the validator said, and returns the
// innermost one, a JSON Pointer.
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

// at is what a schema has at a JSON Pointer; nil if nothing.
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
