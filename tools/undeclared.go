package tools

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/chibi-host/chibi/internal/strictjson"
)

// Undeclared is what a tool without a [Category] seems to do.
type Undeclared struct {
	Category Category
	// Subject is the argument that suggests it.
	Subject string
}

// UndeclaredOf returns what a plugin's tool without a category seems to do, by the names of its
// arguments: an argument for a command or a URL, or one for a path and one for a content. It returns
// false if these suggest nothing, and if the tool says that it means to have no category.
func UndeclaredOf(spec Spec) (Undeclared, bool) {
	if spec.Kind != Plugin || spec.Category != "" || spec.Uncategorized {
		return Undeclared{}, false
	}
	return Suggested(textsIn(spec.Parameters))
}

// Suggested returns what a tool seems to do by the names of its arguments that are texts; false:
// they suggest nothing.
func Suggested(names []string) (Undeclared, bool) {
	for _, c := range []Category{CategoryShell, CategoryFetch} {
		if name := oneOf(names, UsualSubjects(c)); name != "" {
			return Undeclared{c, name}, true
		}
	}
	path := oneOf(names, UsualSubjects(CategoryWrite))
	if path == "" || oneOf(names, []string{"content", "contents", "text"}) == "" {
		return Undeclared{}, false
	}
	return Undeclared{CategoryWrite, path}, true
}

// textsIn lists the parameters that can be any text, or a list of texts.
func textsIn(parameters json.RawMessage) (names []string) {
	var schema struct {
		Properties map[string]json.RawMessage `json:"properties"`
	}
	if strictjson.Decode(parameters, &schema) != nil {
		return nil
	}
	for name, raw := range schema.Properties {
		var p struct {
			Type  json.RawMessage `json:"type"`
			Enum  json.RawMessage `json:"enum"`
			Const json.RawMessage `json:"const"`
		}
		if strictjson.Decode(raw, &p) == nil && (p.Enum != nil || p.Const != nil || !takesText(string(p.Type))) {
			continue
		}
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// takesText reports whether a type of JSON Schema, or a list of types, can be a text or a list.
func takesText(kind string) bool {
	return kind == "" || strings.Contains(kind, `"string"`) || strings.Contains(kind, `"array"`)
}

// oneOf returns the first of the names that is one of the usual ones, "" if none is.
func oneOf(names, usual []string) string {
	for _, want := range usual {
		for _, name := range names {
			if SameArgument(name, want) {
				return name
			}
		}
	}
	return ""
}
