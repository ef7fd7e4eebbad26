package agent

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/chibi-host/chibi/hookpoints"
	"github.com/chibi-host/chibi/llm"
	"github.com/chibi-host/chibi/merge"
	"github.com/chibi-host/chibi/plugin"
	"github.com/chibi-host/chibi/tools"
)

// offer decides which tools this request offers: the configuration's filter
// first, then what plugins say at pre_api_tools.
func (r *round) offer(ctx context.Context) ([]tools.Spec, error) {
	all := r.Tools.Specs()
	specs := filterSpecs(all, r.Settings.Include, r.Settings.Exclude)
	if r.recipe != nil {
		specs = filterSpecs(specs, r.recipe.Tools, nil)
	}
	list := hookpoints.PreAPIToolsPayload{ContextName: r.Context.Name(), Tools: []hookpoints.ListedTool{},
		RecursionDepth: r.depth}
	for _, s := range specs {
		list.Tools = append(list.Tools, hookpoints.ListedTool{Name: s.Name, Type: string(s.Kind)})
	}
	filter, err := plugin.Fire(ctx, r.Host, hookpoints.PreAPITools, list)
	if err != nil {
		return nil, err
	}
	offered := filterSpecs(specs, filter.Include, filter.Exclude)
	r.sending = &RequestEvent{For: r.purpose(), Tools: namesOf(all), Configured: namesOf(specs), Offered: namesOf(offered),
		Unoffered: r.unoffered(all)}
	return offered, nil
}

// unoffered says why the configuration or the recipe leaves tools out.
func (r *round) unoffered(all []tools.Spec) map[string]string {
	why := map[string]string{}
	for _, name := range namesOf(all) {
		switch {
		case slices.Contains(r.Settings.Exclude, name):
			why[name] = "tools.exclude of the configuration names it"
		case r.Settings.Include != nil && !slices.Contains(r.Settings.Include, name):
			why[name] = "tools.include of the configuration does not name it"
		case r.recipe != nil && r.recipe.Tools != nil && !slices.Contains(r.recipe.Tools, name):
			why[name] = fmt.Sprintf("the recipe %q does not allow it", r.recipe.Name)
		}
	}
	return why
}

// filterSpecs keeps the included tools, if include is not nil, that are not
// excluded.
func filterSpecs(specs []tools.Spec, include, exclude []string) []tools.Spec {
	var names []string
	byName := map[string]tools.Spec{}
	for _, s := range specs {
		names = append(names, s.Name)
		byName[s.Name] = s
	}
	var includes []merge.Offer[[]string]
	if include != nil {
		includes = append(includes, merge.Offer[[]string]{Value: include})
	}
	var kept []tools.Spec
	for _, name := range merge.Filter(names, includes, []merge.Offer[[]string]{{Value: exclude}}).Kept {
		kept = append(kept, byName[name])
	}
	return kept
}

// body builds the request body and takes it through pre_api_request.
func (r *round) body(ctx context.Context, offered []tools.Spec) (json.RawMessage, error) {
	body, err := llm.Request{
		Model: r.Settings.Model, Messages: r.conversation(), Tools: offered,
		Options: r.Settings.Options,
	}.Body()
	if err != nil {
		return nil, err
	}
	patched, err := plugin.Fire(ctx, r.Host, hookpoints.PreAPIRequest, hookpoints.PreAPIRequestPayload{
		ContextName: r.Context.Name(), RequestBody: body, RecursionDepth: r.depth,
	})
	if err != nil {
		return nil, err
	}
	return r.patched(r.sending, body, patched), nil
}

// patched is a body as plugins have left it, and tells of the request.
func (a *Agent) patched(event *RequestEvent, body json.RawMessage,
	patch hookpoints.PreAPIRequestAnswer) json.RawMessage {
	event.Before = parameters(body)
	if patch.RequestBody != nil {
		body = patch.RequestBody
		event.Sent = sent(body, event.Offered)
	}
	event.After, event.Bytes = parameters(body), len(body)
	a.emit(Event{Kind: EventRequest, Request: event})
	return body
}

// conversation is the system prompt and the messages.
func (r *round) conversation() []llm.Message {
	if r.system == "" {
		return r.messages
	}
	return append([]llm.Message{{Role: "system", Content: r.system}}, r.messages...)
}
