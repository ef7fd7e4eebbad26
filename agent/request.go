package agent

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"sync"

	"github.com/chibi-host/chibi/hookpoints"
	"github.com/chibi-host/chibi/llm"
	"github.com/chibi-host/chibi/merge"
	"github.com/chibi-host/chibi/plugin"
	"github.com/chibi-host/chibi/tools"
	"github.com/tidwall/gjson"
)

// offer holds the tools that a request offers, and the event that reports them.
type offer struct {
	specs []tools.Spec
	event RequestEvent
}

// offerTools decides which tools the next request offers: the configuration's
// filter first, then the answers of plugins at pre_api_tools.
func (t *turn) offerTools(ctx context.Context) (offer, error) {
	all := t.agent.Tools.Specs()
	specs, without := configured(t.agent, t.recipe, all)
	list := hookpoints.PreAPIToolsPayload{ContextName: t.contextName(), Tools: []hookpoints.ListedTool{},
		RecursionDepth: t.depth, Nesting: t.agent.inner.told()}
	for _, s := range specs {
		list.Tools = append(list.Tools, hookpoints.ListedTool{Name: s.Name, Type: string(s.Kind)})
	}
	ctx = plugin.WithRequest(ctx, sync.OnceValue(func() json.RawMessage {
		body, _ := t.agent.body(t.withSystemPrompt(), nil) // whoever sends it says what is wrong
		return body
	}))
	filter, err := plugin.Fire(ctx, t.agent.Host, hookpoints.PreAPITools, list)
	if err != nil {
		return offer{}, err
	}
	offered := filterSpecs(specs, filter.Include, filter.Exclude)
	return offer{offered, RequestEvent{For: t.purpose(), Tools: namesOf(all), Configured: namesOf(specs),
		Offered: namesOf(offered), Unoffered: without}}, nil
}

// configured returns the tools that the configuration, the permissions and the recipe keep,
// and why the others are not offered.
func configured(a *Agent, recipe *Recipe, all []tools.Spec) (kept []tools.Spec, without map[string]string) {
	settings, sub := a.Settings, a.inner.enclosing()
	without = map[string]string{}
	names := namesOf(all)
	named := func(filter []string) map[string]bool { return setOf(merge.Listed(filter, names)) }
	excluded, included, allowed := named(settings.Exclude), named(settings.Include), map[string]bool{}
	if recipe != nil {
		allowed = named(recipe.Tools)
	}
	for _, s := range all {
		switch {
		case settings.NoTools:
			without[s.Name] = "this run offers no tools, as --no-tool-calls says"
		case excluded[s.Name]:
			without[s.Name] = "tools.exclude of the configuration names it"
		case settings.Include != nil && !included[s.Name]:
			without[s.Name] = "tools.include of the configuration does not name it"
		case settings.excluded(s) != "":
			without[s.Name] = excludedCategory(settings.excluded(s)).Error()
		case a.Gate != nil && a.Gate.Offers != nil && !a.Gate.Offers(s):
			without[s.Name] = "a rule of the permissions denies all its calls"
		case sub != nil && !sub.offered[s.Name]:
			without[s.Name] = "the agent that started this one does not offer it"
		case sub != nil && sub.kept == nil && s.OfContext:
			without[s.Name] = "a sub-agent has no notes of its own"
		case isSpawnTool(s) && tooDeep(a) != nil:
			without[s.Name] = tooDeep(a).Error()
		case recipe != nil && recipe.Tools != nil && !allowed[s.Name]:
			without[s.Name] = fmt.Sprintf("the recipe %q does not allow it", recipe.Name)
		default:
			kept = append(kept, s)
		}
	}
	return kept, without
}

// excluded returns the category of a tool, or of a call, that is filtered out, "" if none is.
func (s Settings) excluded(spec tools.Spec) tools.Category {
	if i := slices.IndexFunc(s.ExcludeCategories, spec.Is); i >= 0 {
		return s.ExcludeCategories[i]
	}
	return ""
}

func excludedCategory(c tools.Category) error {
	return fmt.Errorf("tools.exclude_categories of the configuration names %s", c)
}

// Unoffered returns why the configuration and the permissions keep tools of an agent from its
// model, by the tools' names.
func Unoffered(a *Agent) map[string]string {
	_, without := configured(a, nil, a.Tools.Specs())
	return without
}

func setOf(names []string) map[string]bool {
	set := map[string]bool{}
	for _, name := range names {
		set[name] = true
	}
	return set
}

// filterSpecs returns the tools that are included, if include is not nil, and not
// excluded.
func filterSpecs(specs []tools.Spec, include, exclude []string) []tools.Spec {
	byName := map[string]tools.Spec{}
	for _, s := range specs {
		byName[s.Name] = s
	}
	var includes []merge.Offer[[]string]
	if include != nil {
		includes = append(includes, merge.Offer[[]string]{Value: include})
	}
	var kept []tools.Spec
	for _, name := range merge.Filter(namesOf(specs), includes, []merge.Offer[[]string]{{Value: exclude}}).Kept {
		kept = append(kept, byName[name])
	}
	return kept
}

func namesOf(specs []tools.Spec) []string {
	names := []string{}
	for _, s := range specs {
		names = append(names, s.Name)
	}
	return names
}

// modelRequest is a request that is about to be sent.
type modelRequest struct {
	messages []llm.Message
	tools    []tools.Spec
	// depth is the depth of the turn; event is the report, as far as known.
	depth int
	event RequestEvent
}

// requestBody builds the body of a request, fires pre_api_request, and reports the
// request.
func (a *Agent) requestBody(ctx context.Context, q modelRequest) (json.RawMessage, error) {
	body, err := a.body(q.messages, q.tools)
	if err != nil {
		return nil, err
	}
	answer, err := plugin.Fire(ctx, a.Host, hookpoints.PreAPIRequest, hookpoints.PreAPIRequestPayload{
		ContextName: a.Context.Name(), RequestBody: body, RecursionDepth: q.depth, Nesting: a.inner.told(),
	})
	if err != nil {
		return nil, err
	}
	event := q.event
	event.Before = parameters(body)
	event.After = event.Before
	if answer.RequestBody != nil {
		body = answer.RequestBody
		event.After, event.Sent = parameters(body), sentTools(body, event.Offered)
	}
	event.Bytes = len(body)
	a.Output.emit(Event{Kind: EventRequest, Request: &event})
	return body, nil
}

// body returns the body of a request as plugins have not changed it.
func (a *Agent) body(messages []llm.Message, offered []tools.Spec) (json.RawMessage, error) {
	return llm.Request{Model: a.Settings.Model, Messages: messages, Tools: offered, Options: a.Settings.Options}.Body()
}

// sentTools lists the tools of a body if they are not the offered ones.
func sentTools(body []byte, offered []string) []string {
	names := []string{}
	gjson.GetBytes(body, "tools.#.function.name").ForEach(func(_, name gjson.Result) bool {
		names = append(names, name.String())
		return true
	})
	if slices.Equal(names, offered) {
		return nil
	}
	return names
}

// parameters returns the members of a request's body other than messages and tools.
func parameters(body []byte) json.RawMessage {
	params, err := merge.Patch(body, []byte(`{"messages":null,"tools":null}`))
	if err != nil {
		return json.RawMessage("{}")
	}
	return params
}

// purpose returns what the requests are for that are not of the conversation, "" for its own.
func (t *turn) purpose() string {
	switch in := t.agent.inner; {
	case in == nil:
		return ""
	case in.isForHook():
		return "recipe " + t.recipe.name()
	}
	return "sub-agent " + t.agent.inner.told().AgentID
}
