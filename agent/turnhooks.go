package agent

import (
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/chibi-host/chibi/contexts"
	"github.com/chibi-host/chibi/hookpoints"
	"github.com/chibi-host/chibi/llm"
	"github.com/chibi-host/chibi/plugin"
)

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

// followUps returns the messages with which the turn continues: the messages of the plugins, and
// one with their contexts.
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

// failureOf returns the kind of an error of a request to the model.
func failureOf(err error) hookpoints.FailureKind {
	if errors.Is(err, llm.ErrTooLong) {
		return hookpoints.FailureTooLong
	}
	return hookpoints.FailureServer
}
