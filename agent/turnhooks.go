package agent

import (
	"context"
	"fmt"
	"strings"

	"github.com/chibi-host/chibi/contexts"
	"github.com/chibi-host/chibi/hookpoints"
	"github.com/chibi-host/chibi/llm"
	"github.com/chibi-host/chibi/plugin"
)

// wish is what hooks want to become of the conversation: other messages, or a
// recipe to run on it.
type wish struct {
	point    hookpoints.Name
	messages []hookpoints.ChatMessage
	recipe   string
	args     map[string]string
	// dropSummary says that the messages hold what the summary says.
	dropSummary bool
}

// turned fires post_turn and returns what hooks wish, which comes true when the
// calls of the response have their results.
func (r *round) turned(ctx context.Context, reply llm.Reply) (wish, error) {
	used := []string{}
	for _, call := range reply.ToolCalls {
		used = append(used, call.Name)
	}
	answer, err := plugin.Fire(ctx, r.Host, hookpoints.PostTurn, hookpoints.PostTurnPayload{
		ContextName: r.Context.Name(), TurnNumber: r.responses, Response: reply.Text, ToolsUsed: used,
		Usage: r.usage, Messages: chat(r.messages), RecursionDepth: r.depth, Recipe: r.recipeName(), Nested: r.nested,
	})
	return wish{hookpoints.PostTurn.Name, answer.Messages, answer.Recipe, answer.RecipeArgs, answer.DropSummary}, err
}

// stop fires pre_stop and returns what the turn goes on with, "" for nothing.
func (r *round) stop(ctx context.Context, response string) (string, error) {
	answer, err := plugin.Fire(ctx, r.Host, hookpoints.PreStop, hookpoints.PreStopPayload{
		ContextName: r.Context.Name(), Response: response, Usage: r.usage, Messages: chat(r.messages),
		FollowUps: r.followUps, RecursionDepth: r.depth, Recipe: r.recipeName(),
	})
	if err != nil {
		return "", err
	}
	w := wish{hookpoints.PreStop.Name, answer.Messages, answer.Recipe, answer.RecipeArgs, answer.DropSummary}
	if err := r.rework(ctx, w, nil); err != nil || len(answer.FollowUpMessages) == 0 {
		return "", err
	}
	if limit := bound(r.Settings.MaxFollowUps, DefaultMaxFollowUps); r.followUps >= limit {
		r.notice("pre_stop: the turn has been continued %d times, as max_follow_ups allows; further follow-up messages are "+
			"ignored", limit)
		return "", nil
	}
	r.followUps++
	for i, by := range answer.FollowUpsBy {
		r.emit(Event{Kind: EventFollowUp, Text: answer.FollowUpMessages[i], By: by})
	}
	return strings.Join(answer.FollowUpMessages, "\n\n"), r.followUp(answer.FollowUpMessages)
}

// followUp adds messages as if the person had written them.
func (r *round) followUp(texts []string) error {
	var entries []contexts.Entry
	for _, text := range texts {
		r.messages = append(r.messages, llm.Message{Role: "user", Content: text})
		entries = append(entries, contexts.UserMessage(r.userName(), r.Context.Name(), text))
	}
	return r.ask(texts[0], entries[0], entries[1:]...)
}

// rework makes a wish come true. latest are the entries of a response that
// hooks did not know the results of: they stay behind other messages, unless it
// called no tool.
func (r *round) rework(ctx context.Context, w wish, latest []contexts.Entry) error {
	if r.fulfils(w) {
		r.detail("%s: the recipe %q is being run already", w.point, w.recipe)
		w.recipe = ""
	}
	if len(w.messages) == 0 && w.recipe == "" {
		return nil
	}
	if r.nested {
		r.notice("%s: the recipe %q runs beside the conversation and cannot replace it; ignored", w.point, r.recipe.Name)
		return nil
	}
	if len(w.messages) == 0 {
		return r.runRecipe(ctx, w.recipe, w.args, latest)
	}
	if w.recipe != "" {
		r.notice("%s: the conversation is replaced, the recipe %q is not run", w.point, w.recipe)
	}
	entries := withResults(r.entries(w.messages), latest)
	into := fmt.Sprintf("into %d, as a hook at %s says", len(entries), w.point)
	return r.replace(ctx, into, entries, w.dropSummary)
}

