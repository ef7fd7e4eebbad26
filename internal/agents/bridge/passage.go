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

// Passage is an event of an agent at which hooks of another one are asked.
type Passage struct {
	// At is the event's name.
	At string `json:"event"`
	// Values are what matchers of these hooks are compared with there, each once. A tool's is its name in
	// their agent, with MCP for the name of an MCP server's tool, and All for none.
	Values []string `json:"values"`
	// Becomes is what becomes of what they say.
	Becomes []Becoming `json:"says"`
	// Asked are the moments as they are told of them.
	Asked []engine.Moment `json:"-"`
}

// How moments are named in lists that have no value of their own: of tools of MCP servers, of events with nothing
// to compare a matcher with, and where it matters how the agent is set or what a tool's result looks like.
const (
	MCP       = "MCP servers' tools"
	All       = "all"
	Trusted   = "where nobody is asked before tools run"
	OtherForm = "results in a form that chibi does not know"
)

// Becoming is what becomes of one thing that hooks say.
type Becoming struct {
	// Says is what they say, in the words of [engine.Member.Does].
	Says string `json:"says"`
	// Arrives is what the agent reads of it; "": nothing.
	Arrives string `json:"arrives"`
	// Values are the values of which that holds; nil: all of the passage.
	Values []string `json:"values,omitempty"`
	// Why is what the person is told about what is lost, a sentence each.
	Why []string `json:"why,omitempty"`
	// Unseen says that nobody has seen what the agent does with it: nobody has driven it with such an answer.
	Unseen bool `json:"unverified,omitempty"`
}

// Is reports whether what hooks say arrives as it is.
func (b Becoming) Is() bool { return b.Says == b.Arrives }

// Passages lists the events of the agent at which hooks of an event of another one are asked.
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

// isSame reports whether a point fires at an event that an event of another agent is at, too.
func (r *Rehearsal) isSame(at, e engine.Event) bool {
	points := agents.Bridged{Dialect: r.In}.PointsAt(at)
	for _, point := range e.Points() {
		if slices.Contains(points, point) {
			return true
		}
	}
	return false
}

// passage tries what becomes of all that hooks say at an event.
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

// value is what matchers of a hook are compared with at a moment, MCP, or All.
func (h Hook) value(m engine.Moment) string {
	if h.Event.Matches == engine.ToolName && m.Text(engine.ToolCategory) == string(tools.CategoryMCP) {
		return MCP
	}
	return cmp.Or(h.Of.Matched(h.Event, m), All)
}

// add adds what became of one thing that a hook said about a value.
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

// why is what the person is told about what is lost, without whose it is. What a hook tells them is none of it.
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
