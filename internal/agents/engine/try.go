package engine

import (
	"context"
	"fmt"
	"strings"

	"github.com/chibi-host/chibi/hookpoints"
	"github.com/chibi-host/chibi/internal/clip"
	"github.com/chibi-host/chibi/plugin"
)

// Trial is what one command says at one event, here and in the other agents.
type Trial struct {
	// Payload is what it was given.
	Payload []byte
	// Outcome is how it ended, Effect what that means in its agent.
	Outcome Outcome
	Effect  Effect
	// Here is chibi's answer at each point of the event, in their order; none if chibi
	// never fires it.
	Here []AnswerHere
	// Others are what it would mean in the agents that have such an event.
	Others []Elsewhere
}

// AnswerHere is chibi's answer at a point.
type AnswerHere struct {
	Point hookpoints.Name
	// Body is the answer, empty for no opinion.
	Body []byte
	// Notes say what has no effect there.
	Notes []string
}

// Elsewhere is what the outcome of a command means in another agent.
type Elsewhere struct {
	// Agent is its name in chibi, Event its event.
	Agent, Event string
	Effect       Effect
}

// Tried is what is tried.
type Tried struct {
	// Handler is a command handler; its matcher does not count.
	Handler Handler
	Options HookOptions
	// Payload is the agent's; empty: that of the Moment.
	Payload []byte
	Moment  Moment
}

// Try runs a command handler of an agent once and returns what that means. The error says
// why it cannot be run.
func Try(ctx context.Context, d Dialect, what Tried) (Trial, error) {
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
	one := &hook{dialect: &d, event: e, handler: what.Handler, opts: what.Options}
	if t.Outcome, _, err = one.process(ctx, plugin.Event{}, m, t.Payload); err != nil {
		return t, err
	}
	t.Effect = d.Effect(e, t.Outcome)
	if note := foreignNote(d, e, t.Outcome); note != "" {
		t.Effect.Notes = append(t.Effect.Notes, note)
	}
	for _, point := range PointsOf(e.Kind) {
		body, notes := answerAt(d, point, m, t.Effect)
		t.Here = append(t.Here, AnswerHere{point, body, notes})
	}
	for _, other := range All() {
		if there, has := eventOf(other, e.Kind); has && other.Name != d.Name {
			t.Others = append(t.Others, Elsewhere{other.Name, there.Name, other.Effect(there, t.Outcome)})
		}
	}
	return t, nil
}

// eventOf returns the first event of a kind.
func eventOf(d Dialect, k Kind) (Event, bool) {
	for _, e := range d.Events {
		if e.Kind == k && k != Never {
			return e, true
		}
	}
	return Event{}, false
}

// String says in a few words what an effect is, "no opinion" for none.
func (e Effect) String() string {
	if e.Failed != "" {
		return "it failed: " + e.Failed
	}
	var list []string
	say := func(is bool, format string, args ...any) {
		if is {
			list = append(list, strings.TrimSuffix(fmt.Sprintf(format, args...), ": "))
		}
	}
	say(e.Halt, "ends the turn: %s", clip.Text(e.HaltReason, 200))
	say(e.Decision != "", "%s: %s", e.Decision, clip.Text(e.Reason, 200))
	say(e.Input != nil, "rewrites the arguments: %s", clip.Text(string(e.Input), 200))
	say(e.Output != nil, "replaces the result")
	say(e.Prompt != nil, "replaces the prompt")
	say(e.Request != nil, "changes the request")
	say(e.Include != nil, "offers only the tools %q", e.Include)
	say(e.Context != "", "tells the model: %s", clip.Text(e.Context, 200))
	say(e.SystemMessage != "", "tells the person: %s", clip.Text(e.SystemMessage, 200))
	say(len(e.Env) > 0, "sets variables")
	if len(list) == 0 {
		return "no opinion"
	}
	return strings.Join(list, "; ")
}
