package app

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"github.com/chibi-host/chibi/agent"
	"github.com/chibi-host/chibi/contexts"
	"github.com/chibi-host/chibi/permissions"
	"github.com/chibi-host/chibi/tools"
)

// addAgents puts the tools that start sub-agents into the session's set, except for those
// whose names plugins' tools have, and says what sub-agents can be.
func addAgents(s *Session, rules *permissions.Rules) error {
	s.Agent.Subagents = agent.Subagents{
		MaxDepth: s.Config.MaxAgentDepth, MaxTokens: s.Config.MaxAgentTokens, Recipe: RecipesOf(s).ForAgent,
		WithModel: func(set agent.Settings, model string) (agent.Settings, error) { return withModel(s, set, model) },
		Keep:      keeping(s, rules),
	}
	return offer(s, agent.SpawnTool(RecipesOf(s).Agents()...), summarizeTool(s, s.Cache()))
}

// keeping returns what finds the contexts that keep conversations of sub-agents. Several can
// be looked for at the same time.
func keeping(s *Session, rules *permissions.Rules) func(context.Context, string) (agent.Kept, error) {
	var mu sync.Mutex
	return func(ctx context.Context, name string) (agent.Kept, error) {
		mu.Lock()
		defer mu.Unlock()
		t, err := s.For(ctx, name)
		if err != nil {
			return agent.Kept{}, err
		}
		if t.Config.BaseURL != s.Config.BaseURL || t.Config.APIKey != s.Config.APIKey {
			t.Close()
			return agent.Kept{}, fmt.Errorf("context %q uses another server, %s; a sub-agent uses the server of the run", name,
				Host(t.Config.BaseURL))
		}
		own := append(builtinTools(s, rules, t.Agent, t.Cache()), summarizeTool(s, t.Cache()))
		return agent.Kept{
			Context: t.Context, Cache: t.Cache(), Settings: t.Agent.Settings, Lock: lockOf(t), Close: t.Close,
			Tools: withThese(s.Agent.Tools, own),
		}, nil
	}
}

// lockOf returns what reserves the context of a sub-agent. Nobody waits for it.
func lockOf(t *Session) func(context.Context) (context.Context, func(), error) {
	return func(ctx context.Context) (context.Context, func(), error) {
		held, unlock, err := t.Context.Lock(ctx)
		if locked, ok := errors.AsType[*contexts.LockedError](err); ok {
			err = fmt.Errorf("context %q is in use by %s; use a different one, or do without", locked.Context, locked.Holder)
		}
		return held, unlock, err
	}
}

// withThese returns a set with other tools in place of the tools of the same names, except the
// tools of plugins.
func withThese(set *tools.Set, others []tools.Tool) *tools.Set {
	byName := map[string]tools.Tool{}
	for _, tool := range others {
		byName[tool.Spec().Name] = tool
	}
	made := &tools.Set{}
	for _, spec := range set.Specs() {
		tool, _ := set.Lookup(spec.Name)
		if other, ok := byName[spec.Name]; ok && spec.Kind != tools.Plugin {
			tool = other
		}
		made.Add(tool) // the names are unique
	}
	return made
}
