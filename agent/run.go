package agent

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/chibi-host/chibi/contexts"
	"github.com/chibi-host/chibi/hookpoints"
	"github.com/chibi-host/chibi/plugin"
	"github.com/google/uuid"
)

// Start fires on_start.
func (a *Agent) Start(ctx context.Context) error {
	s := a.Settings
	_, err := plugin.Fire(identified(ctx, a, ""), a.Host, hookpoints.OnStart, hookpoints.OnStartPayload{
		CurrentContext: a.Context.Name(), Verbose: s.Verbose, Provider: s.Provider, Model: s.Model,
		ChibiHome: s.Home, ProjectRoot: s.ProjectRoot, ToolCount: a.Tools.Len(),
	})
	return err
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
// errors of the model's server and of the store, a bound that was reached before there was
// an answer, and, beside the answer, an *OutcomeError that says what it lacks.
func (a *Agent) Prompt(ctx context.Context, prompt string) (string, error) {
	return a.prompt(ctx, prompt, 1)
}

// prompt is Prompt, for the mail that comes with the prompt for the nth time.
func (a *Agent) prompt(ctx context.Context, prompt string, attempt int) (string, error) {
	for depth := 0; ; depth++ {
		answer, note, err := a.takeTurn(ctx, newTurn(a, depth, attempt), prompt)
		if err != nil || note == "" {
			return answer, err
		}
		if limit := a.Settings.maxRecursion(); depth+1 >= limit {
			a.Output.notice("stopped after %d rounds, as max_recursion_depth says; the model wanted to continue: %s",
				limit, note)
			return answer, nil
		}
		a.Output.emit(Event{Kind: EventRecursion, Text: note})
		attempt = 1
		prompt = "[Continuing from previous round]\n\nNote to self: " + note
	}
}

// takeTurn answers one prompt. note is the model's note for a further turn, "" if
// it did not ask for one.
func (a *Agent) takeTurn(ctx context.Context, t *turn, prompt string) (answer, note string, err error) {
	a.session.unknown()
	ctx = identified(ctx, a, uuid.NewString())
	a.Output.emit(Event{Kind: EventPrompt, Text: prompt})
	answer, err = t.run(ctx, prompt)
	if err = cmp.Or(err, t.removeMail()); err != nil {
		if t.unanswered != "" && a.inner == nil && !a.Settings.KeepsNothing && !isKept(err) {
			a.Output.notice("the prompt got no answer; later prompts are sent without it, and chibi retry sends it again")
		}
		a.Output.emit(Event{Kind: EventError, Text: err.Error()})
		fireFailed(ctx, t, answer, err)
		return answer, "", err
	}
	if t.note == "" {
		err = t.outcome()
	}
	a.Output.emit(Event{Kind: EventAnswer, Text: answer})
	if t.depth == 0 {
		a.turns++
	}
	return answer, t.note, err
}

// isKept reports whether what could not be stored is kept, and will be stored later.
func isKept(err error) bool {
	var unsent *contexts.UnsentError
	return errors.As(err, &unsent)
}

// Retry answers the latest prompt again, if it got no answer. It is processed like
// any other prompt, from pre_message on, with the text as it was stored; mail that
// came with it is included again.
func (a *Agent) Retry(ctx context.Context) (string, error) {
	entries, err := a.Context.Unanswered(ctx)
	if err != nil {
		return "", err
	}
	if len(entries) == 0 {
		return "", fmt.Errorf("there is nothing to send again in context %q: its latest prompt was answered, at least in "+
			"part, or there is none", a.Context.Name())
	}
	if name := entries[0].Recipe(); name != "" {
		return "", fmt.Errorf("the latest prompt in context %q came from the recipe %q, which says what it may use; run "+
			"that again: chibi recipe run %s", a.Context.Name(), name, name)
	}
	var texts []string
	for _, e := range entries {
		texts = append(texts, e.PromptText())
	}
	return a.Prompt(ctx, strings.Join(texts, "\n\n"))
}

// fireFailed fires on_turn_failed for a turn that ended by an error or was interrupted, even
// if ctx has ended. It is not a failure if a plugin refused the prompt or ended the turn. response is what the model
// answered last.
func fireFailed(ctx context.Context, t *turn, response string, failure error) {
	var refused *RefusedError
	var halted *HaltedError
	if errors.As(failure, &refused) || errors.As(failure, &halted) || !t.agent.Host.IsHeard(hookpoints.OnTurnFailed.Name) {
		return
	}
	payload := hookpoints.OnTurnFailedPayload{ContextName: t.contextName(), Status: hookpoints.TurnError,
		Kind: cmp.Or(t.failure, hookpoints.FailureOther), Error: failure.Error(), Response: response,
		Nesting: t.agent.inner.told()}
	if ctx.Err() != nil {
		payload.Status, payload.Kind = hookpoints.TurnInterrupted, ""
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), endTimeout)
	defer cancel()
	plugin.Fire(ctx, t.agent.Host, hookpoints.OnTurnFailed, payload) // its error would add nothing to the failure
}

// endTimeout bounds on_end, which also runs after a Ctrl-C.
const endTimeout = 30 * time.Second

// End fires on_end, even if ctx has ended, after a wait for plugins that nobody has waited
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

// reason returns a word for how a run ended.
func reason(failure error) string {
	switch {
	case failure == nil, OutcomeOf(failure) != "":
		return "user_exit"
	case errors.Is(failure, context.Canceled):
		return "interrupt"
	}
	return "error"
}

// Continue makes this agent continue the run of another one, so that its End
// reports the turns of both, and the ids of sub-agents stay unique.
func (a *Agent) Continue(other *Agent) {
	a.turns += other.turns
	a.spawned.Store(other.spawned.Load())
	a.session.goOn(&other.session)
}
