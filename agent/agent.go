// Package agent holds one conversation: it sends prompts to the model, runs the
// tools that the model calls, stores what happens, and fires the hooks of every
// point in the order that docs/HOOKS.md describes.
//
// What it promises:
//
//   - A prompt is stored before it is sent, a tool call before it runs, its result
//     before the model sees it. Whatever goes wrong, the conversation on disk is
//     consistent.
//   - Tool filters hold: a tool that was not offered does not run.
//   - Everything is bounded: responses, calls in a response, follow-ups, recursion.
//     A notice says when a bound is reached.
//
// It prints nothing: what a person should see goes to [Output].
package agent

import (
	"cmp"
	"context"
	"sync/atomic"

	"github.com/chibi-host/chibi/cache"
	"github.com/chibi-host/chibi/contexts"
	"github.com/chibi-host/chibi/llm"
	"github.com/chibi-host/chibi/permissions"
	"github.com/chibi-host/chibi/plugin"
	"github.com/chibi-host/chibi/tools"
)

// Agent holds the conversation of one context. Its fields are set before the
// first call. It is not safe for concurrent use: the caller holds the
// context's lock.
type Agent struct {
	// Host asks the plugins; nil: there are none.
	Host *plugin.Host
	// Model answers requests.
	Model llm.Client
	// Context keeps the conversation.
	Context Context
	// Tools are what the model may call.
	Tools *tools.Set
	// Cache keeps outputs that are too large to show; nil: all outputs are shown
	// whole.
	Cache cache.Saver
	// Gate decides whether calls may happen; nil: all may.
	Gate *permissions.Gate
	// Recipe is the recipe that the prompts of this run come from; nil: none.
	Recipe *Recipe
	// Recipes finds recipes that hooks ask for, and "compact", whose prompt is
	// that of every summary. Nil: there are none.
	Recipes func(ctx context.Context, name string, args map[string]string) (Recipe, error)
	// Subagents is what this agent can do for sub-agents.
	Subagents Subagents
	// Renew, if set, is called before each request of the conversation that offers tools. It may
	// replace Tools and Gate, as when an MCP server says that its tools have changed, and
	// reports whether it did. Sub-agents keep the tools that they began with.
	Renew func(ctx context.Context) bool
	// Settings shape requests and bound the turn.
	Settings Settings
	// Output shows a person what happens.
	Output Output

	turns   int // prompts that were answered
	schemas schemas
	spawned atomic.Int64 // sub-agents that were started
	inner   *inner       // nil: it works in the conversation itself
	session session
}

// Context is what an agent needs of a context. It neither locks it nor reads what
// is no longer in the window.
type Context interface {
	contexts.Conversation
	contexts.Prompts
	contexts.Notes
	contexts.Mailbox
}

// RefusedError reports that a plugin blocked the prompt at pre_message, or a compaction at
// pre_compact. Nothing was stored or sent.
type RefusedError struct {
	// What was refused; default "the prompt".
	What string
	// Message is the plugin's reason.
	Message string
}

// Error says what was refused, with the plugin's reason.
func (e *RefusedError) Error() string {
	return cmp.Or(e.What, "the prompt") + " was refused: " + e.Message
}
