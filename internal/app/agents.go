package app

import (
	"context"
	"fmt"
	"slices"

	"github.com/chibi-host/chibi/agent"
	"github.com/chibi-host/chibi/internal/recipes"
)

// addAgents puts spawn_agent into the session's set, unless a plugin brings a tool of that
// name, and says what sub-agents can be.
func addAgents(s *Session) error {
	s.Agent.Subagents = agent.Subagents{
		MaxDepth: s.Config.MaxAgentDepth, MaxTokens: s.Config.MaxAgentTokens, Recipe: RecipesOf(s).forAgent,
		WithModel: func(set agent.Settings, model string) (agent.Settings, error) { return withModel(s, set, model) },
	}
	tool := agent.SpawnTool()
	if name := tool.Spec().Name; isTaken(s, name) {
		reportReplaced(s, name)
		return nil
	}
	return s.Agent.Tools.Add(tool)
}

// isTaken reports whether the session has a tool of this name.
func isTaken(s *Session, name string) bool {
	_, taken := s.Agent.Tools.Lookup(name)
	return taken
}

// withModel returns settings as the configuration has them for another model.
func withModel(s *Session, set agent.Settings, model string) (agent.Settings, error) {
	c, err := readConfig(s, append(slices.Clone(s.opts.Set), fmt.Sprintf("model=%q", model)))
	if err != nil {
		return set, err
	}
	other := settings(s, c)
	other.SystemPrompt = set.SystemPrompt
	return other, nil
}

// forAgent finds the recipe that defines a sub-agent. What a model writes as arguments gets
// into no command: a recipe that runs one takes none.
func (m Recipes) forAgent(ctx context.Context, name string, args map[string]string) (agent.Recipe, error) {
	if len(args) > 0 {
		m.command = func(recipe string) recipes.Runner {
			return func(context.Context, string, ...string) (string, error) {
				return "", fmt.Errorf("it runs commands, so a model cannot give it arguments")
			}
		}
	}
	return m.byName(ctx, name, args)
}
