package agent

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/chibi-host/chibi/contexts"
	"github.com/chibi-host/chibi/hookpoints"
	"github.com/chibi-host/chibi/llm"
	"github.com/chibi-host/chibi/plugin"
)

// round answers one prompt, from pre_message to pre_stop.
type round struct {
	*Agent
	depth int
	// system is the system prompt, messages the conversation after it.
	system   string
	messages []llm.Message
	// responses counts the model's responses, followUps what pre_stop added.
	responses, followUps int
	usage                hookpoints.Usage
	// next is the note for another round, if the model asked for one.
	next string
	// recipe is what the prompt comes from; nil for none. A nested round runs
	// it beside the conversation.
	recipe *Recipe
	nested bool
	// apart leaves the conversation alone: nothing is stored or shown.
	apart bool
	// recipes counts the recipes that hooks have run.
	recipes int
	// lastFailure says why the last call failed or did not run; "" if it did neither.
	lastFailure string
	// sending is what is known of the request that is being made.
	sending *RequestEvent
	// asking is the id of the prompt that has no answer yet, "" if there is none;
	// delivers says that mail came with it.
	asking   string
	delivers bool
	// cut says why the latest response is not whole; "" if it is.
	cut string
	// latest are the entries of the latest response, and of its results.
	latest []contexts.Entry
}

func newRound(a *Agent, depth int) *round {
	return &round{
		Agent: a, depth: depth, recipe: a.Recipe, usage: hookpoints.Usage{MaxContextWindow: a.Settings.window()},
	}
}

// run answers the prompt and whatever pre_stop adds to it.
func (r *round) run(ctx context.Context, original string) (string, error) {
	prompt, err := r.admit(ctx, original)
	if err != nil {
		return "", err
	}
	if err := r.begin(ctx, prompt); err != nil {
		return "", err
	}
	for {
		answer, err := r.answer(ctx)
		if err != nil {
			return answer, err
		}
		exchange := hookpoints.PostMessagePayload{Prompt: original, Response: answer, ContextName: r.Context.Name()}
		if _, err := plugin.Fire(ctx, r.Host, hookpoints.PostMessage, exchange); err != nil {
			return answer, err
		}
		followUp, err := r.stop(ctx, answer)
		if err != nil || followUp == "" {
			return answer, err
		}
		original = followUp
	}
}

// admit takes the prompt through pre_message.
func (r *round) admit(ctx context.Context, prompt string) (string, error) {
	summary, err := r.Context.Summary()
	if err != nil {
		return "", err
	}
	answer, err := plugin.Fire(ctx, r.Host, hookpoints.PreMessage, hookpoints.PreMessagePayload{
		Prompt: prompt, ContextName: r.Context.Name(), Summary: summary, Recipe: r.recipeName(),
	})
	switch {
	case err != nil:
		return "", err
	case answer.Block:
		return "", &RefusedError{Message: answer.Message}
	case answer.Prompt != nil:
		prompt = *answer.Prompt
	}
	if strings.TrimSpace(prompt) == "" {
		return "", errors.New("the prompt is empty; say something")
	}
	return prompt, nil
}

// begin stores the prompt and gathers what the model is sent with it.
func (r *round) begin(ctx context.Context, prompt string) error {
	if err := r.storePrompt(prompt); err != nil {
		return err
	}
	window, err := r.Context.Window()
	if err != nil {
		return err
	}
	r.earlier(window)
	if window, err = r.makeRoom(ctx, contexts.Answered(window, r.asking)); err != nil {
		return err
	}
	r.messages = history(contexts.Answered(window, r.asking))
	if r.system, err = r.systemPrompt(ctx); err != nil || r.Settings.SystemPrompt != nil {
		return err
	}
	return r.Context.NoteSystemPrompt(r.system)
}

