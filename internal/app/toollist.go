package app

import (
	"fmt"

	"github.com/chibi-host/chibi/agent"
	"github.com/chibi-host/chibi/tools"
	"github.com/chibi-host/chibi/tools/summarize"
)

// ListedTool describes a tool of a session to a person. docs/JSON.md describes its members.
type ListedTool struct {
	Name     string         `json:"name"`
	Type     tools.Kind     `json:"type"`
	Category tools.Category `json:"category,omitempty"`
	// Plugin names the plugin that brings it; "": it is part of chibi.
	Plugin string `json:"plugin,omitempty"`
	// Asked says when the person is asked about its calls, as long as no rule and no
	// plugin decides: "always", "outside the project", "outside the project, and URLs",
	// "never".
	Asked string `json:"asked"`
	// Unoffered says why the model is not offered it, plugins' filters aside; "": it is.
	Unoffered string `json:"unoffered,omitempty"`
}

// List lists the tools in the order of offering.
func (t Tools) List() []ListedTool {
	without := agent.Unoffered(t.agent)
	list := []ListedTool{}
	for _, spec := range t.agent.Tools.Specs() {
		list = append(list, ListedTool{Name: spec.Name, Type: spec.Kind, Category: spec.Category, Plugin: spec.Owner,
			Asked: asked(spec), Unoffered: without[spec.Name]})
	}
	return list
}

// asked says when a person is asked about a tool.
func asked(spec tools.Spec) string {
	if remote := spec.Remote; remote != nil {
		if !remote.ReadOnly {
			return "always"
		}
		if spec.Category == tools.CategoryMCP {
			return "never"
		}
	}
	if spec.Name == summarize.Name && spec.Kind == tools.Builtin {
		return "outside the project, and URLs"
	}
	switch spec.Category {
	case "", tools.CategoryAgent:
		return "never"
	case tools.CategoryRead, tools.CategorySearch:
		return "outside the project"
	}
	return "always"
}

// Text describes the tool in the columns of a list.
func (l ListedTool) Text() []string {
	from, about := string(l.Type), "asked: "+l.Asked
	if l.Plugin != "" {
		from = fmt.Sprintf("plugin %s", l.Plugin)
	}
	if l.Unoffered != "" {
		about = "not offered: " + l.Unoffered
	}
	return []string{l.Name, string(l.Category), from, about}
}
