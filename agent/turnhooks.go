package agent

import (
	"context"
	"strings"

	"github.com/chibi-host/chibi/contexts"
	"github.com/chibi-host/chibi/hookpoints"
	"github.com/chibi-host/chibi/llm"
	"github.com/chibi-host/chibi/plugin"
)

// turned fires post_turn. A replacement of the conversation is honoured after a
// response that calls no tool: anywhere else calls would lose their results.
func (r *round) turned(ctx context.Context, reply llm.Reply) error {
	used := []string{}
	for _, call := range reply.ToolCalls {
		used = append(used, call.Name)
	}
	answer, err := plugin.Fire(ctx, r.Host, hookpoints.PostTurn, hookpoints.TurnInfo{
		ContextName: r.Context.Name(), TurnNumber: r.responses, Response: reply.Text, ToolsUsed: used,
		Usage: r.usage, Messages: chat(r.messages), RecursionDepth: r.depth,
	})
	if err != nil {
		return err
	}
	r.refuseRecipe(answer.Recipe)
	if answer.Messages != nil && len(used) > 0 {
		r.notice("post_turn: the conversation is replaced only after a response without tool calls; ignored")
		return nil
	}
	return r.replace(answer.Messages)
}

// stop fires pre_stop and returns what the turn goes on with, "" for nothing.
func (r *round) stop(ctx context.Context, response string) (string, error) {
	answer, err := plugin.Fire(ctx, r.Host, hookpoints.PreStop, hookpoints.StopInfo{
		ContextName: r.Context.Name(), Response: response, Usage: r.usage, Messages: chat(r.messages),
		FollowUps: r.followUps, RecursionDepth: r.depth,
	})
	if err != nil {
		return "", err
	}
	r.refuseRecipe(answer.Recipe)
	if err := r.replace(answer.Messages); err != nil || len(answer.FollowUpMessages) == 0 {
		return "", err
	}
	if limit := bound(r.Settings.MaxFollowUps, 5); r.followUps >= limit {
		r.notice("pre_stop: the turn has been continued %d times, as max_follow_ups allows; further follow-up messages are ignored", limit)
		return "", nil
	}
	r.followUps++
	return strings.Join(answer.FollowUpMessages, "\n\n"), r.followUp(answer.FollowUpMessages)
}

// followUp adds messages as if the person had written them.
func (r *round) followUp(texts []string) error {
	for _, text := range texts {
		r.messages = append(r.messages, llm.Message{Role: "user", Content: text})
		if err := r.store(contexts.UserMessage(r.userName(), r.Context.Name(), text)); err != nil {
			return err
		}
	}
	return nil
}

// replace makes the given messages the whole conversation. None: no change.
func (r *round) replace(messages []hookpoints.ChatMessage) error {
	if len(messages) == 0 {
		return nil
	}
	var entries []contexts.Entry
	r.messages = nil
	for _, m := range messages {
		if m.Role == "assistant" {
			entries = append(entries, contexts.AssistantMessage(r.Context.Name(), m.Content))
			r.messages = append(r.messages, llm.Message{Role: "assistant", Content: m.Content})
			continue
		}
		entries = append(entries, contexts.UserMessage(r.userName(), r.Context.Name(), m.Content))
		r.messages = append(r.messages, llm.Message{Role: "user", Content: m.Content})
	}
	return r.Context.Replace(entries)
}

// refuseRecipe says that a recipe was asked for in vain.
func (r *round) refuseRecipe(name string) {
	if name != "" {
		r.notice("a plugin asked for the recipe %q; this version of chibi has no recipes, it was not run", name)
	}
}

// chat is the conversation as turn hooks see it.
func chat(messages []llm.Message) []hookpoints.ChatMessage {
	list := []hookpoints.ChatMessage{}
	for _, m := range messages {
		list = append(list, hookpoints.ChatMessage{Role: m.Role, Content: m.Content})
	}
	return list
}
