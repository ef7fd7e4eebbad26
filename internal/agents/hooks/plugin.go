package hooks

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"

	"github.com/chibi-host/chibi/hookpoints"
	"github.com/chibi-host/chibi/internal/agents/engine"
	"github.com/chibi-host/chibi/internal/agents/settings"
	"github.com/chibi-host/chibi/plugin"
)

// NewPlugin returns the plugin that runs a handler at the points of its event. The error says
// why chibi does not run it.
func NewPlugin(d *engine.Dialect, h settings.Handler, o Options) (plugin.Plugin, error) {
	e, known := d.Event(h.Event)
	if !known {
		return plugin.Plugin{}, fmt.Errorf("unknown event %q", h.Event)
	}
	points := e.Points()
	if points == nil {
		return plugin.Plugin{}, fmt.Errorf("chibi never fires %s", e.Name)
	}
	if lacks := cmp.Or(o.Ways.Lacks(h.Kind), refuses(*d, e, h, o)); lacks != "" {
		return plugin.Plugin{}, errors.New(lacks)
	}
	p := plugin.Plugin{Name: o.Name, Origin: plugin.Origin{Protocol: d.Name, Path: o.Path},
		Hooks: points, Events: map[hookpoints.Name]string{}}
	if e.Kind == engine.SessionStart {
		p.Hooks = append(p.Hooks, engine.PointsOf(engine.AfterCompact)...)
	}
	for _, point := range p.Hooks {
		p.Events[point] = e.Name
	}
	switch {
	case d.InTurn || h.Sequential:
		p.Sequence = d.Name + ":" + e.Name
	default:
		p.Round = d.Name + ":" + e.Name
	}
	p.Transcript = tells(*d, e, engine.Transcript)
	if h.FailClosed {
		p.OnFailure = plugin.Block
	}
	matches, err := matchesAlone(*d, e, h, o.Twins)
	if err != nil {
		return plugin.Plugin{}, err
	}
	concerns, err := condition(h, *d, e, o.Concerns)
	if err != nil {
		return plugin.Plugin{}, err
	}
	if o.Memory == nil {
		o.Memory, h.Async = &Memory{}, false
	}
	one := &hook{dialect: d, event: e, handler: h, opts: o, matches: matches, concerns: concerns}
	p.Handler = one
	if e.Kind == engine.SessionStart {
		p.Handler = &starter{hook: one}
	}
	return p, nil
}

// tells reports whether an agent's hooks get a value at an event.
func tells(d engine.Dialect, e engine.Event, v engine.Value) bool {
	return slices.ContainsFunc(e.Fields, func(f engine.Field) bool { return f.Value == v }) ||
		slices.ContainsFunc(d.Environment, func(of engine.Variable) bool { return of.Value == v })
}

// matchesAlone returns a function that reports whether the matcher of a handler matches and no matcher of its twins
// does.
func matchesAlone(d engine.Dialect, e engine.Event, h settings.Handler,
	twins []settings.Handler) (func(value string) bool, error) {
	matches, err := d.Matches(e, h.Matcher)
	if err != nil || len(twins) == 0 {
		return matches, err
	}
	var others []func(string) bool
	for _, twin := range twins {
		if other, err := d.Matches(e, twin.Matcher); err == nil {
			others = append(others, other)
		}
	}
	return func(value string) bool {
		isTwins := slices.ContainsFunc(others, func(other func(string) bool) bool { return other(value) })
		return matches(value) && !isTwins
	}, nil
}

// Handle runs the handler if the event fits it.
func (h *hook) Handle(ctx context.Context, ev plugin.Event) (plugin.Answer, error) {
	m, why := h.moment(ctx, ev)
	if why != "" {
		return plugin.Answer{Skipped: why}, nil
	}
	if h.handler.Once && h.dialect.Shape.Once && !h.opts.Memory.first(h.key()) {
		return plugin.Answer{Skipped: "it runs once in a session"}, nil
	}
	if h.handler.Async {
		return h.behind(ctx, ev, m)
	}
	eff, answer, err := h.run(ctx, ev, m)
	if err != nil {
		return answer, err
	}
	return h.answer(ev.Point, m, capped(h, m, eff), answer), nil
}

