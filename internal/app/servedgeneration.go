package app

import (
	"context"
	"slices"
	"sync"

	"github.com/chibi-host/chibi/agent"
	"github.com/chibi-host/chibi/internal/trace"
	"github.com/chibi-host/chibi/llm"
	"github.com/chibi-host/chibi/permissions"
	"github.com/chibi-host/chibi/plugin"
	"github.com/chibi-host/chibi/tools"
)

// generation is what is served between two changes of the plugins: a session and what calls
// use of it.
type generation struct {
	session *Session
	first   bool // it is that of the run, with whose files later ones write
	tools   *tools.Set
	refusal error // why no tool may be called, nil if they may
	users   sync.WaitGroup

	mu   sync.Mutex
	idle []*lane
	room chan struct{} // holds an element for each call
}

// maxServed bounds how many calls of all clients run at the same time; further ones wait.
const maxServed = 32

// newGeneration returns what is served of a session.
func (v *Served) newGeneration(s *Session) (*generation, error) {
	g := &generation{session: s, first: v.now == nil, tools: &tools.Set{}, refusal: GuardsOf(s).Admit(),
		room: make(chan struct{}, maxServed)}
	for _, spec := range s.Agent.Tools.Specs() {
		if !slices.Contains(v.opts.kinds(), spec.Kind) {
			continue
		}
		tool, _ := s.Agent.Tools.Lookup(spec.Name)
		if err := g.tools.Add(v.turns.inTurn(tool)); err != nil {
			return nil, err
		}
	}
	g.idle = []*lane{g.newLane(s.Agent.Host, s.tracer)}
	return g, nil
}

// release ends a use of the generation.
func (g *generation) release() { g.users.Done() }

// retire ends the generation once its last call has ended.
func (g *generation) retire() {
	g.users.Wait()
	if !g.first {
		g.session.Close()
		return
	}
	// Its files and the terminal are those of the run.
	g.session.Agent.Host.Join(context.Background())
	g.session.checks.end()
	if g.session.residents != nil {
		g.session.residents.Close()
	}
}

// close ends the generation at the end of the run.
func (g *generation) close() {
	g.users.Wait()
	g.session.Close()
}

// newGate returns a gate that asks a person, nil if there is nothing to judge.
func (g *generation) newGate(person permissions.Person) (*permissions.Gate, error) {
	if g.session.Agent.Gate == nil {
		return nil, nil
	}
	rules, err := newRules(g.session)
	if err != nil {
		return nil, err
	}
	gate, err := newGate(g.session, rules)
	if err == nil && person != nil && g.session.opts.Within == nil {
		gate.Person = person
	}
	return gate, err
}

// lane is what one call at a time uses: so calls that run at the same time do not mix in the
// trace, where each lane is a run of its own.
type lane struct {
	agent   agent.Agent
	refusal error
}

// newLane returns a lane whose hooks are asked and traced by these.
func (g *generation) newLane(host *plugin.Host, t *trace.Tracer) *lane {
	s := g.session
	t.Loaded = func() *agent.LoadedEvent { return trace.LoadedEvent(s.Loaded, g.tools) }
	return &lane{refusal: g.refusal, agent: agent.Agent{
		Host: host, Context: s.Context, Tools: g.tools, Cache: s.Agent.Cache, Recipes: s.Agent.Recipes,
		Settings: s.Agent.Settings,
		Output: agent.Output{Notice: s.person.notice, Detail: s.person.Detail, Event: func(e agent.Event) {
			t.Step(e)
			if s.person.Event != nil {
				s.person.Event(e)
			}
		}},
	}}
}

// enter returns a lane that nobody uses, and waits while there are too many calls.
func (g *generation) enter(ctx context.Context) (*lane, error) {
	select {
	case g.room <- struct{}{}:
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	if n := len(g.idle); n > 0 {
		l := g.idle[n-1]
		g.idle = g.idle[:n-1]
		return l, nil
	}
	s := g.session
	t := newTracer(s)
	writeTrace(s, t)
	host := newHost(s, t)
	s.closers = append(s.closers, t, closing(func() { host.Join(context.Background()) }))
	return g.newLane(host, t), nil
}

// leave gives a lane back.
func (g *generation) leave(l *lane) {
	g.mu.Lock()
	g.idle = append(g.idle, l)
	g.mu.Unlock()
	<-g.room
}

// call makes one call in the lane.
func (l *lane) call(ctx context.Context, id string, call ServedCall) (ServedResult, error) {
	wanted := llm.ToolCall{ID: id, Name: call.Tool, Arguments: call.Arguments}
	seen, failure, err := agent.CallFor(ctx, &l.agent, call.Who, wanted)
	return ServedResult{Text: seen, Failed: failure != ""}, err
}
