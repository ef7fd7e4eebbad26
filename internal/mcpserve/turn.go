package mcpserve

import (
	"context"

	"github.com/chibi-host/chibi/tools"
)

// inTurn returns a tool whose calls wait for their turn, unless they can run at the same time
// as others.
func (t *turns) inTurn(tool tools.Tool) tools.Tool {
	spec := tool.Spec()
	if spec.Parallel {
		return tool
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.of == nil {
		t.of = map[string]chan struct{}{}
	}
	owner := spec.Owner
	if spec.Remote != nil {
		owner = "mcp__" + spec.Remote.Server
	}
	turn, known := t.of[owner]
	if !known {
		turn = make(chan struct{}, 1)
		t.of[owner] = turn
	}
	one := oneAtATime{tool, turn}
	if planner, plans := tool.(tools.Planner); plans {
		return plannerInTurn{one, planner}
	}
	return one
}

// oneAtATime is a tool whose calls wait for their turn.
type oneAtATime struct {
	tools.Tool
	turn chan struct{}
}

// Call calls the tool once it is its turn.
func (o oneAtATime) Call(ctx context.Context, call tools.Call) (tools.Result, error) {
	return o.run(ctx, func() (tools.Result, error) { return o.Tool.Call(ctx, call) })
}

func (o oneAtATime) run(ctx context.Context, do func() (tools.Result, error)) (tools.Result, error) {
	select {
	case o.turn <- struct{}{}:
		defer func() { <-o.turn }()
		return do()
	case <-ctx.Done():
		return tools.Result{}, ctx.Err()
	}
}

// plannerInTurn is one whose calls can be examined before.
type plannerInTurn struct {
	oneAtATime
	planner tools.Planner
}

// Plan prepares a call, whose Run waits for its turn.
func (p plannerInTurn) Plan(ctx context.Context, call tools.Call) (tools.Plan, error) {
	plan, err := p.planner.Plan(ctx, call)
	if err != nil {
		return nil, err
	}
	return planInTurn{plan, p.oneAtATime}, nil
}

// planInTurn is a plan that waits for its turn.
type planInTurn struct {
	tools.Plan
	one oneAtATime
}

// Run runs the plan once it is its turn.
func (p planInTurn) Run(ctx context.Context) (tools.Result, error) {
	return p.one.run(ctx, func() (tools.Result, error) { return p.Plan.Run(ctx) })
}
