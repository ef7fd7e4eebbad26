package app

import (
	"context"

	"github.com/chibi-host/chibi/agent"
	"github.com/chibi-host/chibi/internal/trace"
	"github.com/chibi-host/chibi/permissions"
	"github.com/chibi-host/chibi/plugin"
	"github.com/chibi-host/chibi/tools"
)

// Lane returns an agent that makes calls with the tools of a set beside other calls: so those that
// run at the same time do not mix in the trace, where each lane is a run of its own. It ends with the
// session.
func Lane(s *Session, set *tools.Set) *agent.Agent {
	t := newTracer(s)
	writeTrace(s, t)
	host := newHost(s, t)
	s.closers = append(s.closers, t, closing(func() { host.Join(context.Background()) }))
	return laneOf(s, set, host, t)
}

// FirstLane returns the agent of a lane that is traced as the session itself.
func FirstLane(s *Session, set *tools.Set) *agent.Agent {
	return laneOf(s, set, s.Agent.Host, s.tracer)
}

func laneOf(s *Session, set *tools.Set, host *plugin.Host, t *trace.Tracer) *agent.Agent {
	t.Loaded = func() *agent.LoadedEvent { return trace.LoadedEvent(s.Loaded, set) }
	return &agent.Agent{
		Host: host, Context: s.Context, Tools: set, Cache: s.Agent.Cache, Recipes: s.Agent.Recipes,
		Settings: s.Agent.Settings,
		Output: agent.Output{Notice: s.person.notice, Detail: s.person.Detail, Event: func(e agent.Event) {
			t.Step(e)
			if s.person.Event != nil {
				s.person.Event(e)
			}
		}},
	}
}

// NewGate returns a gate that asks a person about the calls of lanes, nil if there is nothing to
// judge.
func NewGate(s *Session, asked permissions.Person) (*permissions.Gate, error) {
	if s.Agent.Gate == nil {
		return nil, nil
	}
	rules, err := newRules(s)
	if err != nil {
		return nil, err
	}
	gate, err := newGate(s, rules)
	if err == nil && asked != nil && s.opts.Within == nil {
		gate.Person = asked
	}
	return gate, err
}

// BeginChecks begins to check what is remembered of plugins, unless that has begun.
func BeginChecks(s *Session) { s.checks.Begin() }

// Succeed makes a session the one that ends the run which another one has started.
func Succeed(s, before *Session) { s.started, before.started = before.started, false }

// Rest ends the plugins of a session whose files and terminal others still use.
func Rest(s *Session) {
	s.Agent.Host.Join(context.Background())
	s.checks.End()
	if s.residents != nil {
		s.residents.Close()
	}
}

// Stamps describes the plugins and the configuration of a session, as they were when they were
// read, and as they are now. Without Options.Watched the first is "".
func Stamps(s *Session) (read, now string) { return s.stamp, stampOf(s) }

// ServedKinds are the kinds of the tools that other programs are offered in any case.
func ServedKinds() []tools.Kind { return []tools.Kind{tools.Plugin, tools.File} }
