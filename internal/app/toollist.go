package app

import (
	"fmt"

	"github.com/chibi-host/chibi/agent"
	"github.com/chibi-host/chibi/plugin"
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
	// Unseen says of a tool that seems to be of a category and has none who does not see its
	// calls; "": it has one, or seems to be of none.
	Unseen string `json:"unseen,omitempty"`
}

// List lists the tools in the order of offering.
func (t Tools) List() []ListedTool {
	without := agent.Unoffered(t.agent)
	list := []ListedTool{}
	for _, spec := range t.agent.Tools.Specs() {
		one := ListedTool{Name: spec.Name, Type: spec.Kind, Category: spec.Category, Plugin: spec.Owner,
			Asked: asked(spec), Unoffered: without[spec.Name]}
		if unseen, ok := agent.UnseenBy(t.agent, spec); ok {
			one.Unseen = unseen.String()
		}
		list = append(list, one)
	}
	return list
}

// Unseen lists the tools that guards and rules do not see although they seem to be of a category.
func (t Tools) Unseen() (list []plugin.Unseen) {
	for _, spec := range t.agent.Tools.Specs() {
		if unseen, ok := agent.UnseenBy(t.agent, spec); ok {
			list = append(list, unseen)
		}
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
	if l.Unseen != "" {
		about += "; it " + l.Unseen
	}
	return []string{l.Name, string(l.Category), from, about}
}
