package agent

import (
	"context"
	"encoding/json"
	"fmt"
	"unicode/utf8"

	"github.com/chibi-host/chibi/llm"
	"github.com/chibi-host/chibi/tools"
)

// OfferTo returns the tools that another program is offered, as a request to the model would
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
