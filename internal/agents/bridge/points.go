package bridge

import (
	"context"
	"encoding/json"
	"slices"

	"github.com/chibi-host/chibi/agent"
	"github.com/chibi-host/chibi/hookpoints"
	"github.com/chibi-host/chibi/internal/agents/engine"
	"github.com/chibi-host/chibi/internal/app"
	"github.com/chibi-host/chibi/permissions"
	"github.com/chibi-host/chibi/plugin"
	"github.com/tidwall/gjson"
)

// points are chibi's points at an event of the agent.
type points struct{ *run }

// fire fires chibi's points at a moment, in the order in which chibi would.
func (p points) fire(ctx context.Context) (engine.Effect, error) {
	if p.moment.Kind == engine.Never && p.event.Kind != engine.Prompt {
		return engine.Effect{}, nil // such as a stop that Grok Build announces when its session ends
	}
	switch p.event.Kind {
	case engine.SessionStart:
		return p.sessionStarts(ctx)
	case engine.SessionEnd:
		return p.sessionEnds(ctx)
	case engine.Prompt, engine.PromptExpanded:
		return p.prompt(ctx)
	case engine.BeforeTool:
		return p.beforeTool(ctx)
	case engine.BeforeShell, engine.BeforeMCP, engine.BeforeRead:
		return p.permission(ctx)
	case engine.AskPermission:
		return p.asked(ctx)
	case engine.AfterTool, engine.ToolSucceeded, engine.ToolFailed:
		return p.afterTool(ctx)
	case engine.AfterBatch:
		answer, err := plugin.Fire(ctx, p.host(), hookpoints.PostToolBatch, p.there().PostToolBatch())
		return engine.Effect{Context: agent.ContextBlocks(answer.Contexts), Halt: answer.Halt,
			HaltReason: answer.Message}, err
	case engine.Stop:
		return p.stop(ctx)
	case engine.BeforeRequest:
		answer, err := plugin.Fire(ctx, p.host(), hookpoints.PreAPIRequest, p.there().Request())
		return p.there().OfRequest(p.event, answer), err
	case engine.AfterResponse:
		answer, err := plugin.Fire(ctx, p.host(), hookpoints.PostTurn, p.there().PostTurn())
		return OfTurn(answer), err
	case engine.TurnFailed, engine.TurnInterrupted:
		return observe(ctx, p, hookpoints.OnTurnFailed, p.there().TurnFailed())
	case engine.BeforeCompact, engine.AfterCompact:
		return p.compaction(ctx)
	case engine.AgentStart:
		answer, err := plugin.Fire(ctx, p.host(), hookpoints.PreSpawnAgent, p.there().PreSpawn())
		return OfSpawn(answer), err
	case engine.AgentStop:
		return observe(ctx, p, hookpoints.PostSpawnAgent, p.there().PostSpawn())
	}
	return engine.Effect{}, nil
}

// there is the moment for payloads of chibi's points.
func (p points) there() There { return There{Moment: p.moment, In: p.session.Name()} }

// takes says which of the plugins' changes at a moment the agent takes.
func (p points) takes(m engine.Moment) engine.Taker {
	return engine.Taker{Dialect: p.Agent, Event: p.event, Moment: m}
}

func (p points) host() *plugin.Host { return p.session.Agent.Host }

// observe fires a point whose answers have no effect.
func observe[P any](ctx context.Context, p points, point hookpoints.Point[P, hookpoints.None],
	payload P) (engine.Effect, error) {
	_, err := plugin.Fire(ctx, p.host(), point, payload)
	return engine.Effect{}, err
}

// sessionStarts fires the points of the start of a run of chibi, and collects the plugins' texts for the system
// prompt.
func (p points) sessionStarts(ctx context.Context) (effect engine.Effect, err error) {
	forgetOldSessions(p.session.Home, p.bridge)
	source := p.moment.Text(engine.Source)
	switch source {
	case "compact":
	case "clear":
		_, err = observe(ctx, p, hookpoints.PostClear, p.there().Compaction())
	default:
		if p.enter(running) {
			err = p.session.Agent.Start(ctx)
		}
	}
	if err != nil {
		return effect, err
	}
	payload := p.there().SystemPrompt()
	first, err := plugin.Fire(ctx, p.host(), hookpoints.PreSystemPrompt, payload)
	if err != nil {
		return effect, err
	}
	last, err := plugin.Fire(ctx, p.host(), hookpoints.PostSystemPrompt, payload)
	return OfInjections(first, last), err
}

