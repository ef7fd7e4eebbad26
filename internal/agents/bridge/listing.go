package bridge

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/chibi-host/chibi/internal/agents/engine"
	"github.com/chibi-host/chibi/internal/agents/theirs"
	"github.com/chibi-host/chibi/plugin/toolnames"
)

// HookedEvent is an event of an agent with the hooks that it has there. docs/JSON.md describes its members.
type HookedEvent struct {
	Event    string    `json:"event"`
	Passages []Passage `json:"asked_at"`
	// Arguments say which arguments of tools have a different name there, or none, a sentence each.
	Arguments []string `json:"arguments"`
	// Untold say which members of payloads the other agent does not know, a sentence each.
	Untold []string `json:"untold"`
	Hooks  []HookIn `json:"hooks"`
}

// HookIn is a hook, and the moments at which chibi asks it in the other agent.
type HookIn struct {
	Name    string `json:"name"`
	File    string `json:"file"`
	Line    int    `json:"line"`
	Matcher string `json:"matcher"`
	// Asked are the values for which chibi asks the hook. For Itself the other agent runs it by itself; Never are
	// values that its matcher matches and that the other agent never tells.
	Asked  []string `json:"asked"`
	Itself []string `json:"runs_by_itself"`
	Never  []string `json:"never"`
	// LimitMS is its time limit, if it is longer than the entry's for the event.
	LimitMS int64 `json:"limit_ms,omitempty"`
	// LeftOut says why chibi does not ask it; "": chibi does.
	LeftOut string `json:"left_out,omitempty"`
}

// List says what becomes of the hooks of an agent in the other one, by their events in the order of its table.
// Hooks that chibi leaves out have no event. within is how long an entry waits.
func (r *Rehearsal) List(ctx context.Context, of engine.Dialect, hooks []theirs.Listed, within time.Duration) (
	list []HookedEvent, err error) {
	out := hookedAt("")
	for _, e := range of.Events {
		one := hookedAt(e.Name)
		for _, h := range hooks {
			if at, known := of.Event(h.Handler.Event); h.LeftOut != "" || !known || at.Name != e.Name {
				continue
			}
			if one.Hooks == nil {
				if one.Passages, err = r.Passages(ctx, of, e); err != nil {
					return nil, err
				}
			}
			one.Hooks = append(one.Hooks, Hook{Of: of, Event: e}.in(one.Passages, h, within))
		}
		if one.Hooks != nil {
			one.Arguments = append(one.Arguments, r.arguments(of, one.Hooks)...)
			one.Untold = append(one.Untold, r.Untold(e, one.Passages)...)
			list = append(list, one)
		}
	}
	for _, h := range hooks {
		if h.LeftOut != "" {
			left := listedHook(h)
			left.LeftOut = h.LeftOut
			out.Hooks = append(out.Hooks, left)
		}
	}
	if out.Hooks != nil {
		list = append(list, out)
	}
	return list, nil
}

// hookedAt and listedHook have empty lists in place of none, for JSON.
func hookedAt(event string) HookedEvent {
	return HookedEvent{Event: event, Passages: []Passage{}, Arguments: []string{}, Untold: []string{}}
}

func listedHook(h theirs.Listed) HookIn {
	return HookIn{Name: h.Name, File: h.Path, Line: h.Line, Matcher: h.Handler.Matcher, Asked: []string{},
		Itself: []string{}, Never: []string{}}
}

// in says for which values chibi asks a hook.
func (at Hook) in(passages []Passage, h theirs.Listed, within time.Duration) HookIn {
	one := listedHook(h)
	matches, err := at.Of.Matches(at.Event, h.Handler.Matcher)
	if err != nil && matches == nil { // loading the hook says so
		return one
	}
	note := func(list *[]string, value string) {
		if !slices.Contains(*list, value) {
			*list = append(*list, value)
		}
	}
	for _, p := range passages {
		for _, m := range p.Asked {
			switch value := at.value(m); {
			case !matches(at.Of.Matched(at.Event, m)):
			case h.Elsewhere != nil && h.Elsewhere(m):
				note(&one.Itself, value)
			default:
				note(&one.Asked, value)
			}
		}
	}
	if h.Limit > within && len(one.Asked) > 0 {
		one.LimitMS = h.Limit.Milliseconds()
	}
	for _, s := range at.Samples() {
		value := at.value(s.Moment)
		isTold := slices.Contains(one.Asked, value) || slices.Contains(one.Itself, value)
		if !isTold && matches(at.Of.Matched(at.Event, s.Moment)) {
			note(&one.Never, value)
		}
	}
	return one
}

// isOurs reports whether an argument has a name that only chibi uses.
func isOurs(argument string) bool {
	return slices.Contains([]string{"timeout_secs", "cwd", "stdin", "file_pattern", "context_lines", "max_results",
		"ignore_case", "task", "agent"}, argument)
}

// arguments says which arguments of the hooks' tools have no equal in the other agent, and which arguments of the
// other agent's tools have no equal here.
func (r *Rehearsal) arguments(of engine.Dialect, hooks []HookIn) (list []string) {
	for _, tool := range of.Tools {
		isAsked := slices.ContainsFunc(hooks, func(h HookIn) bool { return slices.Contains(h.Asked, tool.Name) })
		i := slices.IndexFunc(r.In.Tools, func(t toolnames.Tool) bool { return t.Ours == tool.Ours })
		if !isAsked || i < 0 {
			continue
		}
		for _, a := range unequal(tool, r.In.Tools[i]) {
			list = append(list, fmt.Sprintf("%s of %s has no equal in %s", a.Theirs, tool.Name, r.In.Title))
		}
		for _, a := range unequal(r.In.Tools[i], tool) {
			list = append(list, fmt.Sprintf("%s of %s in %s is %s for these hooks", a.Theirs, r.In.Tools[i].Name, r.In.Title,
				a.Ours))
		}
	}
	return list
}

// unequal lists the arguments of a tool that another agent's tool does not have.
func unequal(tool, other toolnames.Tool) (list []toolnames.Argument) {
	for _, a := range tool.Arguments {
		has := slices.ContainsFunc(other.Arguments, func(o toolnames.Argument) bool { return o.Ours == a.Ours })
		if isOurs(a.Ours) && !has {
			list = append(list, a)
		}
	}
	return list
}

// Untold says which members, of those that hooks decide by, are missing in the agent's payloads for hooks of an
// event.
func (r *Rehearsal) Untold(e engine.Event, passages []Passage) (list []string) {
	for _, f := range e.Fields {
		isJudged := slices.Contains([]engine.Value{engine.Response, engine.Source, engine.Trigger, engine.Summary,
			engine.Failure, engine.Task}, f.Value)
		for _, p := range passages {
			isTold := slices.ContainsFunc(p.Asked, func(m engine.Moment) bool { return m.Text(f.Value) != "" })
			if text := fmt.Sprintf("%s has no %s at %s", r.In.Title, f.Name, p.At); isJudged && !isTold {
				list = append(list, text)
			}
		}
	}
	return list
}
