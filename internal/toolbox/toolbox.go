// Package toolbox has what a person can do with the tools of a session: list, find and call them.
//
// It promises that a tool gets the arguments that it would get in a turn without hooks, and that
// no hook fires.
package toolbox

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/chibi-host/chibi/agent"
	"github.com/chibi-host/chibi/internal/strictjson"
	"github.com/chibi-host/chibi/internal/term"
	"github.com/chibi-host/chibi/internal/usage"
	"github.com/chibi-host/chibi/plugin"
	"github.com/chibi-host/chibi/tools"
	"github.com/chibi-host/chibi/tools/summarize"
)

// Tools are what a person can call: the tools of a session and the plugins that offer
// them.
type Tools struct {
	agent   *agent.Agent
	plugins []plugin.Plugin
}

// Of returns the tools of an agent, and of the plugins that it asks.
func Of(a *agent.Agent, plugins []plugin.Plugin) Tools { return Tools{a, plugins} }

// Call calls a tool on behalf of a person. The tool gets the arguments that it would
// get in a turn without hooks. No hook fires.
func (t Tools) Call(ctx context.Context, name string, args json.RawMessage) (tools.Tool, tools.Result, error) {
	tool, err := t.Find(name)
	if err != nil {
		return nil, tools.Result{}, err
	}
	if args, err = t.agent.PrepareArguments(tool.Spec(), args); err != nil {
		return nil, tools.Result{}, usage.Error{Err: fmt.Errorf("tool %q: %w", tool.Spec().Name, err)}
	}
	result, err := tool.Call(ctx, tools.Call{Arguments: args, Context: t.agent.Context.Name()})
	return tool, result, err
}

// Find finds a tool by its name, or by the name of the plugin that offers it.
func (t Tools) Find(name string) (tools.Tool, error) {
	if tool, ok := t.agent.Tools.Lookup(name); ok {
		return tool, nil
	}
	for _, p := range t.plugins {
		switch {
		case p.Name == name && len(p.Tools) > 0:
			return p.Tools[0], nil
		case p.Name == name || slices.Contains(p.NotTools, name):
			return nil, usage.Error{Err: hooksOnly(&p)}
		}
	}
	return nil, usage.Error{Err: fmt.Errorf("there is no tool or plugin %q; chibi plugin list names them", name)}
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
		p.Name, strings.Join(names, ", "), names[0], term.ShellWord(p.Name))
}

// Arguments parses what a person writes as a tool's arguments; an empty text is {}.
// They are normalized like arguments of a model.
func Arguments(text string) (json.RawMessage, error) {
	if strings.TrimSpace(text) == "" {
		text = "{}"
	}
	args, err := strictjson.Arguments([]byte(text))
	if err != nil {
		return nil, fmt.Errorf("the arguments are not valid JSON; write them as one word in quotes: '{\"key\": \"value\"}' "+
			"(%w)", err)
	}
	return args, nil
}

// Listed describes a tool of a session to a person. docs/JSON.md describes its members.
type Listed struct {
	Name     string         `json:"name"`
	Type     tools.Kind     `json:"type"`
	Category tools.Category `json:"category,omitempty"`
	// Plugin names the plugin that brings it; "": it is part of chibi.
	Plugin string `json:"plugin,omitempty"`
	// Asked says which of its calls need an answer of the person, as long as no rule and no
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
func (t Tools) List() []Listed {
	without := agent.Unoffered(t.agent)
	list := []Listed{}
	for _, spec := range t.agent.Tools.Specs() {
		one := Listed{Name: spec.Name, Type: spec.Kind, Category: spec.Category, Plugin: spec.Owner,
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

// asked says which calls of a tool need an answer of a person.
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
func (l Listed) Text() []string {
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
