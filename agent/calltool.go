package agent

import (
	"context"
	"encoding/json"
	"fmt"
	"unicode/utf8"

	"github.com/chibi-host/chibi/internal/strictjson"
	"github.com/chibi-host/chibi/llm"
	"github.com/chibi-host/chibi/tools"
)

// CallTool runs one tool as a turn would, and returns what the model would see:
// pre_api_tools, pre_tool, pre_tool_output and the other points fire, and a large
// output is cached. Nothing is stored in the conversation. failure is a line about
// why the call was refused or blocked or failed, "" if it succeeded. Errors are the
// end of ctx and errors of the store.
func (a *Agent) CallTool(ctx context.Context, name string, args json.RawMessage) (seen, failure string, err error) {
	return callTool(identified(ctx, a, ""), a, llm.ToolCall{ID: "call_1", Name: name, Arguments: string(args)}, false)
}

// CallWords is like [Agent.CallTool] for the arguments {"args": words}, which tools need not declare.
func CallWords(ctx context.Context, a *Agent, name string, words []string) (seen, failure string, err error) {
	args, err := strictjson.Encode(map[string][]string{"args": append([]string{}, words...)})
	if err != nil {
		return "", "", err
	}
	return callTool(identified(ctx, a, ""), a, llm.ToolCall{ID: "call_1", Name: name, Arguments: string(args)}, true)
}

// callTool makes one call outside of the conversation; undeclared says that its arguments are not
// checked against the tool's parameters.
func callTool(ctx context.Context, a *Agent, call llm.ToolCall, undeclared bool) (seen, failure string, err error) {
	t := detached(a, 0)
	offer, err := t.offerTools(ctx)
	if err != nil {
		return "", "", err
	}
	s := step{turn: t, offered: toolNamesOf(offer.specs), undeclared: undeclared}
	result, err := s.runTogether(ctx, []llm.ToolCall{call})
	if err != nil {
		return "", "", err
	}
	return result[0].text, result[0].failure, nil
}

// OfferTo returns the tools that chibi offers to another program, as a request to the model would
// offer them: the configuration's filter, then pre_api_tools. In the trace that is a turn of
// its own; who names the program there.
func OfferTo(ctx context.Context, a *Agent, who string) (specs []tools.Spec, err error) {
	a.Output.emit(Event{Kind: EventPrompt, Text: who + " asks for the tools"})
	defer func() { endServed(a, fmt.Sprintf("it got %d tools", len(specs)), err) }()
	offer, err := detached(a, 0).offerTools(ctx)
	if err != nil {
		return nil, err
	}
	event := offer.event
	event.For, event.Before, event.After = "tools/list", json.RawMessage("{}"), json.RawMessage("{}")
	a.Output.emit(Event{Kind: EventRequest, Request: &event})
	return offer.specs, nil
}

// CallFor is [Agent.CallTool] for another program. In the trace the call is a turn of its
// own; who names the program there. The call's id tells calls of a run apart.
func CallFor(ctx context.Context, a *Agent, who string, call llm.ToolCall) (seen, failure string, err error) {
	a.Output.emit(Event{Kind: EventPrompt, Text: who + " calls " + call.Name})
	defer func() { endServed(a, fmt.Sprintf("it got %d characters", utf8.RuneCountInString(seen)), err) }()
	return callTool(ctx, a, call, false)
}

// endServed reports the end of what another program asked for.
func endServed(a *Agent, done string, err error) {
	if err != nil {
		a.Output.emit(Event{Kind: EventError, Text: err.Error()})
		return
	}
	a.Output.emit(Event{Kind: EventAnswer, Text: done})
}

// PrepareArguments returns the arguments that the tool would get in a turn without
// hooks: they are converted to the types of the tool's parameters. The error says
// what is wrong with them.
func (a *Agent) PrepareArguments(spec tools.Spec, args json.RawMessage) (json.RawMessage, error) {
	converted, _ := a.schemas.of(spec, a.Output).Convert(args)
	return converted, a.schemas.check(spec, converted, a.Output)
}
