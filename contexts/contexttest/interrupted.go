package contexttest

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/chibi-host/chibi/contexts"
	"github.com/chibi-host/chibi/store"
	"github.com/chibi-host/chibi/store/storetest"
)

// Interrupted tests that data is kept when the store does not answer: for each call of the
// script of [Play], or each so many of them, it fails that call before and after it was
// carried out, without the lock of the context and with it. If not each call fails, the ways take turns.
// An acknowledged operation is there once, in its order; the interrupted one is there as a whole or not at all; and the
// conversation goes on, also in the same process.
func Interrupted(t *testing.T, each int, open storetest.Open) {
	for i, way := range []cut{{}, {after: true}, {locked: true}, {after: true, locked: true},
		{locked: true, goesOn: true}, {after: true, locked: true, goesOn: true}} {
		t.Run(way.String(), func(t *testing.T) {
			for n := 1 + i%each; !t.Failed(); n += each {
				way.call = n
				if !way.holds(t, open) {
					break
				}
			}
			if way.call < 60 {
				t.Errorf("the script took only %d calls", way.call)
			}
		})
	}
}

// cut is a call that fails.
type cut struct {
	call   int
	after  bool // it is carried out
	locked bool // the script runs under the lock
	goesOn bool // in the same process
}

func (c cut) String() string {
	text := "before"
	if c.after {
		text = "after"
	}
	if c.locked {
		text += ", with the lock"
	}
	if c.goesOn {
		text += ", going on"
	}
	return text
}

// lease is how long a lease lasts that a run left behind.
const lease = time.Second

// holds plays the script with a call that fails; more is false if the script has fewer.
func (c cut) holds(t *testing.T, open storetest.Open) (more bool) {
	connect, home := open(t, store.Options{Lease: lease}), t.TempDir()
	engine, failed := storetest.Failing(connect(), storetest.Failure{Call: c.call, After: c.after})
	o, err := c.play(contexts.OpenShared(engine, home))
	engine.Close() // the process is over
	when := fmt.Sprintf("call %d (%s) failed %s, in %s", c.call, failed(), c, o.Step)
	if failed() == "" {
		if err != nil {
			t.Errorf("nothing failed, but %s: %v", o.Step, err)
		}
		return false
	}
	if err != nil && !errors.Is(err, store.ErrUnavailable) {
		t.Errorf("%s: %v", when, err)
	}
	if err == nil {
		o.Acknowledged = o.Next // what failed can be done later
	}
	again := connect()
	defer again.Close()
	Survived(t, when, contexts.OpenShared(again, home), o)
	return true
}

// play plays the script as the way of failing asks for.
func (c cut) play(s *contexts.Store) (o Outcome, err error) {
	work, err := s.Context("work")
	if err == nil && c.locked {
		var unlock func()
		if _, unlock, err = work.Lock(context.Background()); err == nil {
			defer unlock()
		}
	}
	if err != nil {
		nothing := World{Current: contexts.DefaultName}
		return Outcome{nothing, nothing, "locking"}, err
	}
	o, err = playWith(s, work)
	if err != nil && c.goesOn {
		if err := work.Append(contexts.UserMessage("user", "work", "afterwards")); err != nil {
			return o, fmt.Errorf("going on: %w", err)
		}
		o.Acknowledged, o.Next = o.Acknowledged.afterwards(), o.Next.afterwards()
	}
	return o, err
}
