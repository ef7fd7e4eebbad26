package agent

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/chibi-host/chibi/contexts"
	"github.com/chibi-host/chibi/hookpoints"
)

// turnAction is how hooks want to change the conversation: to other messages, or by
// a recipe that is run on it.
type turnAction struct {
	turn     *turn
	point    hookpoints.Name
	messages []hookpoints.ChatMessage
	recipe   string
	args     map[string]string
	// dropSummary is true if the messages make the summary obsolete.
	dropSummary bool
	// contexts are texts for the model, halted says which plugin ended the turn.
	contexts []hookpoints.Text
	halted   hookpoints.Halted
}

// withoutRecipe returns an action of a turn that ends, which makes no further request.
func (a turnAction) withoutRecipe() turnAction {
	if a.recipe != "" {
		a.turn.agent.Output.notice("the recipe %q is not run: the turn is %s", a.recipe, haltedError(a.halted))
	}
	a.recipe = ""
	return a
}

// withoutIncomplete returns an action after an incomplete response, which must not
// replace the conversation as a summary.
func (a turnAction) withoutIncomplete() turnAction {
	if !a.dropSummary {
		return a
	}
	a.turn.agent.Output.notice("the conversation stays as it is: its replacement is incomplete")
	return turnAction{turn: a.turn, point: a.point, contexts: a.contexts}
}

// apply does what hooks ask for. latest are the entries of a response whose results
// the hooks did not know: they are kept after the new messages if the response
// called tools.
func (a turnAction) apply(ctx context.Context, latest []contexts.Entry) error {
	if a.isRunning() {
		a.turn.agent.Output.detail("%s: the recipe %q is being run already", a.point, a.recipe)
		a.recipe = ""
	}
	if len(a.messages) == 0 && a.recipe == "" {
		return nil
	}
	if a.turn.agent.inner.isForHook() {
		a.turn.agent.Output.notice("%s: the recipe %q runs detached from the conversation and cannot replace it; ignored",
			a.point, a.turn.recipe.Name)
		return nil
	}
	if len(a.messages) == 0 {
		return a.runRecipe(ctx, latest)
	}
	if a.recipe != "" {
		a.turn.agent.Output.notice("%s: the conversation is replaced, the recipe %q is not run", a.point, a.recipe)
	}
	entries := withResults(a.entries(a.messages), latest)
	return a.replace(ctx, replacement{
		entries: entries, into: fmt.Sprintf("into %d, as a hook at %s says", len(entries), a.point),
		dropSummary: a.dropSummary,
	})
}

// isRunning reports whether the turn already runs the recipe that a hook asks for:
// detached from the conversation, because a hook asked for it before, or with an
// answer that is about to replace the conversation.
func (a turnAction) isRunning() bool {
	return a.recipe != "" && a.recipe == a.turn.recipe.name() && (a.turn.agent.inner.isForHook() || len(a.messages) > 0)
}

// entries returns messages as they are stored.
func (a turnAction) entries(messages []hookpoints.ChatMessage) (list []contexts.Entry) {
	name, called := a.turn.contextName(), map[string]string{}
	for _, m := range messages {
		switch {
		case m.Role == "assistant":
			if m.Content != "" || len(m.ToolCalls) == 0 {
				list = append(list, contexts.AssistantMessage(name, m.Content))
			}
			for _, call := range m.ToolCalls {
				called[call.ID] = call.Name
				list = append(list, contexts.ToolCall(name, call.Name, call.ID, call.Arguments))
			}
		case m.Role == "tool" && called[m.ToolCallID] != "":
			list = append(list, contexts.ToolResult(name, called[m.ToolCallID], m.ToolCallID, m.Content))
		default:
			list = append(list, a.turn.userMessage(m.Content))
		}
	}
	return list
}

// replacement is what replaces the conversation.
type replacement struct {
	entries []contexts.Entry
	// into describes, for a person, what the conversation becomes.
	into string
	// dropSummary is true if the entries make the summary obsolete.
	dropSummary bool
}

// replace makes the given entries the whole conversation, which is a compaction.
func (a turnAction) replace(ctx context.Context, r replacement) error {
	t := a.turn
	replace := t.agent.Context.Replace
	if r.dropSummary {
		replace = t.agent.Context.Supersede
	}
	err := compaction{t.agent}.replaceWindow(ctx, r.into, func() error { return replace(r.entries) })
	if _, ok := errors.AsType[*RefusedError](err); ok {
		t.agent.Output.notice("%v; the conversation stays as it is", err)
		return nil
	}
	if err != nil {
		return err
	}
	t.messages = messagesOf(r.entries)
	emitChange(t.agent, ContextReplaced, "the conversation of context %q was replaced, as plugins asked; it has %d "+
		"entries now", t.contextName(), len(r.entries))
	return nil
}

// runRecipe runs a recipe on the conversation, because a hook asked for it. Its
// answer replaces the conversation, except the latest response and its results if
// that called tools: the model has not seen those yet. If the recipe fails, the
// conversation continues as it is.
func (a turnAction) runRecipe(ctx context.Context, latest []contexts.Entry) error {
	if limit := a.turn.agent.Settings.maxFollowUps(); a.turn.recipes >= limit {
		a.turn.agent.Output.notice("hooks have run %d recipes in this turn, as max_follow_ups allows; the recipe %q is not "+
			"run", limit, a.recipe)
		return nil
	}
	a.turn.recipes++
	answer, err := a.runDetached(ctx)
	if err == nil && strings.TrimSpace(answer) == "" {
		err = errors.New("the model answered nothing")
	}
	if err != nil {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		a.turn.agent.Output.notice("the recipe %q failed and the conversation stays as it is: %v", a.recipe, err)
		return nil
	}
	entries := a.entries([]hookpoints.ChatMessage{{Role: "user", Content: answer}})
	return a.replace(ctx, replacement{
		entries: withResults(entries, latest), into: fmt.Sprintf("into the answer of the recipe %q", a.recipe),
		dropSummary: true, // the recipe was given the summary with the conversation
	})
}

// runDetached runs a recipe on the conversation, by an agent that works inside this turn,
// and returns its answer.
func (a turnAction) runDetached(ctx context.Context) (string, error) {
	t := a.turn
	recipe, err := t.agent.findRecipe(ctx, a.recipe, a.args)
	if err != nil {
		return "", err
	}
	window, err := t.agent.Context.Window(ctx)
	if err != nil {
		return "", err
	}
	prompt, err := promptAbout(ctx, t.agent.Context, contexts.Answered(window, t.unanswered), recipe.Prompt)
	if err != nil {
		return "", err
	}
	inside, err := newInside(t)
	if err != nil {
		return "", err
	}
	n := newTurn(inside, t.depth, 1)
	n.recipe, n.system = &recipe, t.system
	n.addPrompt(prompt)
	last, err := n.answer(ctx)
	err = cmp.Or(err, haltedError(n.halted))
	if err == nil && last.incomplete != "" {
		err = fmt.Errorf("its answer is incomplete: %s", last.incomplete)
	}
	return last.reply.Text, err
}
