package hooks

import (
	"context"
	"fmt"

	"github.com/chibi-host/chibi/hookpoints"
	"github.com/chibi-host/chibi/internal/agents/engine"
	"github.com/chibi-host/chibi/internal/agents/settings"
	"github.com/chibi-host/chibi/plugin"
)

// Trial is a command's answer at one event, and its meaning here and in the other agents.
type Trial struct {
	// Payload is the command's standard input.
	Payload []byte
	// Outcome is how the command ended. Effect is the meaning of that in its agent.
	Outcome engine.Outcome
	Effect  engine.Effect
	// Here is chibi's answer at each point of the event, in their order; none if chibi
	// never fires it.
	Here []AnswerHere
	// Others are its meanings in the agents that have such an event.
	Others []Elsewhere
}

// AnswerHere is chibi's answer at a point.
type AnswerHere struct {
	Point hookpoints.Name
	// Body is the answer, empty for no opinion.
	Body []byte
	// Notes name the parts that have no effect there.
	Notes []string
}

// Elsewhere is the meaning of a command's outcome in another agent.
type Elsewhere struct {
	// Agent is the agent's name in chibi, Event is its event.
	Agent, Event string
	Effect       engine.Effect
}

// Tried says what to try.
type Tried struct {
	// Handler is a command handler; its matcher does not count.
	Handler settings.Handler
	Options Options
	// Payload is the agent's; empty: chibi makes it of Moment.
	Payload []byte
	Moment  engine.Moment
}

// Try runs a command handler of an agent once and returns the meaning of its answer. The error says why chibi
// cannot run it.
func Try(ctx context.Context, d engine.Dialect, what Tried) (Trial, error) {
	e, known := d.Event(what.Handler.Event)
	if !known {
		return Trial{}, fmt.Errorf("%s has no event %q", d.Title, what.Handler.Event)
	}
	t, m, err := Trial{Payload: what.Payload}, what.Moment, error(nil)
	if len(t.Payload) > 0 {
		m, err = d.Moment(e, t.Payload)
	} else {
		t.Payload, err = d.Payload(e, m)
	}
	if err != nil {
		return t, err
	}
	what.Options.Memory = &Memory{}
	one := &hook{dialect: &d, event: e, handler: what.Handler, opts: what.Options}
	if t.Outcome, _, err = one.process(ctx, plugin.Event{}, m, t.Payload); err != nil {
		return t, err
	}
	t.Effect = d.Effect(e, t.Outcome)
	if note := foreignNote(d, e, t.Outcome, what.Options.Agents); note != "" {
		t.Effect.Notes = append(t.Effect.Notes, note)
	}
	for _, point := range engine.PointsOf(e.Kind) {
		body, notes := answerAt(d, point, m, t.Effect)
		t.Here = append(t.Here, AnswerHere{point, body, notes})
	}
	for _, other := range what.Options.Agents() {
		if there, has := eventOf(other, e.Kind); has && other.Name != d.Name {
			t.Others = append(t.Others, Elsewhere{other.Name, there.Name, other.Effect(there, t.Outcome)})
		}
	}
	return t, nil
}

// eventOf returns the first event of a kind.
func eventOf(d engine.Dialect, k engine.Kind) (engine.Event, bool) {
	for _, e := range d.Events {
		if e.Kind == k && k != engine.Never {
			return e, true
		}
	}
	return engine.Event{}, false
}
