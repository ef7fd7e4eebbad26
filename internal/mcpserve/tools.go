package mcpserve

import (
	"context"
	"errors"
	"fmt"

	"github.com/chibi-host/chibi/agent"
	"github.com/chibi-host/chibi/internal/app"
	"github.com/chibi-host/chibi/internal/disk"
	"github.com/chibi-host/chibi/permissions"
	"github.com/chibi-host/chibi/tools"
)

// Serve calls do with the session's tools, between the start and the end of a run.
func Serve(ctx context.Context, s *app.Session, opts Options, do func(*Tools) error) (err error) {
	v := &Tools{opts: opts}
	if v.now, err = v.newGeneration(s); err != nil {
		return err
	}
	// The trace is written there although nothing of a conversation is. Where that is not
	// possible, the first thing to be traced says so.
	_ = disk.MkdirAll(disk.OS{}, s.Host.Layout().Directory(s.Name()), 0o700)
	err = s.Start(ctx)
	defer func() { err = errors.Join(err, v.end(ctx, err)) }()
	if err != nil {
		return err
	}
	if err := s.Enter(ctx); err != nil {
		return err
	}
	app.BeginChecks(s)
	return do(v)
}

// end ends the run: on_end fires at the plugins that are loaded now.
func (v *Tools) end(ctx context.Context, failure error) error {
	g := v.generation()
	err := g.session.End(ctx, failure)
	app.Cleanup(ctx, g.session)
	g.close()
	v.before.Wait()
	return err
}

// generation returns the present one.
func (v *Tools) generation() *generation {
	v.mu.Lock()
	g := v.now
	v.mu.Unlock()
	return g
}

// Names lists the tools, also those that plugins or the configuration keep from clients.
func (v *Tools) Names() (names []string) {
	g := v.use()
	defer g.release()
	for _, spec := range g.tools.Specs() {
		names = append(names, spec.Name)
	}
	return names
}

// use returns the present generation, which lives until it is released.
func (v *Tools) use() *generation {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.now.users.Add(1)
	return v.now
}

// Renew loads the configuration and the plugins again. Calls that run go on with what they
// began with. After an error everything stays as it was.
func (v *Tools) Renew(ctx context.Context) error {
	before := v.use()
	defer before.release()
	next, err := before.session.For(ctx, before.session.Name())
	if err != nil {
		return err
	}
	err = next.Load(ctx)
	var g *generation
	if err == nil {
		g, err = v.newGeneration(next)
	}
	if err != nil {
		next.Close()
		return err
	}
	app.ReportSkipped(next)
	next.Agent.Continue(before.session.Agent)
	v.mu.Lock()
	v.now = g
	app.Succeed(next, before.session)
	v.mu.Unlock()
	v.before.Go(before.retire)
	return nil
}

// Client returns a client whose person answers questions about calls; nil: nobody is there. What the
// person allows for the run holds for this client only.
func (v *Tools) Client(person permissions.Person) *Client { return &Client{served: v, person: person} }

// gateOf returns the gate that judges the client's calls in a generation.
func (c *Client) gateOf(g *generation) (*permissions.Gate, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.of == g {
		return c.gate, nil
	}
	gate, err := app.NewGate(g.session, c.person)
	if err != nil {
		return nil, err
	}
	if gate != nil {
		gate.Continue(c.gate)
	}
	c.gate, c.of = gate, g
	return gate, nil
}

// Tools lists the tools that the client is offered now.
func (c *Client) Tools(ctx context.Context, who string) (specs []tools.Spec, err error) {
	err = c.with(ctx, func(l *lane) error {
		specs, err = agent.OfferTo(ctx, l.agent, who)
		return err
	})
	return specs, err
}

// Call calls a tool. Errors are the end of ctx and errors of the store.
func (c *Client) Call(ctx context.Context, call Call) (result Result, err error) {
	err = c.with(ctx, func(l *lane) error {
		if l.refusal != nil {
			result = Result{Text: "Error: " + l.refusal.Error(), Failed: true}
			return nil
		}
		l.agent.Output.Waiting = call.Waiting
		id := fmt.Sprintf("call_%d", c.served.calls.Add(1))
		result, err = l.call(ctx, id, call)
		return err
	})
	return result, err
}

// with calls do with a lane that nobody else uses, judged by the client's gate.
func (c *Client) with(ctx context.Context, do func(*lane) error) error {
	g := c.served.use()
	defer g.release()
	gate, err := c.gateOf(g)
	if err != nil {
		return err
	}
	l, err := g.enter(ctx)
	if err != nil {
		return err
	}
	defer g.leave(l)
	l.agent.Gate = gate
	return do(l)
}
