package agent

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/chibi-host/chibi/contexts"
	"github.com/chibi-host/chibi/hookpoints"
	"github.com/chibi-host/chibi/plugin"
)

// run answers the prompt and the follow-ups of pre_stop.
func (t *turn) run(ctx context.Context, original string) (string, error) {
	prompt, beside, err := t.firePreMessage(ctx, original)
	if err != nil {
		return "", err
	}
	if err := t.begin(ctx, prompt, beside); err != nil {
		return "", err
	}
	for {
		last, err := t.answer(ctx)
		answer := last.reply.Text
		if err = cmp.Or(err, haltedError(t.halted)); err != nil {
			return answer, err
		}
		if err := t.firePostMessage(ctx, original, answer); err != nil {
			return answer, err
		}
		followUp, err := t.firePreStop(ctx, answer)
		if err != nil || followUp == "" {
			t.incomplete = last.incomplete
			return answer, err
		}
		noticeIncomplete(last)
		original = followUp
	}
}

// firePreMessage fires pre_message and returns the prompt as plugins leave it, and their
// contexts.
func (t *turn) firePreMessage(ctx context.Context, prompt string) (string, []hookpoints.Text, error) {
	summary, err := t.agent.Context.Summary(ctx)
	if err != nil {
		return "", nil, err
	}
	answer, err := plugin.Fire(ctx, t.agent.Host, hookpoints.PreMessage, hookpoints.PreMessagePayload{
		Prompt: prompt, ContextName: t.contextName(), Summary: summary, Attempt: t.toldAttempt(),
		InRecipe: t.agent.inner.toldIn(t.recipe),
	})
	switch {
	case err != nil:
		return "", nil, err
	case answer.Halt:
		return "", nil, haltedError(answer.Halted)
	case answer.Block:
		return "", nil, &RefusedError{Message: answer.Message}
	case answer.Prompt != nil:
		prompt = *answer.Prompt
	}
	if strings.TrimSpace(prompt) == "" {
		return "", nil, errors.New("the prompt is empty; say something")
	}
	return prompt, answer.Contexts, nil
}

// firePostMessage fires post_message with the prompt as it was typed, and its
// answer.
func (t *turn) firePostMessage(ctx context.Context, prompt, answer string) error {
	_, err := plugin.Fire(ctx, t.agent.Host, hookpoints.PostMessage, hookpoints.PostMessagePayload{
		Prompt: prompt, Response: answer, ContextName: t.contextName(), Nesting: t.agent.inner.told(),
	})
	return err
}

// begin stores the prompt with the contexts beside it, and collects what is sent to the model
// with it.
func (t *turn) begin(ctx context.Context, prompt string, beside []hookpoints.Text) error {
	if err := t.storePrompt(ctx, prompt, beside); err != nil {
		return err
	}
	window, err := t.agent.Context.Window(ctx)
	if err != nil {
		return err
	}
	t.agent.session.begun(window, t.unanswered)
	t.agent.Output.emitRewritten(window)
	c := compaction{t.agent}
	if window, err = c.leaveDemo(ctx, window); err != nil {
		return err
	}
	if window, err = c.maybeCompact(ctx, contexts.Answered(window, t.unanswered)); err != nil {
		return err
	}
	t.messages = messagesOf(contexts.Answered(window, t.unanswered))
	if t.system, err = t.agent.systemPrompt(ctx); err != nil || t.agent.Settings.SystemPrompt != nil {
		return err
	}
	return t.agent.Context.NoteSystemPrompt(t.system)
}

// answer takes steps until the model responds without calling a tool, repeats a call too
// often, or a plugin ends the turn. It returns the last step.
func (t *turn) answer(ctx context.Context) (step, error) {
	limit := t.agent.Settings.maxSteps()
	for range limit {
		if err := mayAsk(t); err != nil {
			t.failure = hookpoints.FailureBound
			return step{}, err
		}
		s, err := t.takeStep(ctx)
		t.countRefused(s)
		if err != nil || len(s.reply.ToolCalls) == 0 || s.ending != "" {
			return s, err
		}
	}
	t.failure = hookpoints.FailureBound
	return step{}, fmt.Errorf(
		"the model called tools in %d responses without an answer; stopped, as max_tool_rounds says", limit)
}