// moment returns what happens, or why the hook does not fit it.
func (h *hook) moment(ctx context.Context, ev plugin.Event) (m engine.Moment, why string) {
	m, is := h.event.MomentAt(ev.Point, ev.Payload, h.opts.about(ctx))
	m.Set(engine.HookDir, filepath.Dir(h.opts.Path))
	if !is {
		return m, fmt.Sprintf("this is not a moment for %s", h.event.Name)
	}
	if value := h.dialect.Matched(h.event, m); !h.matches(value) {
		return m, fmt.Sprintf("its matcher %.60q does not match %.60q", h.handler.Matcher, value)
	}
	if why := h.opts.runsElsewhere(m); why != "" {
		return m, why
	}
	if h.concerns != nil && !h.concerns(m) {
		return m, fmt.Sprintf("its rule %.60q is not about this call", h.handler.If)
	}
	if tells(*h.dialect, h.event, engine.Request) && !m.Has(engine.Request) {
		m.Values[engine.Request] = plugin.RequestOf(ctx)
	}
	if h.event.Kind == engine.BeforeRead {
		m.Set(engine.FileContent, contentOf(m.Text(engine.Path)))
	}
	return m, ""
}

// run asks the handler about a moment.
func (h *hook) run(ctx context.Context, ev plugin.Event, m engine.Moment) (engine.Effect, plugin.Answer, error) {
	if h.opts.Waiting != nil && h.handler.StatusMessage != "" {
		defer h.opts.Waiting(h.handler.StatusMessage)()
	}
	variables, err := envFile(h, m)
	if err != nil {
		return engine.Effect{}, plugin.Answer{}, err
	}
	payload, err := h.dialect.Payload(h.event, m)
	if err != nil {
		return engine.Effect{}, plugin.Answer{}, err
	}
	eff, answer, err := h.ask(ctx, ev, m, payload)
	eff.Notes = append(eff.Notes, variables()...)
	return eff, answer, err
}

// answer returns an effect as an answer at a point.
func (h *hook) answer(at hookpoints.Name, m engine.Moment, eff engine.Effect, answer plugin.Answer) plugin.Answer {
	body, notes := answerAt(*h.dialect, at, m, eff)
	notes = append(notes, h.opts.Memory.setVariables(eff.Env)...)
	answer.Body, answer.Notes = body, append(answer.Notes, notes...)
	return answer
}

// capped takes the continuation out of an effect after the turn has gone on as often as the handler's agent allows.
func capped(h *hook, m engine.Moment, eff engine.Effect) engine.Effect {
	limit := h.dialect.MaxContinuations
	if h.handler.LoopLimit != nil {
		limit = *h.handler.LoopLimit
	}
	done := int(m.Number(engine.FollowUps))
	if h.event.Kind != engine.Stop || eff.Decision != hookpoints.DecisionDeny || done < limit ||
		limit == 0 && h.handler.LoopLimit == nil {
		return eff
	}
	eff.Note("the turn ends nevertheless: it has gone on %d times, and %s lets a hook continue it %d times", done,
		h.dialect.Title, limit)
	eff.Decision, eff.Reason = "", ""
	return eff
}

// NoMeaning is part of the note about an answer in the form of another agent.
const NoMeaning = "means nothing in a file of"

// foreignNote says that an answer is in the form of another agent; "" if it is not.
func foreignNote(d engine.Dialect, e engine.Event, out engine.Outcome, all func() []engine.Dialect) string {
	title := Foreign(d, e, out, all)
	if title == "" {
		return ""
	}
	return "its answer is in the form of " + title + ", which " + NoMeaning + " " + d.Title + "; it has no opinion"
}

// Foreign returns the title of the agent in whose form a hook's answer is, if the answer means nothing at an event
// here and something at the same moment there; "" if there is no such agent.
func Foreign(d engine.Dialect, e engine.Event, out engine.Outcome, all func() []engine.Dialect) string {
	answer, isObject := d.AnswerIn(out.Stdout)
	if !isObject || all == nil {
		return ""
	}
	if says, isKnown := d.Says(e, answer); says || isKnown {
		return ""
	}
	for _, other := range all() {
		for _, there := range other.Events {
			if other.Name == d.Name || there.Kind != e.Kind {
				continue
			}
			if says, _ := other.Says(there, answer); says {
				return other.Title
			}
		}
	}
	return ""
}