// answer asks the model until it responds without calling a tool.
func (r *round) answer(ctx context.Context) (string, error) {
	limit := bound(r.Settings.MaxSteps, DefaultMaxSteps)
	for range limit {
		reply, offered, err := r.respond(ctx)
		if err != nil {
			return reply.Text, err
		}
		wish, err := r.turned(ctx, reply)
		if err != nil {
			return reply.Text, err
		}
		if r.cut = cutShort(reply); r.cut != "" {
			wish, err = r.afterCut(wish, reply.ToolCalls)
		} else {
			err = r.runCalls(ctx, reply.ToolCalls, offered)
		}
		if err != nil {
			return reply.Text, err
		}
		if err := r.rework(ctx, wish, r.latest); err != nil || len(reply.ToolCalls) == 0 {
			return reply.Text, err
		}
	}
	return "", fmt.Errorf("the model called tools in %d responses without an answer; stopped, as max_tool_rounds says",
		limit)
}

// respond sends one request and stores the response.
func (r *round) respond(ctx context.Context) (llm.Reply, offer, error) {
	offered, err := r.offer(ctx)
	if err != nil {
		return llm.Reply{}, nil, err
	}
	body, err := r.body(ctx, offered)
	if err != nil {
		return llm.Reply{}, nil, err
	}
	reply, err := r.stream(ctx, body)
	r.distinct(reply.ToolCalls)
	r.responses++
	return reply, newOffer(offered), r.keep(reply, len(body), err)
}

// stream asks the model and shows its text as it comes.
func (r *round) stream(ctx context.Context, body []byte) (llm.Reply, error) {
	done := r.waiting("model " + r.Settings.Model)
	show := func(delta string) {
		if r.Output.Text != nil && !r.apart {
			r.Output.Text(delta)
		}
	}
	reply, err := r.Model.Stream(ctx, body, show)
	done()
	if reply.Text != "" && !strings.HasSuffix(reply.Text, "\n") {
		show("\n")
	}
	if r.Output.TextEnd != nil && !r.apart {
		r.Output.TextEnd()
	}
	return reply, err
}

// keep stores a response to a request of so many bytes. What arrived before a failure is kept, marked as
// interrupted; calls of an incomplete response are not.
func (r *round) keep(reply llm.Reply, sent int, failure error) error {
	var entries []contexts.Entry
	r.latest = nil
	if strings.TrimSpace(reply.Text) != "" {
		text := contexts.AssistantMessage(r.Context.Name(), reply.Text)
		if failure != nil || cutShort(reply) != "" {
			text = text.Interrupted()
		}
		entries = append(entries, text)
	}
	if failure != nil {
		return errors.Join(r.failure(failure), r.answered(entries...))
	}
	for _, call := range reply.ToolCalls {
		entries = append(entries, contexts.ToolCall(r.Context.Name(), call.Name, call.ID, call.Arguments))
	}
	if len(entries) == 0 {
		r.notice("the model answered nothing; nothing was stored. chibi retry asks it again")
		return nil
	}
	r.messages = append(r.messages, llm.Message{Role: "assistant", Content: reply.Text, ToolCalls: reply.ToolCalls})
	r.count(reply.Usage, sent, reply.Text)
	return r.answered(entries...)
}

// store appends entries to the conversation and shows them, unless the round is
// apart from it.
func (r *round) store(entries ...contexts.Entry) error {
	if len(entries) == 0 || r.apart {
		return nil
	}
	r.latest = append(r.latest, entries...)
	if err := r.Context.Append(entries...); err != nil {
		return err
	}
	if r.Output.Entry != nil {
		for _, e := range entries {
			r.Output.Entry(e)
		}
	}
	return nil
}

// count adds up tokens. Where the server counts none, four bytes are one.
func (r *round) count(u llm.Usage, sent int, text string) {
	if u.InputTokens == 0 {
		u.InputTokens, u.OutputTokens = sent/4, len(text)/4
	}
	r.usage.InputTokens += u.InputTokens
	r.usage.OutputTokens += u.OutputTokens
	r.usage.CurrentContextWindow = u.InputTokens + u.OutputTokens
}

func (r *round) userName() string {
	if r.Settings.UserName == "" {
		return "user"
	}
	return r.Settings.UserName
}
