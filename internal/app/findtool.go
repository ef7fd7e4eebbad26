package app

import (
	"fmt"
	"slices"
	"strings"

	"github.com/chibi-host/chibi/internal/term"
	"github.com/chibi-host/chibi/plugin"
	"github.com/chibi-host/chibi/tools"
)

// FindTool finds a tool by its name, or by the name of the plugin that offers it.
func FindTool(s *Session, name string) (tools.Tool, error) {
	if tool, ok := s.Agent.Tools.Lookup(name); ok {
		return tool, nil
	}
	for _, p := range s.Loaded.Plugins {
		switch {
		case p.Name == name && len(p.Tools) > 0:
			return p.Tools[0], nil
		case p.Name == name || slices.Contains(p.NotTools, name):
			return nil, UsageError{hooksOnly(&p)}
		}
	}
	return nil, UsageError{fmt.Errorf("there is no tool or plugin %q; chibi plugin list names them", name)}
}

// hooksOnly returns the error for a call of a plugin that has no tool.
func hooksOnly(p *plugin.Plugin) error {
	if len(p.Hooks) == 0 {
		return fmt.Errorf("plugin %q offers no tool", p.Name)
	}
	var names []string
	for _, name := range p.Hooks {
		names = append(names, string(name))
	}
	return fmt.Errorf("plugin %q offers no tool, it only has hooks (%s); to try one: chibi hook fire %s --plugin %s",
		p.Name,
		strings.Join(names, ", "), names[0], term.ShellWord(p.Name))
}
