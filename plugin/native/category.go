package native

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/chibi-host/chibi/internal/strictjson"
	"github.com/chibi-host/chibi/tools"
)

// noCategory says in a schema that the tool does nothing of any category.
const noCategory tools.Category = "none"

func (s schema) category() tools.Category {
	if s.Category == noCategory {
		return ""
	}
	return s.Category
}

// keepCategory removes a category that does not exist, and a subject that names no argument,
// with a warning for each. Rules and permission points then know less of the tool, but the
// plugin is used.
func (s *schema) keepCategory() (warnings []string) {
	if !s.isTool() {
		s.Category, s.Subject, s.Parallel = "", "", false
		return nil
	}
	known := append(tools.Categories(), noCategory)
	if s.Category != "" && !slices.Contains(known, s.Category) {
		warnings = append(warnings, unknownCategory(s.Name, string(s.Category)))
		s.Category, s.Subject = "", ""
	}
	switch {
	case s.Subject != "" && s.category() == "":
		warnings = append(warnings, fmt.Sprintf(`its tool %q has a "subject" without a "category", which has no effect`,
			s.Name))
		s.Subject = ""
	case s.Subject != "" && !hasProperty(s.Parameters, s.Subject):
		warnings = append(warnings, fmt.Sprintf(`the "subject" of its tool %q is %q, but its "parameters" have no such `+
			`property`, s.Name, s.Subject))
		s.Subject = ""
	}
	if what := subjectOf(s.Category); s.Subject == "" && what != "" {
		warnings = append(warnings, fmt.Sprintf(`its tool %q has the category %q and no "subject": rules and permission `+
			`points cannot see %s; name the argument that holds it`, s.Name, s.Category, what))
	}
	return warnings
}

// unknownCategory is the warning about a category that does not exist.
func unknownCategory(tool, category string) string {
	var names []string
	for _, c := range tools.Categories() {
		names = append(names, string(c))
	}
	text := fmt.Sprintf(`the "category" of its tool %q is %q`, tool, category)
	if near := strictjson.Nearest(category, names); near != "" {
		return fmt.Sprintf("%s; did you mean %q?", text, near)
	}
	return text + "; the categories are " + strings.Join(names, ", ") + ", and none"
}

// subjectOf says what the subject of a category is, "" if the category needs none.
func subjectOf(c tools.Category) string {
	switch c {
	case tools.CategoryShell:
		return "the command"
	case tools.CategoryRead, tools.CategoryWrite, tools.CategoryEdit:
		return "the path"
	case tools.CategoryFetch:
		return "the URL"
	}
	return ""
}

// hasProperty reports whether a JSON Schema names a property.
func hasProperty(parameters json.RawMessage, name string) bool {
	var known struct {
		Properties map[string]json.RawMessage `json:"properties"`
	}
	return strictjson.Decode(parameters, &known) == nil && known.Properties[name] != nil
}
