// Package agent holds one conversation: it takes a prompt to the model, runs
// the tools that the model calls, stores what happens, and fires the hooks of
// every point in the order that docs/HOOKS.md gives.
//
// What it promises:
//
//   - A prompt is stored before it is sent, a tool call before it runs, its
//     result before the model sees it. Whatever goes wrong, the conversation on
//     disk is whole.
//   - Tool filters hold: a tool that was not offered does not run.
//   - Everything is bounded: responses, calls in a response, follow-ups,
//     recursion. Meeting a bound is said.
//
// It prints nothing: what a person should see goes to [Output].
package agent

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/chibi-host/chibi/cache"
	"github.com/chibi-host/chibi/contexts"
	"github.com/chibi-host/chibi/hookpoints"
	"github.com/chibi-host/chibi/llm"
	"github.com/chibi-host/chibi/plugin"
	"github.com/chibi-host/chibi/tools"
)

// Agent holds the conversation of one context. Its fields are set before the
// first call. It is not safe for concurrent use: the caller holds the
// context's lock.
type Agent struct {
	// Host asks the plugins; nil for none.
	Host *plugin.Host
	// Model answers requests.
	Model llm.Client
	// Context keeps the conversation.
	Context *contexts.Context
	// Tools are what the model may call.
	Tools *tools.Set
	// Cache keeps outputs that are too large to show; nil: all is shown.
	Cache cache.Saver
	// Recipe is what the prompts of this run come from; nil for none.
	Recipe *Recipe
	// Recipes finds recipes that hooks ask for, and "compact", whose prompt is
	// that of every summary. Nil: there are none.
	Recipes func(ctx context.Context, name string, args map[string]string) (Recipe, error)
	// Settings shape requests and bound the turn.
	Settings Settings
	// Output shows a person what happens.
	Output Output

	turns   int                      // prompts that were answered
	schemas map[string]*tools.Schema // of the tools that were called; nil: not to be checked
}

// Settings shape requests and bound a turn. A bound of 0 means its default.
type Settings struct {
	// Model is the model's name in requests, Provider what on_start says of
	// who offers it.
	Model, Provider string
	// Home and ProjectRoot are the directories that on_start tells of.
	Home, ProjectRoot string
	// Options are further members of the request body, in order.
	Options []llm.Option
	// SystemPrompt, if not nil, stands in the place of the context's own system
	// prompt. Nothing of it is stored.
	SystemPrompt *string
	// UserName is what the person is called; "user" is not told to the model.
	UserName string
	// Verbose is what on_start and on_end report.
	Verbose bool
	// Reflection adds the model's notes on itself to the system prompt.
	Reflection bool
	// ContextWindow is the model's limit in tokens; default what is known of the
	// model.
	ContextWindow int
	// WarnPercent is how full that may be before a notice; 0: no notice.
	WarnPercent float64
	// AutoCompact takes about CompactDropPercent of the exchanges out of the
	// window when it is CompactPercent full.
	AutoCompact                        bool
	CompactPercent, CompactDropPercent float64
	// Include and Exclude filter the offered tools before plugins do. A nil
	// Include keeps all.
	Include, Exclude []string
	// MaxSteps bounds the steps of a turn; default 50.
	MaxSteps int
	// MaxCalls bounds the calls of one step that are run; default 100.
	MaxCalls int
	// MaxFollowUps bounds how often pre_stop continues a turn, and how many
	// recipes hooks run in it; default 5.
	MaxFollowUps int
	// CacheThreshold is how many characters of an output are shown, default
	// 4000; CachePreview how many of one that is cached, default 500.
	CacheThreshold, CachePreview int
	// MaxRecursion bounds the further turns that the recurse tool can ask for;
	// default 30.
	MaxRecursion int
}

// Output shows a person what happens. A nil function shows nothing.
type Output struct {
	// Text receives the model's text as it comes; a response ends with a
	// newline.
	Text func(delta string)
	// TextEnd is called when the text of a response has ended.
	TextEnd func()
	// Entry receives every entry of the conversation once it is stored.
	Entry func(contexts.Entry)
	// Notice receives sentences that a person should read.
	Notice func(text string)
	// Detail receives remarks for a person who wants to know more.
	Detail func(text string)
	// Event receives what happens in a turn besides hooks, for traces and for a
	// person who looks on.
	Event func(Event)
	// Waiting is called with what is being waited for, and what it returns
	// when that is over, perhaps several times.
	Waiting func(what string) (done func())
}

// RefusedError says that a plugin refused the prompt at pre_message. Nothing
// was stored or sent.
type RefusedError struct {
	// Message is the plugin's reason.
	Message string
}

