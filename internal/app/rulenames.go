package app

import (
	"fmt"
	"slices"
	"strings"

	"github.com/chibi-host/chibi/internal/config"
	"github.com/chibi-host/chibi/internal/strictjson"
	"github.com/chibi-host/chibi/tools"
)

// UnknownTools returns a sentence about each rule of the configuration that names neither a
// category nor a tool that there is, the coding tools included. Plugins come and go, so that
// is no error, but it may be a mistake.
func UnknownTools(s *Session) (about []string) {
	known := knownTools(s)
	p := s.Config.Permissions
	for _, rule := range slices.Concat(p.Deny, p.Ask, p.Allow) {
		name, _, _ := strings.Cut(rule.Text, "(")
		if slices.Contains(known, name) || strings.Contains(name, "*") || strings.HasPrefix(name, "mcp__") {
			continue
		}
		text := fmt.Sprintf("the rule %q of %s is about no tool that there is", rule.Text, rule.Where)
		if near := strictjson.Nearest(name, known); near != "" {
			text += fmt.Sprintf("; did you mean %q?", near)
		}
		about = append(about, text)
	}
	return about
}

// HasRules reports whether the configuration has rules about tools.
func HasRules(c config.Config) bool { return hasRules(c) }

// knownTools lists the names that rules can have.
func knownTools(s *Session) (names []string) {
	for _, c := range tools.Categories() {
		names = append(names, string(c))
	}
	for _, spec := range s.Agent.Tools.Specs() {
		names = append(names, spec.Name)
	}
	for _, tool := range codingTools(s, nil) {
		names = append(names, tool.Spec().Name)
	}
	return names
}
