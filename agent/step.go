package agent

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/chibi-host/chibi/contexts"
	"github.com/chibi-host/chibi/hookpoints"
	"github.com/chibi-host/chibi/llm"
	"github.com/chibi-host/chibi/plugin"
)

// takeStep asks the model, and runs the tools that it calls. What hooks ask for at
// post_turn is applied when the calls have their results.
func (t *turn) takeStep(ctx context.Context) (step, error) {
	s := step{turn: t}
	if err := s.respond(ctx); err != nil {
		return s, err
	}
	sent := func() json.RawMessage { return s.request }
	action, err := t.firePostTurn(plugin.WithRequest(ctx, sent), s.reply)
	if err != nil {
		return s, err
	}
	halt(&s, action.halted)
	if s.ending != "" {
		err = s.refuse(s.reply.ToolCalls, s.ending)
		action = action.withoutRecipe()
	} else if s.incomplete != "" {
		if t.agent.inner != nil || t.note != "" || len(s.reply.ToolCalls) > 0 {
			noticeIncomplete(s)
		}
		action = action.withoutIncomplete()
		err = s.refuseCalls()
	} else {
		err = s.runCalls(ctx)
	}
	if err != nil {
		return s, err
	}
	if err := action.apply(ctx, s.entries); err != nil {
		return s, err
	}
	if err := storeContexts(t, action.contexts); err != nil || len(s.finished) == 0 || s.ending != "" {
		return s, err
	}
	return s, s.firePostToolBatch(ctx)
}

func (s *step) firePostToolBatch(ctx context.Context) error {
	answer, err := plugin.Fire(ctx, s.turn.agent.Host, hookpoints.PostToolBatch, hookpoints.PostToolBatchPayload{
		ContextName: s.turn.contextName(), Calls: s.finished, Nesting: s.turn.agent.inner.told(),
	})
	if err != nil {
		return err
	}
	halt(s, answer.Halted)
	return storeContexts(s.turn, answer.Contexts)
}

// respond sends one request and stores the response.
func (s *step) respond(ctx context.Context) error {
	t := s.turn
	if t.agent.Renew != nil && t.agent.Renew(ctx) {
		t.agent.schemas = schemas{} // they belong to the tools before
	}
	offer, err := t.offerTools(ctx)
	if err != nil {
		return err
	}
	body, err := t.agent.requestBody(ctx, modelRequest{
		messages: t.withSystemPrompt(), tools: offer.specs, depth: t.depth, event: offer.event,
	})
	if err != nil {
		return err
	}
	s.offered, s.request = toolNamesOf(offer.specs), body
	s.reply, err = s.stream(ctx, body)
	t.makeUnique(s.reply.ToolCalls)
	t.steps++
	s.incomplete = incomplete(s.reply)
	if err != nil {
		t.failure = failureOf(err)
		return errors.Join(t.agent.Settings.explainTooLong(err, len(body)), s.storePartial())
	}
	return s.storeResponse(len(body))
}

// stream asks the model and shows its text as it arrives.
func (s *step) stream(ctx context.Context, body []byte) (llm.Reply, error) {
	t := s.turn
	done := t.agent.Output.waiting("model " + t.agent.Settings.Model)
	reply, err := t.agent.Model.Stream(ctx, body, t.recorder.showText)
	done()
	if reply.Text != "" && !strings.HasSuffix(reply.Text, "\n") {
		t.recorder.showText("\n")
	}
	t.recorder.endText()
	return reply, err
}

// storePartial stores the text that arrived before a failure, marked as
// interrupted. Calls are not stored: they may be incomplete.
func (s *step) storePartial() error {
	if strings.TrimSpace(s.reply.Text) == "" {
		return nil
	}
	text := contexts.AssistantMessage(s.turn.contextName(), s.reply.Text).Interrupted()
	return s.storeAnswer(text)
}

// storeResponse stores the response to a request of so many bytes.
func (s *step) storeResponse(sent int) error {
	var entries []contexts.Entry
	if strings.TrimSpace(s.reply.Text) != "" {
		text := contexts.AssistantMessage(s.turn.contextName(), s.reply.Text)
		if s.incomplete != "" {
			text = text.Interrupted()
		}
		entries = append(entries, text)
	}
	for _, call := range s.reply.ToolCalls {
		entries = append(entries, contexts.ToolCall(s.turn.contextName(), call.Name, call.ID, call.Arguments))
	}
	if len(entries) == 0 {
		s.noticeEmpty()
		return nil
	}
	for i := range entries {
		entries[i].Usage = &contexts.Usage{InputTokens: s.reply.Usage.InputTokens, OutputTokens: s.reply.Usage.OutputTokens}
	}
	before := s.turn.usage
	s.turn.addResponse(s.reply, sent)
	spend(s.turn, before, s.incomplete)
	return s.storeAnswer(entries...)
}

// noticeEmpty reports that a response after others was empty. Inside another turn the failure of
// the recipe or the sub-agent says so.
func (s *step) noticeEmpty() {
	if s.turn.agent.inner == nil && s.turn.unanswered == "" {
		s.turn.agent.Output.notice("the model answered nothing more")
	}
}

// storeAnswer stores entries of a response: then the prompt has its answer.
func (s *step) storeAnswer(entries ...contexts.Entry) error {
	if err := s.store(entries...); err != nil {
		return err
	}
	s.turn.unanswered = ""
	return nil
}

func (s *step) store(entries ...contexts.Entry) error {
	s.entries = append(s.entries, entries...)
	return s.turn.recorder.record(entries...)
}

// refuseCalls answers the calls of an incomplete response: it is unknown what they
// lack, so none of them runs.
func (s *step) refuseCalls() error {
	return s.refuse(s.reply.ToolCalls, fmt.Sprintf("the response was cut off, %s, so the call may not be whole; send it "+
		"again, shorter", s.incomplete))
}

// explainTooLong adds to the error of a request that is too long what a person can
// do about it.
func (s Settings) explainTooLong(err error, sent int) error {
	if !errors.Is(err, llm.ErrTooLong) {
		return err
	}
	size, limit, advice := sent/4, s.contextWindow(), ""
	if size < limit {
		advice = "; if the server accepts less than that, set context_window_limit to what it accepts"
	}
	return fmt.Errorf("%w; the request has about %d tokens, context_window_limit is %d: make the conversation "+
		"shorter with chibi -z, or empty it with chibi -a%s", err, size, limit, advice)
}