// sessionEnds fires on_end, or pre_clear where the conversation ends and the session does not.
func (p points) sessionEnds(ctx context.Context) (engine.Effect, error) {
	if p.moment.Text(engine.Reason) == "clear" {
		return observe(ctx, p, hookpoints.PreClear, p.there().Compaction())
	}
	if !p.enter(ended) {
		return engine.Effect{}, nil
	}
	defer p.forget()
	return observe(ctx, p, hookpoints.OnEnd, hookpoints.OnEndPayload{CurrentContext: p.session.Name(),
		Reason: p.there().EndReason(), Turns: app.BridgedTraceOf(p.session).Turns()})
}

// prompt fires pre_message and begins a turn in the trace, unless the agent goes on by itself. A changed prompt
// that the agent does not send does not count as a change.
func (p points) prompt(ctx context.Context) (engine.Effect, error) {
	text := p.moment.Text(engine.PromptText)
	if p.isOwn(text) {
		return engine.Effect{}, nil
	}
	p.begin(text)
	if !p.moment.Has(engine.AgentID) {
		app.BridgedTraceOf(p.session).Step(agent.Event{Kind: agent.EventPrompt, Text: text})
	}
	asItWas := plugin.Refine{Field: "prompt", Loses: true, Value: func(json.RawMessage) (json.RawMessage, string) {
		return json.RawMessage("null"), p.takes(p.moment).Prompt()
	}}
	answer, err := plugin.Fire(ctx, p.host(), hookpoints.PreMessage, p.there().PreMessage(), asItWas)
	if err == nil && (answer.Block || answer.Halt) {
		refused := &agent.RefusedError{Message: answer.Message}
		app.BridgedTraceOf(p.session).Step(agent.Event{Kind: agent.EventError, Text: refused.Error()})
	}
	effect := OfMessage(answer)
	effect.Context = agent.ContextBlocks(answer.Contexts)
	return effect, err
}

// consulted is the agent's next call, for plugins.
func (p points) consulted(m engine.Moment) agent.Consulted {
	call := TheirCallOf(m)
	return agent.Consulted{Tool: call.Tool(), ID: m.Text(engine.CallID), Arguments: call.Arguments(),
		AskedElsewhere: asksElsewhere(p.Agent, p.event, m), Nesting: call.Nesting(),
		Takes: func(changed json.RawMessage) (json.RawMessage, string) {
			return p.takes(m).Arguments(changed)
		}}
}

// asksElsewhere reports whether the agent also asks chibi at a separate event for the permission points of a tool.
// For a tool that its table does not name, nobody knows.
func asksElsewhere(d engine.Dialect, at engine.Event, m engine.Moment) bool {
	if d.Tools.Ours(m.There.Tool, nil).Category == "" && !m.Has(engine.ServerTool) {
		return false
	}
	var kind engine.Kind
	switch m.Text(engine.ToolCategory) {
	case "shell":
		kind = engine.BeforeShell
	case "mcp":
		kind = engine.BeforeMCP
	case "read":
		kind = engine.BeforeRead
	}
	return kind != at.Kind && slices.ContainsFunc(d.Events, func(e engine.Event) bool {
		return e.Kind == kind && e.Bridged
	})
}

// beforeTool asks about a call; about each file, if the tool changes several. Changed arguments are the arguments
// that the agent takes.
func (p points) beforeTool(ctx context.Context) (effect engine.Effect, err error) {
	for _, m := range callsOf(p.moment) {
		opinion, err := agent.Consult(ctx, p.session.Agent, p.consulted(m))
		if err != nil {
			return effect, err
		}
		if p.decide(&effect, opinion); effect.Decision == hookpoints.DecisionDeny {
			return effect, nil
		}
		if opinion.Arguments != nil {
			effect.Input = p.Agent.Theirs(m, opinion.Arguments)
		}
	}
	return effect, nil
}

// callsOf returns the calls of chibi's tools that one call of the agent's tool stands for.
func callsOf(m engine.Moment) []engine.Moment { return append([]engine.Moment{m}, m.More...) }

// permission asks the permission points alone.
func (p points) permission(ctx context.Context) (effect engine.Effect, err error) {
	opinion, err := agent.ConsultPermission(ctx, p.session.Agent, p.consulted(p.moment))
	p.decide(&effect, opinion)
	return effect, err
}

// asked lets plugins answer a question of the agent in place of the person.
func (p points) asked(ctx context.Context) (effect engine.Effect, err error) {
	opinion, err := agent.ConsultAsked(ctx, p.session.Agent, p.consulted(p.moment), p.Agent.Title)
	p.decide(&effect, opinion)
	return effect, err
}

