package bridge

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"github.com/chibi-host/chibi/internal/agents"
	"github.com/chibi-host/chibi/internal/agents/engine"
	"github.com/chibi-host/chibi/tools"
)

// Passage is an event of an agent at which chibi asks hooks of another agent.
type Passage struct {
	// At is the event's name.
	At string `json:"event"`
	// Values are the values that matchers of these hooks are compared with there, each once. A tool has its name in
	// their agent; MCP stands for all tools of MCP servers, and All for no value.
	Values []string `json:"values"`
	// Becomes says what becomes of their answers.
	Becomes []Becoming `json:"says"`
	// Asked are the moments in the hooks' payloads.
	Asked []engine.Moment `json:"-"`
}

// Names of moments in lists, for moments without a value of their own: tools of MCP servers, and events without a
// value for matchers. The others are special cases: a setting of the agent, and the form of a tool's result.
const (
	MCP       = "MCP servers' tools"
	All       = "all"
	Trusted   = "where tools run without a question"
	OtherForm = "results in a form that chibi does not know"
)

// Becoming says what becomes of one thing that hooks answer.
type Becoming struct {
	// Says is the effect of the answer, in the words of [engine.Member.Does].
	Says string `json:"says"`
	// Arrives is the effect in the agent; "": none.
	Arrives string `json:"arrives"`
	// Values are the values for which that holds; nil: all of the passage.
	Values []string `json:"values,omitempty"`
	// Why has the sentences for the person about lost effects.
	Why []string `json:"why,omitempty"`
	// Unseen says that no test has driven the agent with such an answer.
	Unseen bool `json:"unverified,omitempty"`
}

// Is reports whether the effect arrives unchanged.
func (b Becoming) Is() bool { return b.Says == b.Arrives }

// Passages lists the events of the agent at which chibi asks hooks of another agent's event.
func (r *Rehearsal) Passages(ctx context.Context, of engine.Dialect, e engine.Event) (list []Passage, err error) {
	for _, at := range r.In.Events {
		if !at.Bridged || !r.isSame(at, e) {
			continue
		}
		p, err := r.passage(ctx, Hook{Of: of, Event: e}, at)
		if err != nil {
			return nil, err
		}
		if len(p.Asked) > 0 {
			list = append(list, p)
		}
	}
	return list, nil
}

// isSame reports whether two events of agents have a point in common.
func (r *Rehearsal) isSame(at, e engine.Event) bool {
	points := agents.Bridged{Dialect: r.In}.PointsAt(at)
	for _, point := range e.Points() {
		if slices.Contains(points, point) {
			return true
		}
	}
	return false
}

// passage finds out what becomes of each answer that hooks can give at an event.
func (r *Rehearsal) passage(ctx context.Context, h Hook, at engine.Event) (p Passage, err error) {
	p.At = at.Name
	seen := agents.Bridged{Dialect: r.In}.Seen(at)
	for _, s := range (Hook{Of: r.In, Event: at}).Samples() {
		asked, err := r.Fire(ctx, h, at, s)
		if err != nil {
			return p, err
		}
		if asked.Asked == nil {
			continue
		}
		value := h.value(*asked.Asked)
		if s.Where != "" {
			value = s.Where
		} else if p.Asked = append(p.Asked, *asked.Asked); !slices.Contains(p.Values, value) {
			p.Values = append(p.Values, value)
		}
		for _, row := range h.Event.Says() {
			if row.Set == engine.SetEnv || !isAbout(row, *asked.Asked) {
				continue // variables are for later hooks of their agent, and chibi keeps them
			}
			h.Row = &row
			passed, err := r.Fire(ctx, h, at, s)
			if err != nil {
				return p, err
			}
			p.add(passed, value, seen)
		}
		h.Row = nil
	}
	for i, b := range p.Becomes {
		if slices.Equal(b.Values, p.Values) {
			p.Becomes[i].Values = nil
		}
	}
	return p, nil
}

// value is the value that matchers of a hook are compared with at a moment, MCP, or All.
func (h Hook) value(m engine.Moment) string {
	if h.Event.Matches == engine.ToolName && m.Text(engine.ToolCategory) == string(tools.CategoryMCP) {
		return MCP
	}
	return cmp.Or(h.Of.Matched(h.Event, m), All)
}

// add adds what became of a hook's answer for a value.
func (p *Passage) add(passed Passed, value string, seen []string) {
	b := Becoming{Says: strings.Join(passed.Says, " and "), Arrives: strings.Join(passed.Arrives, " and ")}
	if b.Says == "" {
		return
	}
	b.Unseen = slices.ContainsFunc(passed.Arrives, func(does string) bool { return !slices.Contains(seen, does) })
	b.Why = passed.why()
	if strings.HasPrefix(b.Says, "allow") && !strings.HasPrefix(b.Arrives, "allow") {
		b.Why = append(b.Why, "chibi ignores approvals of hooks, unless [bridge] allow is true")
	}
	i := slices.IndexFunc(p.Becomes, func(o Becoming) bool { return o.Says == b.Says && o.Arrives == b.Arrives })
	if i < 0 {
		i, p.Becomes = len(p.Becomes), append(p.Becomes, b)
	}
	one := &p.Becomes[i]
	if !slices.Contains(one.Values, value) && (slices.Contains(p.Values, value) || one.Values == nil) {
		one.Values = append(one.Values, value)
	}
	one.Why = slices.DeleteFunc(one.Why, func(told string) bool { return !slices.Contains(b.Why, told) }) // of one tool
}

// why has the sentences for the person about lost effects, without the hook's name. It leaves out the hook's own
// text for the person.
func (p Passed) why() (list []string) {
	for _, told := range p.Told {
		if _, text, is := strings.Cut(told, ":1\" at "); is {
			_, told, _ = strings.Cut(text, ": ")
		}
		if told != engine.Said && !slices.Equal(p.Says, p.Arrives) {
			list = append(list, told)
		}
	}
	return list
}
