package agent

import (
	"errors"

	"github.com/chibi-host/chibi/hookpoints"
	"github.com/chibi-host/chibi/llm"
)

// Outcome says what the answer to a prompt lacks although nothing failed.
type Outcome string

// The outcomes of a prompt; "" is a whole answer.
const (
	// Unanswered is a turn in which the model neither wrote a text nor called a tool.
	Unanswered Outcome = "it answered nothing"
	// CutOff is an answer that the server ended at a limit of its length.
	CutOff Outcome = "it reached its length limit (api.max_tokens, or the model's context window)"
	// Filtered is an answer that the server's content filter ended.
	Filtered Outcome = "its server's content filter stopped it"
	// AllRefused is a turn in which the model called tools and no call was allowed.
	AllRefused Outcome = "each of its calls was refused"
)

// OutcomeError reports what the answer lacks. The agent has shown and stored the text of the model,
// and plugins got the end of the turn as always.
type OutcomeError struct {
	Outcome Outcome
	// keepsNothing says that the prompt is not kept either.
	keepsNothing bool
}

// Error says what the answer lacks, and what to do.
func (e *OutcomeError) Error() string {
	switch {
	case e.Outcome == Unanswered && e.keepsNothing:
		return "the model answered nothing"
	case e.Outcome == Unanswered:
		return "the model answered nothing; nothing was stored. chibi retry asks it again"
	case e.Outcome == AllRefused:
		return "the model's calls were all refused, and --strict makes that an error"
	}
	return "the model's answer is incomplete: " + string(e.Outcome)
}

// OutcomeOf returns the Outcome of an *[OutcomeError], "" for any other error and for nil.
func OutcomeOf(err error) Outcome {
	if lacking, ok := errors.AsType[*OutcomeError](err); ok {
		return lacking.Outcome
	}
	return ""
}

// incomplete returns why a response is incomplete although its stream ended normally; "" if it is
// complete.
func incomplete(reply llm.Reply) Outcome {
	switch reply.FinishReason {
	case "length", "max_tokens":
		return CutOff
	case "content_filter":
		return Filtered
	}
	return ""
}

// outcome returns the error of a prompt whose last turn this is, nil if the answer is whole. The
// trace has it as a notice. Inside another turn the failure of the recipe or the sub-agent says it.
func (t *turn) outcome() error {
	outcome := t.incomplete
	switch {
	case t.agent.inner != nil:
		return nil
	case outcome != "":
	case t.unanswered != "":
		outcome = Unanswered
	case t.agent.Settings.Strict && t.calls > 0 && t.refused == t.calls:
		outcome = AllRefused
	default:
		return nil
	}
	err := &OutcomeError{outcome, t.agent.Settings.KeepsNothing}
	t.agent.Output.emit(Event{Kind: EventNotice, Text: err.Error()})
	return err
}

// noticeIncomplete reports that a response is incomplete with which the prompt does not end.
func noticeIncomplete(s step) {
	if s.incomplete != "" {
		s.turn.agent.Output.notice("%v", &OutcomeError{Outcome: s.incomplete})
	}
}

// countRefused counts the calls of a step, and those that were refused.
func (t *turn) countRefused(s step) {
	t.calls += len(s.finished)
	for _, call := range s.finished {
		if call.Status == hookpoints.StatusDenied || call.Status == hookpoints.StatusBlocked {
			t.refused++
		}
	}
}
