//go:build unix

package pgstore_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/chibi-host/chibi/cluster/internal/pgtest"
	"github.com/chibi-host/chibi/cluster/pgstore"
	"github.com/chibi-host/chibi/store"
)

// pair is a primary that acknowledges only what its standby has.
type pair struct {
	*testing.T
	primary, standby *pgtest.Server
	url              string // names both
}

func newPair(t *testing.T, name string) *pair {
	t.Helper()
	p := &pair{T: t, primary: ownServer(t)}
	home(t, p.primary, name)
	var err error
	if p.standby, err = p.primary.Standby(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(p.standby.Stop)
	if err := p.primary.Require(t.Context()); err != nil {
		t.Fatal(err)
	}
	p.url = fmt.Sprintf("postgres://postgres@127.0.0.1:%d,127.0.0.1:%d/postgres?home=%s", p.primary.Port,
		p.standby.Port, name)
	return p
}

// asked are the statements of a program that wait for the standby, and when they began.
func (p *pair) asked(program string) []string {
	p.Helper()
	rows, err := p.primary.Exec(p.Context(), `select concat(pid, ' ', query_start) from pg_stat_activity
		where wait_event = 'SyncRep' and application_name = '`+program+`'`)
	if err != nil {
		p.Fatal(err)
	}
	return rows
}

// cutAnyShort ends the waiting of all statements that wait for the standby, when there are some.
func (p *pair) cutAnyShort() {
	p.Helper()
	for cut := 0; cut == 0; time.Sleep(time.Millisecond) {
		var err error
		if cut, err = p.primary.CutWaits(p.Context()); err != nil {
			p.Fatal(err)
		}
	}
}

// call is a call of an engine that waits for the standby.
type call struct {
	*pair
	operation
	engine   *store.Engine
	key      string
	prepared any
	done     chan error
	last     string // the statement that waits
}

// prepare makes what an operation needs, while the standby follows.
func (p *pair) prepare(i int, o operation) *call {
	p.Helper()
	c := &call{pair: p, operation: o, key: fmt.Sprintf("key%d", i), done: make(chan error, 1)}
	c.engine = open(p.T, store.Options{URL: p.url, Program: o.name, Timeout: 5 * time.Minute, Lease: time.Hour})
	var err error
	if c.prepared, err = o.prepare(p.Context(), c.engine, c.key); err != nil {
		p.Fatal(o.name, err)
	}
	return c
}

// begin begins the call.
func (c *call) begin() {
	go func() { c.done <- c.operation.call(context.Background(), c.engine, c.key, c.prepared) }()
}

// waits waits until another statement of the call waits for the standby, and reports whether it does.
// If the call returns instead, it was acknowledged.
func (c *call) waits() bool {
	c.Helper()
	for {
		if now := c.asked(c.name); len(now) == 1 && now[0] != c.last {
			c.last = now[0]
			return true
		}
		select {
		case err := <-c.done:
			c.Errorf("%s: it returned while the standby had not got it: %v", c.name, err)
			c.done <- err
			return false
		case <-time.After(time.Millisecond):
		}
	}
}

// cutShort ends the waiting of a call's statement: what it wrote is there, and the standby has it not.
func (c *call) cutShort(function string) {
	c.Helper()
	_, err := c.primary.Exec(c.Context(), `select `+function+`(pid)::text from pg_stat_activity
		where wait_event = 'SyncRep' and application_name = '`+c.name+`'`)
	if err != nil {
		c.Fatal(err)
	}
}

// TestWhatIsAcknowledgedIsOnTheStandby: the standby hangs, and somebody ends the waiting for it, so
// that the primary shows what the standby has not got. No call takes that for success. The standby
// takes over without it, and then all calls succeed there.
func TestWhatIsAcknowledgedIsOnTheStandby(t *testing.T) {
	p := newPair(t, "acknowledged")
	var calls []*call
	again := operation{"Init", 0, nothing, func(ctx context.Context, _ *store.Engine, _ string, _ any) error {
		_, err := pgstore.Driver().Init(ctx, store.InitOptions{Options: store.Options{URL: p.url, Program: "Init",
			Timeout: 5 * time.Minute}})
		return err
	}, isAsBefore}
	for i, o := range append(operations(), again) {
		if !o.reads() {
			calls = append(calls, p.prepare(i, o))
		}
	}
	p.standby.Freeze()
	for _, c := range calls {
		c.begin()
		ways := []string{"pg_cancel_backend", "pg_terminate_backend", "pg_cancel_backend"}
		for c.waits() && len(ways) > 0 {
			c.cutShort(ways[0])
			ways = ways[1:]
		}
	}
	if err := p.standby.TakeOver(t.Context(), p.primary); err != nil {
		t.Fatal(err)
	}
	for _, c := range calls {
		if err := <-c.done; err != nil {
			t.Errorf("%s: %v", c.name, err)
		}
		if err := c.check(t.Context(), c.engine, c.key, c.prepared); err != nil {
			t.Errorf("%s, on the standby: %v", c.name, err)
		}
	}
}