// decide adds an opinion to an effect, if it is stricter. An approval counts only if the
// configuration says so, because the agent then does not ask the person.
func (p points) decide(effect *engine.Effect, o agent.Opinion) {
	decision := hookpoints.Decision(o.Decision)
	if decision == hookpoints.DecisionAllow && !p.session.Config.Bridge.Allow {
		decision = ""
	}
	both := permissions.Strictest(permissions.Judgement{Decision: permissions.Decision(effect.Decision),
		Reason: effect.Reason}, permissions.Judgement{Decision: permissions.Decision(decision), Reason: o.Reason})
	effect.Decision, effect.Reason = hookpoints.Decision(both.Decision), both.Reason
	effect.Context = joined(effect.Context, o.Context)
	if o.Halted != nil {
		effect.Halt, effect.HaltReason = true, o.Halted.Error()
	}
}

// joined joins two texts that may be empty.
func joined(a, b string) string {
	if a == "" || b == "" {
		return a + b
	}
	return a + "\n\n" + b
}

// afterTool tells plugins how a call ended. If a plugin withholds a result and the agent does not take a different
// one, the turn ends.
func (p points) afterTool(ctx context.Context) (effect engine.Effect, err error) {
	call := TheirCallOf(p.moment)
	output, exit := call.Result()
	result := agent.ConsultedResult{Consulted: p.consulted(p.moment), Output: output, Exit: exit, Took: call.Took(),
		Failed: p.event.Kind == engine.ToolFailed || call.Failed()}
	result.Takes = func(changed json.RawMessage) (json.RawMessage, string) {
		return json.RawMessage("null"), p.takes(p.moment).Output(gjson.ParseBytes(changed).Str)
	}
	opinion, err := agent.ConsultResult(ctx, p.session.Agent, result)
	effect.Output, effect.Context = opinion.Instead, opinion.Context
	switch {
	case opinion.Halted != nil:
		effect.Halt, effect.HaltReason = true, opinion.Halted.Error()
	case effect.Output != nil && p.takes(p.moment).Output(*effect.Output) != "":
		effect.Halt, effect.HaltReason = true, *effect.Output
	}
	return effect, err
}

// stop fires the points after the model's answer. pre_stop comes last and can make the turn go on.
func (p points) stop(ctx context.Context) (effect engine.Effect, err error) {
	if p.moment.HasFailed() { // plugins cannot continue a turn that has failed, or that the person has ended
		p.turnEnds(p.state().followUps)
		return observe(ctx, p, hookpoints.OnTurnFailed, p.there().TurnFailed())
	}
	if p.host().IsHeard(hookpoints.PostMessage.Name) {
		payload := p.there().PostMessage(app.BridgedTraceOf(p.session).Prompt())
		if _, err := plugin.Fire(ctx, p.host(), hookpoints.PostMessage, payload); err != nil {
			return effect, err
		}
	}
	before := p.state().followUps
	continued := max(before.Count, p.there().Continued())
	answer, err := plugin.Fire(ctx, p.host(), hookpoints.PreStop, p.there().PreStop(continued))
	if err != nil {
		return effect, err
	}
	effect = OfStop(answer)
	if blocks := agent.ContextBlocks(answer.Contexts); blocks != "" && !effect.Halt {
		effect.Decision, effect.Reason = hookpoints.DecisionDeny, joined(effect.Reason, blocks)
	}
	if effect.Decision == hookpoints.DecisionDeny {
		if err := p.follow(effect.Reason, continued); err != nil {
			p.told.say("pre_stop: " + err.Error())
			effect = engine.Effect{Notes: effect.Notes}
		}
	}
	if effect.Decision == "" {
		p.turnEnds(before)
		app.BridgedTraceOf(p.session).Step(agent.Event{Kind: agent.EventAnswer, Text: p.moment.Text(engine.Response)})
	}
	return effect, nil
}

// compaction fires the points of a compaction: of a whole context if the person asked for it, of a rolling one
// otherwise.
func (p points) compaction(ctx context.Context) (effect engine.Effect, err error) {
	auto, before := p.there().IsAutomatic(), p.event.Kind == engine.BeforeCompact
	whole, rolling := p.there().Compaction(), hookpoints.PreRollingCompactPayload{ContextName: p.session.Name()}
	switch {
	case before && auto:
		answer, err := plugin.Fire(ctx, p.host(), hookpoints.PreRollingCompact, rolling)
		return OfCompact(answer), err
	case before:
		answer, err := plugin.Fire(ctx, p.host(), hookpoints.PreCompact, whole)
		return OfCompact(answer), err
	case auto:
		payload := hookpoints.PostRollingCompactPayload{ContextName: p.session.Name(), Summary: whole.Summary}
		return observe(ctx, p, hookpoints.PostRollingCompact, payload)
	}
	return observe(ctx, p, hookpoints.PostCompact, whole)
}
