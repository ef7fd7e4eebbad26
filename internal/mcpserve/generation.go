package mcpserve

import (
	"context"
	"slices"

	"github.com/chibi-host/chibi/agent"
	"github.com/chibi-host/chibi/internal/app"
	"github.com/chibi-host/chibi/llm"
	"github.com/chibi-host/chibi/tools"
)

// maxServed bounds how many calls of all clients run at the same time; further ones wait.
const maxServed = 32

// newGeneration returns what is served of a session.
func (v *Tools) newGeneration(s *app.Session) (*generation, error) {
	g := &generation{session: s, first: v.now == nil, tools: &tools.Set{}, refusal: app.GuardsOf(s).Admit(),
		room: make(chan struct{}, maxServed)}
	for _, spec := range v.served(s.Agent.Tools) {
		tool, _ := s.Agent.Tools.Lookup(spec.Name)
		if err := g.tools.Add(v.turns.inTurn(tool)); err != nil {
			return nil, err
		}
	}
	g.idle = []*lane{{app.FirstLane(s, g.tools), g.refusal}}
	return g, nil
}

// served lists the tools of a set that are offered. Without any whose output could be cached, it
// leaves out the tools that read cached outputs.
func (v *Tools) served(all *tools.Set) []tools.Spec {
	kinds := v.opts.kinds()
	list := slices.DeleteFunc(all.Specs(), func(s tools.Spec) bool { return !slices.Contains(kinds, s.Kind) })
	if !slices.ContainsFunc(list, func(s tools.Spec) bool { return s.Kind != tools.File }) {
		return nil
	}
	return list
}

// release ends a use of the generation.
func (g *generation) release() { g.users.Done() }

// retire ends the generation once its last call has ended.
func (g *generation) retire() {
	g.users.Wait()
	if g.first { // it has the files and the terminal of the run
		app.Rest(g.session)
		return
	}
	g.session.Close()
}

// close ends the generation at the end of the run.
func (g *generation) close() {
	g.users.Wait()
	g.session.Close()
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
	return &lane{app.Lane(g.session, g.tools), g.refusal}, nil
}

// leave gives a lane back.
func (g *generation) leave(l *lane) {
	g.mu.Lock()
	g.idle = append(g.idle, l)
	g.mu.Unlock()
	<-g.room
}

// call makes one call in the lane.
func (l *lane) call(ctx context.Context, id string, call Call) (Result, error) {
	wanted := llm.ToolCall{ID: id, Name: call.Tool, Arguments: call.Arguments}
	seen, failure, err := agent.CallFor(ctx, l.agent, call.Who, wanted)
	return Result{Text: seen, Failed: failure != ""}, err
}
