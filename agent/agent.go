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
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/chibi-host/chibi/cache"
	"github.com/chibi-host/chibi/contexts"
	"github.com/chibi-host/chibi/hookpoints"
	"github.com/chibi-host/chibi/llm"
	"github.com/chibi-host/chibi/permissions"
	"github.com/chibi-host/chibi/plugin"
	"github.com/chibi-host/chibi/tools"
	"github.com/google/uuid"
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

// Start fires on_start.
func (a *Agent) Start(ctx context.Context) error {
	s := a.Settings
	_, err := plugin.Fire(identified(ctx, a, ""), a.Host, hookpoints.OnStart, hookpoints.OnStartPayload{
		CurrentContext: a.Context.Name(), Verbose: s.Verbose, Provider: s.Provider, Model: s.Model,
		ChibiHome: s.Home, ProjectRoot: s.ProjectRoot, ToolCount: a.Tools.Len(),
	})
	return err
}

// endTimeout bounds on_end, which also runs after a Ctrl-C.
const endTimeout = 30 * time.Second

// End fires on_end, even if ctx has ended, after waiting for plugins that nobody has waited
// for, see [plugin.Host.Join]. failure is the error of the run, nil if there is none.
func (a *Agent) End(ctx context.Context, failure error) error {
	a.Host.Join(ctx)
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), endTimeout)
	defer cancel()
	_, err := plugin.Fire(identified(ctx, a, ""), a.Host, hookpoints.OnEnd, hookpoints.OnEndPayload{
		CurrentContext: a.Context.Name(), Verbose: a.Settings.Verbose, Reason: reason(failure), Turns: a.turns,
	})
	return err
}

// Continue makes this agent continue the run of another one, so that its End
// reports the turns of both, and the ids of sub-agents stay unique.
func (a *Agent) Continue(other *Agent) {
	a.turns += other.turns
	a.spawned.Store(other.spawned.Load())
	a.session.goOn(&other.session)
}

// reason returns a word for how a run ended.
func reason(failure error) string {
	switch {
	case failure == nil:
		return "user_exit"
	case errors.Is(failure, context.Canceled):
		return "interrupt"
	}
	return "error"
}

// Switch describes how a run came to the context of an agent.
type Switch struct {
	// From is the context that the run was in before.
	From string
	// Transient is true if the switch is for this run only (-C).
	Transient bool
}

// Switched fires on_context_switch, unless the run was already in this context.
func (a *Agent) Switched(ctx context.Context, s Switch) error {
	if s.From == a.Context.Name() {
		return nil
	}
	to := a.Context.Name()
	a.Output.emit(Event{Kind: EventContext, Text: fmt.Sprintf("the run went from context %q to context %q", s.From, to),
		Change: ContextSwitched, Contexts: []string{s.From, to}})
	change := hookpoints.OnContextSwitchPayload{FromContext: s.From, ToContext: to, IsTransient: s.Transient}
	_, err := plugin.Fire(identified(ctx, a, ""), a.Host, hookpoints.OnContextSwitch, change)
	return err
}

// Prompt answers one prompt, then takes the further turns that the recurse tool
// asks for. It returns the last answer. Errors are a *RefusedError, a *HaltedError, the end of ctx,
// errors of the model's server and of the store, and a bound that was reached
// before there was an answer.
func (a *Agent) Prompt(ctx context.Context, prompt string) (string, error) {
	for depth := 0; ; depth++ {
		answer, note, err := a.takeTurn(ctx, depth, prompt)
		if err != nil || note == "" {
			return answer, err
		}
		if limit := a.Settings.maxRecursion(); depth+1 >= limit {
			a.Output.notice("stopped after %d rounds, as max_recursion_depth says; the model wanted to continue: %s",
				limit, note)
			return answer, nil
		}
		a.Output.emit(Event{Kind: EventRecursion, Text: note})
		prompt = "[Continuing from previous round]\n\nNote to self: " + note
	}
}

// isKept reports whether what could not be stored is kept, and will be stored later.
func isKept(err error) bool {
	var unsent *contexts.UnsentError
	return errors.As(err, &unsent)
}

// takeTurn answers one prompt. note is the model's note for a further turn, "" if
// it did not ask for one.
func (a *Agent) takeTurn(ctx context.Context, depth int, prompt string) (answer, note string, err error) {
	a.session.unknown()
	ctx = identified(ctx, a, uuid.NewString())
	t := newTurn(a, depth)
	a.Output.emit(Event{Kind: EventPrompt, Text: prompt})
	if answer, err = t.run(ctx, prompt); err != nil {
		if t.unanswered != "" && a.inner == nil && !isKept(err) {
			a.Output.notice("the prompt got no answer; later prompts are sent without it, and chibi retry sends it again")
		}
		a.Output.emit(Event{Kind: EventError, Text: err.Error()})
		fireFailed(ctx, t, answer, err)
		return answer, "", err
	}
	a.Output.emit(Event{Kind: EventAnswer, Text: answer})
	if depth == 0 {
		a.turns++
	}
	return answer, t.note, nil
}
