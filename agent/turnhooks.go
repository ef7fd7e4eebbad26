package agent

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/chibi-host/chibi/contexts"
	"github.com/chibi-host/chibi/hookpoints"
	"github.com/chibi-host/chibi/llm"
	"github.com/chibi-host/chibi/plugin"
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

// firePostTurn fires post_turn and returns what hooks ask for, which is applied
// when the calls of the response have their results.
func (t *turn) firePostTurn(ctx context.Context, reply llm.Reply) (turnAction, error) {
	used := []string{}
	for _, call := range reply.ToolCalls {
		used = append(used, call.Name)
	}
	answer, err := plugin.Fire(ctx, t.agent.Host, hookpoints.PostTurn, hookpoints.PostTurnPayload{
		ContextName: t.contextName(), TurnNumber: t.steps, Response: reply.Text, ToolsUsed: used,
		Usage: t.usage, Messages: t.forHooks(), RecursionDepth: t.depth, InRecipe: t.agent.inner.toldIn(t.recipe),
	})
	return turnAction{turn: t, point: hookpoints.PostTurn.Name, messages: answer.Messages, recipe: answer.Recipe,
		args: answer.RecipeArgs, dropSummary: answer.DropSummary, contexts: answer.Contexts, halted: answer.Halted}, err
}

// firePreStop fires pre_stop and returns the message with which the turn continues,
// "" if it ends.
func (t *turn) firePreStop(ctx context.Context, response string) (string, error) {
	answer, err := plugin.Fire(ctx, t.agent.Host, hookpoints.PreStop, hookpoints.PreStopPayload{
		ContextName: t.contextName(), Response: response, Usage: t.usage, Messages: t.forHooks(),
		FollowUps: t.followUps, RecursionDepth: t.depth, InRecipe: t.agent.inner.toldIn(t.recipe),
	})
	if err != nil {
		return "", err
	}
	if answer.Halt {
		t.agent.Output.notice("%v", haltedError(answer.Halted))
		t.note = ""
		return "", nil
	}
	action := turnAction{turn: t, point: hookpoints.PreStop.Name, messages: answer.Messages, recipe: answer.Recipe,
		args: answer.RecipeArgs, dropSummary: answer.DropSummary}
	texts := followUps(answer)
	if err := action.apply(ctx, nil); err != nil || len(texts) == 0 {
		return "", err
	}
	if limit := t.agent.Settings.maxFollowUps(); t.followUps >= limit {
		t.agent.Output.notice("pre_stop: the turn has been continued %d times, as max_follow_ups allows; further follow-up "+
			"messages are ignored", limit)
		return "", nil
	}
	t.followUps++
	for i, by := range answer.FollowUpsBy {
		t.agent.Output.emit(Event{Kind: EventFollowUp, Text: answer.FollowUpMessages[i], By: by})
	}
	for _, beside := range answer.Contexts {
		t.agent.Output.emit(Event{Kind: EventFollowUp, Text: beside.Text, By: beside.Plugin})
	}
	return strings.Join(texts, "\n\n"), t.storeFollowUps(texts)
}

// followUps returns the messages with which the turn continues: those of the plugins, and one
// with their contexts.
func followUps(answer hookpoints.PreStopAnswer) []string {
	texts := answer.FollowUpMessages
	if blocks := contextBlocks(answer.Contexts); blocks != "" {
		texts = append(slices.Clip(texts), blocks)
	}
	return texts
}

// storeFollowUps adds messages as if the person had written them.
func (t *turn) storeFollowUps(texts []string) error {
	var entries []contexts.Entry
	for _, text := range texts {
		t.addPrompt(text)
		entries = append(entries, t.userMessage(text))
	}
	return t.storeUnanswered(texts[0], entries[0], entries[1:]...)
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
	var refused *RefusedError
	if errors.As(err, &refused) {
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

// failureOf returns the kind of an error of a request to the model.
func failureOf(err error) hookpoints.FailureKind {
	if errors.Is(err, llm.ErrTooLong) {
		return hookpoints.FailureTooLong
	}
	return hookpoints.FailureServer
}
