package engine

import (
	"context"
	"fmt"
	"strings"

	"github.com/chibi-host/chibi/hookpoints"
	"github.com/chibi-host/chibi/internal/strictjson"
)

// asked is what a model answers to a prompt or agent handler.
type asked struct {
	OK         *bool  `json:"ok"`
	Reason     string `json:"reason"`
	Impossible bool   `json:"impossible"`
	Context    string `json:"additionalContext"`
}

// model asks the model of a prompt or agent handler.
func (h *hook) model(ctx context.Context, payload []byte) (Effect, error) {
	ctx, cancel := context.WithTimeout(ctx, h.dialect.TimeLimit(h.event, h.handler))
	defer cancel()
	text, err := h.opts.Ways.Ask(ctx, Judging{Text: question(h.handler.Prompt, payload), Model: h.handler.Model,
		ReadsFiles: h.handler.Kind == AgentHandler})
	if err != nil {
		return Effect{}, err
	}
	text = strings.TrimSpace(text)
	text = strings.TrimSpace(strings.TrimSuffix(strings.TrimPrefix(strings.TrimPrefix(text, "```json"), "```"), "```"))
	var said asked
	if err := strictjson.Decode([]byte(text), &said); err != nil || said.OK == nil {
		return Effect{}, fmt.Errorf(`the model did not answer {"ok": true} or {"ok": false, "reason": "..."}: it `+
			`begins with %.60q`, text)
	}
	return h.judged(said), nil
}

// question is the prompt with the payload in it.
func question(prompt string, payload []byte) string {
	const place, literal, kept = "$ARGUMENTS", `\$`, "\x00"
	prompt = strings.ReplaceAll(prompt, literal, kept)
	data := strings.TrimSpace(string(payload))
	if strings.Contains(prompt, place) {
		prompt = strings.ReplaceAll(prompt, place, data)
	} else {
		prompt += "\n\n" + data
	}
	return strings.ReplaceAll(prompt, kept, "$") +
		"\n\nAnswer with one JSON object only: {\"ok\": true}, or {\"ok\": false, \"reason\": \"...\"}."
}

// judged returns what a model's verdict means at the event. A denial also ends the turn, unless
// the handler says that it goes on.
func (h *hook) judged(said asked) Effect {
	eff := Effect{Context: said.Context}
	if *said.OK {
		return eff
	}
	ends := h.handler.Kind == PromptHandler && !h.handler.ContinueOnBlock
	switch h.event.Kind {
	case Stop, AgentStop:
		if !said.Impossible {
			eff.Decision, eff.Reason = hookpoints.DecisionDeny, said.Reason
		}
	case ToolFailed:
		eff.Context = joined(said.Reason, said.Context)
	case BeforeTool, ToolSucceeded:
		eff.Decision, eff.Reason = hookpoints.DecisionDeny, said.Reason
		eff.Halt, eff.HaltReason = ends, said.Reason
	case Prompt, AfterBatch:
		eff.Decision, eff.Reason = hookpoints.DecisionDeny, said.Reason
	default:
		eff.Notes = append(eff.Notes, fmt.Sprintf("the model says no (%.200s), which has no effect at %s", said.Reason,
			h.event.Name))
	}
	return eff
}
