package bridge

import (
	"slices"

	"github.com/chibi-host/chibi/internal/agents"
	"github.com/chibi-host/chibi/internal/agents/engine"
)

// foreignEntry is an entry in the settings of one agent that another agent has started, because it also reads these
// settings.
type foreignEntry struct {
	agent engine.Dialect
	name  string // the event, by that agent's name
	event engine.Event
	how   engine.Start
}

// recognize finds out, by the members of the payload, whether a different agent than the entry's has started the
// entry. From here on the event is that agent's.
func (r *run) recognize(payload []byte) {
	by, how, found := agents.StartedBy(r.Agent.Name, payload)
	if !found {
		return
	}
	d := by.Dialect()
	event, known := like(d, r.event)
	if !known {
		return
	}
	for i, e := range d.Events { // these settings have no entries for events that their agent does not have
		d.Events[i].Bridged = e.Bridged && slices.ContainsFunc(r.Agent.Events, func(o engine.Event) bool {
			return o.Kind == e.Kind
		})
	}
	r.foreign = &foreignEntry{r.Agent, r.Name, r.event, how}
	r.Agent, r.Name, r.event, r.bridge.Agent = d, event.Name, event, d.Name
}

// like returns an agent's event for another agent's: the event with the same name, or else the first at which the
// same happens.
func like(d engine.Dialect, other engine.Event) (engine.Event, bool) {
	if e, known := d.Event(other.Name); known {
		return e, true
	}
	n := slices.IndexFunc(d.Events, func(e engine.Event) bool { return e.Kind == other.Kind && e.Kind != engine.Never })
	if n < 0 {
		return engine.Event{}, false
	}
	return d.Events[n], true
}

// entry returns the agent in whose settings the entry is, and the event in its words.
func (r *run) entry() (agent, event string) {
	if r.foreign != nil {
		return r.foreign.agent.Name, r.foreign.name
	}
	return r.Agent.Name, r.Name
}

// form writes an effect in the form that the agent takes from the entry.
func (r *run) form(effect engine.Effect) engine.Output {
	if r.foreign != nil && r.foreign.how.TakesTheirs {
		return r.foreign.agent.Output(r.foreign.event, r.moment, effect)
	}
	return r.Agent.Output(r.event, r.moment, effect)
}
