package agent

import (
	"context"
	"fmt"
	"sync/atomic"

	"github.com/chibi-host/chibi/cache"
	"github.com/chibi-host/chibi/hookpoints"
	"github.com/chibi-host/chibi/tools"
)

// Subagents has what an agent offers to the sub-agents that it starts. It does not offer
// what a nil function stands for.
type Subagents struct {
	// MaxDepth bounds how deep agents work inside each other; default
	// [DefaultMaxAgentDepth].
	MaxDepth int
	// MaxTokens bounds the tokens that all sub-agents of a turn use together; default
	// [DefaultMaxAgentTokens].
	MaxTokens int
	// Recipe finds a recipe that defines a sub-agent. The arguments come from a model.
	Recipe func(ctx context.Context, name string, args map[string]string) (Recipe, error)
	// WithModel returns the settings for another model of the same server.
	WithModel func(s Settings, model string) (Settings, error)
	// Keep finds a named context that keeps the conversation of a sub-agent. It changes
	// nothing.
	Keep func(ctx context.Context, name string) (Kept, error)
}

// Kept is a named context that keeps the conversation of a sub-agent.
type Kept struct {
	// Context is the context, Cache keeps its large outputs.
	Context Context
	Cache   cache.Saver
	// Tools are the tools of the agent that asks, made for this context.
	Tools *tools.Set
	// Settings are the settings of the context, for the server of the agent that asks.
	Settings Settings
	// Lock reserves the context until unlock is called; held ends when the lock is lost.
	Lock func(ctx context.Context) (held context.Context, unlock func(), err error)
	// Close releases everything that Keep opened.
	Close func()
}

func (s Subagents) maxDepth() int  { return orDefault(s.MaxDepth, DefaultMaxAgentDepth) }
func (s Subagents) maxTokens() int { return orDefault(s.MaxTokens, DefaultMaxAgentTokens) }

// AgentTask is the task of a sub-agent.
type AgentTask struct {
	// Kind is the agent_type that hooks get; default: the recipe's name, or
	// "general".
	Kind string
	// Input is the task.
	Input string
	// SystemPrompt describes the sub-agent to its model. It follows the text of the recipe, if
	// there is one; without both there is a short one.
	SystemPrompt string
	// Recipe names the recipe that defines the sub-agent, Arguments are its arguments;
	// "": none does.
	Recipe    string
	Arguments map[string]string
	// Tools are the tools that chibi offers it at most; nil: all tools of the request whose response called the tool.
	Tools []string
	// Model names another model of the same server; "": the same model.
	Model string
	// Temperature and MaxTokens are members of its requests; nil: as the configuration
	// says.
	Temperature *float64
	MaxTokens   *int
	// Context names the context that keeps the conversation, with its earlier entries and
	// its inbox; "": the conversation ends with the sub-agent.
	Context string
}

// subagent is what a sub-agent knows about itself.
type subagent struct {
	// depth is 1 for a sub-agent of the conversation.
	depth int
	// offered are the tools that it can be offered at most.
	offered toolNames
	// kept is the context that keeps its conversation; nil: nothing does.
	kept *Kept
	// usage counts its tokens, responses the responses of the model.
	usage     hookpoints.Usage
	responses int
	// incomplete says why its latest response is incomplete, "" if it is complete.
	incomplete Outcome
}

// budget counts the tokens that the sub-agents of a turn use together. It is safe for
// concurrent use.
type budget struct{ spent atomic.Int64 }

// check returns an error if so many tokens are used up.
func (b *budget) check(limit int) error {
	if spent := b.spent.Load(); spent >= int64(limit) {
		return fmt.Errorf("the sub-agents of this turn have used %d tokens; stopped, as max_agent_tokens = %d says", spent,
			limit)
	}
	return nil
}
