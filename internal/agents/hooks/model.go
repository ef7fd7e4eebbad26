package hooks

import (
	"context"
	"fmt"
	"strings"

	"github.com/chibi-host/chibi/hookpoints"
	"github.com/chibi-host/chibi/internal/agents/engine"
	"github.com/chibi-host/chibi/internal/strictjson"
)

// asked is a model's answer to a prompt or agent handler.
type asked struct {
	OK         *bool  `json:"ok"`
	Reason     string `json:"reason"`
	Impossible bool   `json:"impossible"`
	Context    string `json:"additionalContext"`
}

// model asks the model of a prompt or agent handler.
func (h *hook) model(ctx context.Context, payload []byte) (engine.Effect, error) {
	ctx, cancel := context.WithTimeout(ctx, h.handler.TimeLimit(*h.dialect, h.event))
	defer cancel()
	text, err := h.opts.Ways.Ask(ctx, Judging{Text: question(h.handler.Prompt, payload), Model: h.handler.Model,
		ReadsFiles: h.handler.Kind == engine.AgentHandler})
	if err != nil {
		return engine.Effect{}, err
	}
	text = strings.TrimSpace(text)
	text = strings.TrimSpace(strings.TrimSuffix(strings.TrimPrefix(strings.TrimPrefix(text, "```json"), "```"), "```"))
	var said asked
	if err := strictjson.Decode([]byte(text), &said); err != nil || said.OK == nil {
		return engine.Effect{}, fmt.Errorf(`the model did not answer {"ok": true} or {"ok": false, "reason": "..."}: it `+
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

// judged returns the meaning of a model's verdict at the event. A denial also ends the turn, unless the handler
// says that the turn goes on.
func (h *hook) judged(said asked) engine.Effect {
	eff := engine.Effect{Context: said.Context}
	if *said.OK {
		return eff
	}
	ends := h.handler.Kind == engine.PromptHandler && !h.handler.ContinueOnBlock
	switch h.event.Kind {
	case engine.Stop, engine.AgentStop:
		if !said.Impossible {
			eff.Decision, eff.Reason = hookpoints.DecisionDeny, said.Reason
		}
	case engine.ToolFailed:
		eff.Context = engine.Joined(said.Reason, said.Context)
	case engine.BeforeTool, engine.ToolSucceeded:
		eff.Decision, eff.Reason = hookpoints.DecisionDeny, said.Reason
		eff.Halt, eff.HaltReason = ends, said.Reason
	case engine.Prompt, engine.AfterBatch:
		eff.Decision, eff.Reason = hookpoints.DecisionDeny, said.Reason
	default:
		eff.Notes = append(eff.Notes, fmt.Sprintf("the model's denial (%.200s) has no effect at %s", said.Reason,
			h.event.Name))
	}
	return eff
}
