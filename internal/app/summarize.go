package app

import (
	"context"

	"github.com/chibi-host/chibi/agent"
	"github.com/chibi-host/chibi/cache"
	"github.com/chibi-host/chibi/llm"
	"github.com/chibi-host/chibi/tools"
	"github.com/chibi-host/chibi/tools/summarize"
)

// summarizeTool makes summarize_content: it reads as the coding tools do, and asks a
// sub-agent without tools. It reads cached outputs of one context.
func summarizeTool(s *Session, outputs cache.Browser) tools.Tool {
	return summarize.New(summarize.Config{
		Files: filesOf(s), Fetch: fetchOf(s), Cache: outputs,
		Window: func(model string) int { return windowOf(s, model) },
		Ask: func(ctx context.Context, r summarize.Request) (tools.Result, error) {
			return agent.RunAgent(ctx, agent.AgentTask{
				Kind: summarize.Name, Input: r.Input, SystemPrompt: r.SystemPrompt, Tools: []string{},
				Model: r.Model, Temperature: r.Temperature, MaxTokens: r.MaxTokens,
			})
		},
	})
}

// windowOf returns how many tokens the context window of a model has; "" is the session's.
func windowOf(s *Session, model string) int {
	set := s.Agent.Settings
	if model == "" || model == set.Model {
		return set.ContextWindow
	}
	other, err := withModel(s, set, model)
	if err != nil { // asking the model says what is wrong
		return llm.ContextWindow(model)
	}
	return other.ContextWindow
}