// Error is the plugin's reason.
func (e *RefusedError) Error() string { return "the prompt was refused: " + e.Message }

// Start fires on_start.
func (a *Agent) Start(ctx context.Context) error {
	_, err := plugin.Fire(ctx, a.Host, hookpoints.OnStart, a.session())
	return err
}

// endTimeout bounds on_end, which also runs after a Ctrl-C.
const endTimeout = 30 * time.Second

// End fires on_end, also when ctx has ended. failure is what the run ended
// with; nil if all went well.
func (a *Agent) End(ctx context.Context, failure error) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), endTimeout)
	defer cancel()
	_, err := plugin.Fire(ctx, a.Host, hookpoints.OnEnd, hookpoints.OnEndPayload{
		CurrentContext: a.Context.Name(), Verbose: a.Settings.Verbose, Reason: reason(failure), Turns: a.turns,
	})
	return err
}

// Continue makes this agent the one that goes on with the run of another, so that
// its End tells of both.
func (a *Agent) Continue(other *Agent) { a.turns += other.turns }

// reason says in a word how a run ended.
func reason(failure error) string {
	switch {
	case failure == nil:
		return "user_exit"
	case errors.Is(failure, context.Canceled):
		return "interrupt"
	}
	return "error"
}

// Switch says from where a run came to the context of an agent.
type Switch struct {
	// From is the context that the run was in before.
	From string
	// Transient is true if the switch is for this run only (-C).
	Transient bool
}

// Switched fires on_context_switch, unless the run was in this context before.
func (a *Agent) Switched(ctx context.Context, s Switch) error {
	if s.From == a.Context.Name() {
		return nil
	}
	a.changed("the run went from context %q to context %q", s.From, a.Context.Name())
	change := hookpoints.OnContextSwitchPayload{FromContext: s.From, ToContext: a.Context.Name(), IsTransient: s.Transient}
	_, err := plugin.Fire(ctx, a.Host, hookpoints.OnContextSwitch, change)
	return err
}

func (a *Agent) session() hookpoints.OnStartPayload {
	s := a.Settings
	return hookpoints.OnStartPayload{
		CurrentContext: a.Context.Name(), Verbose: s.Verbose, Provider: s.Provider, Model: s.Model,
		ChibiHome: s.Home, ProjectRoot: s.ProjectRoot, ToolCount: a.Tools.Len(),
	}
}

// Prompt answers one prompt, and the rounds that the recurse tool asks for
// after it. It returns the last answer. Errors are a *RefusedError, the end of
// ctx, what the model's server or the store reports, and a bound that was met
// before there was an answer.
func (a *Agent) Prompt(ctx context.Context, prompt string) (string, error) {
	for depth := 0; ; depth++ {
		r := newRound(a, depth)
		a.emit(Event{Kind: EventPrompt, Text: prompt})
		answer, err := r.run(ctx, prompt)
		if err != nil {
			if r.asking != "" {
				a.notice("the prompt got no answer; later prompts go without it, and chibi retry sends it again")
			}
			a.emit(Event{Kind: EventError, Text: err.Error()})
		} else {
			a.emit(Event{Kind: EventAnswer, Text: answer})
		}
		if err == nil && depth == 0 {
			a.turns++
		}
		if err != nil || r.next == "" {
			return answer, err
		}
		if limit := bound(a.Settings.MaxRecursion, DefaultMaxRecursion); depth+1 >= limit {
			a.notice("stopped after %d rounds, as max_recursion_depth says; the model wanted to go on: %s", limit, r.next)
			return answer, nil
		}
		a.emit(Event{Kind: EventRecursion, Text: r.next})
		prompt = "[Continuing from previous round]\n\nNote to self: " + r.next
	}
}

// bound is a configured limit or its default.
func bound(set, fallback int) int {
	if set > 0 {
		return set
	}
	return fallback
}

// window is the model's limit in tokens.
func (s Settings) window() int { return bound(s.ContextWindow, llm.ContextWindow(s.Model)) }

func (a *Agent) notice(format string, args ...any) {
	text := fmt.Sprintf(format, args...)
	a.emit(Event{Kind: EventNotice, Text: text})
	if a.Output.Notice != nil {
		a.Output.Notice(text)
	}
}

func (a *Agent) detail(format string, args ...any) {
	if a.Output.Detail != nil {
		a.Output.Detail(fmt.Sprintf(format, args...))
	}
}

// waiting says what is being waited for until the returned function is called.
func (a *Agent) waiting(what string) func() {
	if a.Output.Waiting == nil {
		return func() {}
	}
	return a.Output.Waiting(what)
}
