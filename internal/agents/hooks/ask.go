package hooks

import (
	"context"
	"errors"
	"fmt"

	"github.com/chibi-host/chibi/internal/agents/engine"
	"github.com/chibi-host/chibi/plugin"
	"github.com/chibi-host/chibi/plugin/process"
)

// ask asks the handler and returns the effect of its answer.
func (h *hook) ask(ctx context.Context, ev plugin.Event, m engine.Moment, payload []byte) (engine.Effect, plugin.Answer,
	error) {
	if h.opts.Instead != nil {
		return h.outcome(h.opts.Instead(payload), plugin.Answer{}, nil)
	}
	switch h.handler.Kind {
	case engine.HTTPHandler:
		out, err := h.post(ctx, payload)
		return h.outcome(out, plugin.Answer{}, err)
	case engine.MCPToolHandler:
		out, err := h.call(ctx, payload)
		return h.outcome(out, plugin.Answer{}, err)
	case engine.PromptHandler, engine.AgentHandler:
		eff, err := h.model(ctx, payload)
		return eff, plugin.Answer{}, h.failed(err)
	}
	out, answer, err := h.process(ctx, ev, m, payload)
	return h.outcome(out, answer, err)
}

// process runs the process of a command handler.
func (h *hook) process(ctx context.Context, ev plugin.Event, m engine.Moment, payload []byte) (engine.Outcome,
	plugin.Answer, error) {
	command, err := h.command(ev, m, payload)
	if err != nil {
		return unstarted(h, plugin.Answer{}, err)
	}
	out, err := h.opts.Runner.Run(ctx, command)
	answer := plugin.Answer{Unread: out.Unread, Asked: out.Asked}
	if errors.Is(err, process.ErrTimeout) {
		return engine.Outcome{TimedOut: true, Stderr: out.Stderr}, answer, nil
	}
	if errors.Is(err, process.ErrStart) {
		return unstarted(h, answer, err)
	}
	if err == nil && out.Signal == "" {
		answer.Exit = &out.Exit
	}
	return engine.Outcome{Stdout: out.Stdout, Stderr: out.Stderr, Exit: out.Exit, Signal: out.Signal}, answer, err
}

// unstarted is the end of a process that chibi could not start. It is an outcome if the agent denies in this case.
func unstarted(h *hook, answer plugin.Answer, err error) (engine.Outcome, plugin.Answer, error) {
	out := engine.Outcome{Unstarted: true, Stderr: err.Error()}
	if h.dialect.EndsAs(h.event, out).Then == engine.EndsDenied {
		return out, answer, nil
	}
	return engine.Outcome{}, answer, err
}

// outcome returns the meaning of a handler's end.
func (h *hook) outcome(out engine.Outcome, answer plugin.Answer, err error) (engine.Effect, plugin.Answer, error) {
	if err != nil {
		return engine.Effect{}, answer, h.failed(err)
	}
	eff := h.dialect.Effect(h.event, out)
	if eff.Failed != "" {
		return eff, answer, h.failed(errors.New(eff.Failed))
	}
	if note := foreignNote(*h.dialect, h.event, out, h.opts.Agents); note != "" {
		eff.Notes = append(eff.Notes, note)
	}
	return eff, answer, nil
}

// failed names the file, the line and the title of a handler that failed.
func (h *hook) failed(err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%s line %d, %.80q: %w", h.opts.Path, h.handler.Line, h.handler.Title(), err)
}
