package app

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/chibi-host/chibi/agent"
	"github.com/chibi-host/chibi/internal/strictjson"
	"github.com/chibi-host/chibi/internal/term"
	"github.com/chibi-host/chibi/plugin"
	"github.com/chibi-host/chibi/tools"
)

// Tools are what a person can call: the tools of a session and the plugins that offer
// them.
type Tools struct {
	agent   *agent.Agent
	plugins []plugin.Plugin
}

// ToolsOf returns the tools of a session.
func ToolsOf(s *Session) Tools { return Tools{s.Agent, s.Loaded.Plugins} }

// Call calls a tool on behalf of a person. The tool gets the arguments that it would
// get in a turn without hooks. No hook fires.
func (t Tools) Call(ctx context.Context, name string, args json.RawMessage) (tools.Tool, tools.Result, error) {
	tool, err := t.Find(name)
	if err != nil {
		return nil, tools.Result{}, err
	}
	if args, err = t.agent.PrepareArguments(tool.Spec(), args); err != nil {
		return nil, tools.Result{}, UsageError{Err: fmt.Errorf("tool %q: %w", tool.Spec().Name, err)}
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
			return nil, UsageError{Err: hooksOnly(&p)}
		}
	}
	return nil, UsageError{Err: fmt.Errorf("there is no tool or plugin %q; chibi plugin list names them", name)}
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

// ToolArguments parses what a person writes as a tool's arguments; an empty text is {}.
// They are normalized like those of a model.
func ToolArguments(text string) (json.RawMessage, error) {
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