// fulfils reports whether the round runs the recipe that a hook wishes for: beside
// the conversation, because a hook asked for it before, or with an answer that
// takes the conversation's place now.
func (r *round) fulfils(w wish) bool {
	return w.recipe != "" && w.recipe == r.recipeName() && (r.nested || len(w.messages) > 0)
}

// withResults adds a response that calls tools, and its results, to entries that
// may have some of its calls already: those get their results behind them, the
// rest comes last.
func withResults(entries, latest []contexts.Entry) (all []contexts.Entry) {
	known, results := map[string]bool{}, map[string]contexts.Entry{}
	for _, e := range entries {
		known[e.CallID()] = known[e.CallID()] || e.Type == contexts.TypeToolCall
	}
	for _, e := range latest {
		if e.Type == contexts.TypeToolResult {
			results[e.CallID()] = e
		}
	}
	for i, e := range entries {
		all = append(all, e)
		if groupEnds(entries, i) {
			all = append(all, resultsOf(entries[:i+1], results)...)
		}
	}
	var rest []contexts.Entry
	missing := false
	for _, e := range latest {
		if known[e.CallID()] && e.CallID() != "" {
			continue
		}
		missing = missing || e.Type == contexts.TypeToolCall
		rest = append(rest, e)
	}
	if missing {
		all = append(all, rest...)
	}
	return all
}

// groupEnds reports whether the entry at i is the last of calls that belong
// together.
func groupEnds(entries []contexts.Entry, i int) bool {
	return entries[i].Type == contexts.TypeToolCall && (i+1 == len(entries) || entries[i+1].Type != contexts.TypeToolCall)
}

// resultsOf are the results of the calls that the entries end with.
func resultsOf(entries []contexts.Entry, results map[string]contexts.Entry) (list []contexts.Entry) {
	begin := len(entries)
	for begin > 0 && entries[begin-1].Type == contexts.TypeToolCall {
		begin--
	}
	for _, call := range entries[begin:] {
		if result, ok := results[call.CallID()]; ok {
			list = append(list, result)
		}
	}
	return list
}

// entries are messages as they are stored.
func (r *round) entries(messages []hookpoints.ChatMessage) (list []contexts.Entry) {
	name, called := r.Context.Name(), map[string]string{}
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
			list = append(list, contexts.UserMessage(r.userName(), name, m.Content))
		}
	}
	return list
}

// replace makes the given entries the whole conversation, which is a compaction.
// Entries that hold what the summary said supersede it. into says for a person
// what it becomes.
func (r *round) replace(ctx context.Context, into string, entries []contexts.Entry, supersede bool) error {
	replace := r.Context.Replace
	if supersede {
		replace = r.Context.Supersede
	}
	err := r.compacting(ctx, into, func() error { return replace(entries) })
	r.messages = history(entries)
	if err == nil {
		r.changed("the conversation of context %q was replaced, as plugins asked; it has %d entries now", r.Context.Name(),
			len(entries))
	}
	return err
}

// chat is the conversation as turn hooks see it.
func chat(messages []llm.Message) []hookpoints.ChatMessage {
	list := []hookpoints.ChatMessage{}
	for _, m := range messages {
		seen := hookpoints.ChatMessage{Role: m.Role, Content: m.Content, ToolCallID: m.ToolCallID}
		for _, call := range m.ToolCalls {
			seen.ToolCalls = append(seen.ToolCalls, hookpoints.ChatToolCall{ID: call.ID, Name: call.Name,
				Arguments: call.Arguments})
		}
		list = append(list, seen)
	}
	return list
}
