package app

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"

	"github.com/chibi-host/chibi/agent"
	"github.com/chibi-host/chibi/contexts"
	"github.com/chibi-host/chibi/internal/agents/hooks"
	"github.com/chibi-host/chibi/internal/agents/theirs"
	"github.com/chibi-host/chibi/tools"
	"github.com/chibi-host/chibi/tools/coding"
)

// waysOf returns how chibi asks hooks of coding agents that are not commands.
func waysOf(s *Session) hooks.Ways {
	ways := hooks.Ways{
		Post: theirs.Poster{AllowPrivate: s.Config.Foreign.AllowPrivate}.Post,
		Call: func(ctx context.Context, server, tool string, input json.RawMessage) (string, error) {
			return callForHook(ctx, s, serverTool{server, tool}, input)
		},
	}
	if s.Config.Foreign.ModelHooks {
		ways.Ask = func(ctx context.Context, q hooks.Judging) (string, error) { return askForHook(ctx, s, q) }
	}
	return ways
}

// serverTool is a tool of an MCP server.
type serverTool struct{ server, tool string }

// callForHook calls a tool of an MCP server for a hook that says so.
func callForHook(ctx context.Context, s *Session, what serverTool, input json.RawMessage) (string, error) {
	server, err := MCPOf(s).Find(what.server)
	if err != nil {
		return "", err
	}
	result, err := MCPOf(s).Call(ctx, server, what.tool, input)
	if err != nil {
		return "", err
	}
	if result.File != nil {
		defer result.File.Close()
	}
	if result.Failed {
		return "", fmt.Errorf("tool %q of MCP server %q failed: %s", what.tool, what.server, result.Told())
	}
	return result.Text, nil
}

// askForHook asks the model for a hook that has it judge what happens: in a conversation of its
// own, without plugins. It reads files if the hook says so, those that nobody need be asked for.
func askForHook(ctx context.Context, s *Session, q hooks.Judging) (string, error) {
	conversation, err := contexts.NewMemory().Context("hook")
	if err != nil {
		return "", err
	}
	set := s.Agent.Settings
	if model := cmp.Or(q.Model, s.Config.Foreign.PromptModel); model != "" {
		if set, err = withModel(s, set, model); err != nil {
			return "", err
		}
	}
	none := ""
	set.SystemPrompt, set.Instructions, set.MaxSteps, set.AutoCompact = &none, "", maxHookSteps, false
	set.Strict = false
	judge := &agent.Agent{Model: s.Agent.Model, Context: conversation, Tools: &tools.Set{}, Settings: set}
	if q.ReadsFiles {
		if err := addReading(s, judge); err != nil {
			return "", err
		}
	}
	text, err := judge.Prompt(ctx, q.Text)
	if agent.OutcomeOf(err) != "" {
		return text, nil // the hook judges what it got
	}
	return text, err
}

// maxHookSteps bounds how often the model of a hook responds.
const maxHookSteps = 50

// addReading gives an agent the tools that read and search files, and a gate at which nobody
// is asked.
func addReading(s *Session, judge *agent.Agent) error {
	rules, err := newRules(s)
	if err != nil {
		return err
	}
	if judge.Gate, err = newGate(s, rules); err != nil {
		return err
	}
	judge.Gate.Person, judge.Gate.TrustAll = nil, false
	files := filesOf(s)
	files.MayRead = rules.MayRead
	for _, tool := range coding.Tools(files) {
		if c := tool.Spec().Category; c == tools.CategoryRead || c == tools.CategorySearch {
			if err := judge.Tools.Add(tool); err != nil {
				return err
			}
		}
	}
	return nil
}
