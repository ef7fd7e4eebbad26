package engine

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/chibi-host/chibi/plugin"
	"github.com/chibi-host/chibi/plugin/process"
)

// Ways are how handlers are asked that are not commands. What is nil is not offered: such a
// handler is left out, with the reason.
type Ways struct {
	// Post posts a payload and returns the answer, at most 8 MiB. It follows no redirects.
	Post func(ctx context.Context, to Posting) (status int, body []byte, err error)
	// Ask asks a model and returns its text.
	Ask func(ctx context.Context, q Judging) (string, error)
	// Call calls a tool of an MCP server and returns its text.
	Call func(ctx context.Context, server, tool string, input json.RawMessage) (string, error)
}

// Posting is a request of an HTTP handler.
type Posting struct {
	URL     string
	Headers map[string]string
	Body    []byte
}

// Judging is what a handler asks a model.
type Judging struct {
	// Text is the prompt, with the payload in it.
	Text string
	// Model is the model that the handler names, "" if it names none.
	Model string
	// ReadsFiles says that the model may read files before it answers.
	ReadsFiles bool
}

// Lacks says why a kind of handler is not run; "" if it is.
func (w Ways) Lacks(kind HandlerKind) string {
	switch {
	case kind == HTTPHandler && w.Post == nil:
		return "HTTP handlers are not run here"
	case (kind == PromptHandler || kind == AgentHandler) && w.Ask == nil:
		return "a handler that asks a model is not run unless [foreign] model_hooks = true is set: it sends what " +
			"happens to the model's server, and costs tokens"
	case kind == MCPToolHandler && w.Call == nil:
		return "a handler that calls a tool of an MCP server is not run here"
	case kind == "":
		return "chibi does not know this type of handler"
	}
	return ""
}

// ask asks the handler and returns what it says.
func (h *hook) ask(ctx context.Context, ev plugin.Event, m Moment, payload []byte) (Effect, plugin.Answer, error) {
	switch h.handler.Kind {
	case HTTPHandler:
		out, err := h.post(ctx, payload)
		return h.outcome(out, plugin.Answer{}, err)
	case MCPToolHandler:
		out, err := h.call(ctx, payload)
		return h.outcome(out, plugin.Answer{}, err)
	case PromptHandler, AgentHandler:
		eff, err := h.model(ctx, payload)
		return eff, plugin.Answer{}, h.failed(err)
	}
	out, answer, err := h.process(ctx, ev, m, payload)
	return h.outcome(out, answer, err)
}

// process runs the process of a command handler.
func (h *hook) process(ctx context.Context, ev plugin.Event, m Moment, payload []byte) (Outcome, plugin.Answer, error) {
	command, err := h.command(ev, m, payload)
	if err != nil {
		return unstarted(h, plugin.Answer{}, err)
	}
	out, err := h.opts.Runner.Run(ctx, command)
	answer := plugin.Answer{Unread: out.Unread, Asked: out.Asked}
	if errors.Is(err, process.ErrTimeout) {
		return Outcome{TimedOut: true, Stderr: out.Stderr}, answer, nil
	}
	if errors.Is(err, process.ErrStart) {
		return unstarted(h, answer, err)
	}
	if err == nil && out.Signal == "" {
		answer.Exit = &out.Exit
	}
	return Outcome{Stdout: out.Stdout, Stderr: out.Stderr, Exit: out.Exit, Signal: out.Signal}, answer, err
}

// unstarted is the end of a process that could not be started: where the agent denies then, that is an
// outcome.
func unstarted(h *hook, answer plugin.Answer, err error) (Outcome, plugin.Answer, error) {
	out := Outcome{Unstarted: true, Stderr: err.Error()}
	if exitOf(*h.dialect, h.event, out).Then == "deny" {
		return out, answer, nil
	}
	return Outcome{}, answer, err
}

// outcome returns what the end of a handler means.
func (h *hook) outcome(out Outcome, answer plugin.Answer, err error) (Effect, plugin.Answer, error) {
	if err != nil {
		return Effect{}, answer, h.failed(err)
	}
	eff := h.dialect.Effect(h.event, out)
	if eff.Failed != "" {
		return eff, answer, h.failed(errors.New(eff.Failed))
	}
	if note := foreignNote(*h.dialect, h.event, out); note != "" {
		eff.Notes = append(eff.Notes, note)
	}
	return eff, answer, nil
}

// failed names the file and the line of a handler that failed, and what it is.
func (h *hook) failed(err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%s line %d, %.80q: %w", h.opts.Path, h.handler.Line, h.handler.Title(), err)
}

// Title names a handler by what it runs, for messages.
func (h Handler) Title() string {
	switch h.Kind {
	case HTTPHandler:
		return h.URL
	case PromptHandler, AgentHandler:
		return h.Prompt
	case MCPToolHandler:
		return h.Server + " " + h.Tool
	}
	return h.Command
}
