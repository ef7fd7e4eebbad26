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
// It prints nothing: messages for a person go to [Output].
package agent

import (
	"cmp"
	"context"
	"sync/atomic"

	"github.com/chibi-host/chibi/cache"
	"github.com/chibi-host/chibi/contexts"
	"github.com/chibi-host/chibi/hookpoints"
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
	// Recipes finds recipes that hooks ask for, and "compact", whose prompt each summary uses. Nil: there are no
	// recipes.
	Recipes func(ctx context.Context, name string, args map[string]string) (Recipe, error)
	// Subagents has what this agent offers to sub-agents.
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

// Context is what an agent needs of a context. It neither locks the context nor reads
// entries that are no longer in the window.
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

// Error names the refused thing, with the plugin's reason.
func (e *RefusedError) Error() string {
	return cmp.Or(e.What, "the prompt") + " was refused: " + e.Message
}

// turn answers one prompt, from pre_message to pre_stop.
type turn struct {
	agent    *Agent
	recorder recorder
	// conversation is what is sent to the model.
	conversation
	// depth counts the turns that the recurse tool asked for before this one; note
	// is its note for a further turn.
	depth int
	note  string
	// attempt is how often mail that comes with the prompt may have been given, this time included.
	attempt int
	// recipe is the recipe that the prompt comes from; nil: none.
	recipe *Recipe
	// steps, followUps and recipes count the responses, the follow-ups of pre_stop and
	// the recipes that hooks have run; calls and refused the calls, and those that did not run.
	steps, followUps, recipes, calls, refused int
	// incomplete says why the last response is incomplete.
	incomplete Outcome
	// repeats notices calls that are repeated.
	repeats repeats
	// unanswered is the id of the prompt that has no answer yet, "" if there is
	// none; hasMail is true if mail came with it.
	unanswered string
	hasMail    bool
	// halted says which plugin ended the turn.
	halted hookpoints.Halted
	// failure is what failed, if that is known.
	failure hookpoints.FailureKind
	// budget counts the tokens of the sub-agents of this turn; it is shared with the turns
	// inside of it.
	budget *budget
}

// newTurn returns a turn of the agent's conversation, which is stored and shown.
func newTurn(a *Agent, depth, attempt int) *turn {
	usage := hookpoints.Usage{MaxContextWindow: a.Settings.contextWindow()}
	t := &turn{agent: a, recorder: recorder{a}, depth: depth, attempt: attempt, recipe: a.Recipe,
		conversation: conversation{usage: usage}}
	if a.inner == nil {
		t.budget = &budget{}
	} else {
		t.budget = a.inner.around.budget
	}
	return t
}

// detached returns a turn that stores and shows nothing.
func detached(a *Agent, depth int) *turn {
	t := newTurn(a, depth, 1)
	t.recorder = recorder{}
	return t
}

func (t *turn) contextName() string { return t.agent.Context.Name() }
