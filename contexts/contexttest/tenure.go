package contexttest

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"
	"time"

	"github.com/chibi-host/chibi/contexts"
	"github.com/chibi-host/chibi/store"
	"github.com/chibi-host/chibi/store/storetest"
)

// sleeper is a machine whose lease ends while it has a context's lock, as if it sleeps or is cut
// off.
type sleeper struct {
	machine
	context *contexts.Context
	unlock  func()
	ended   <-chan struct{} // closed when the lock is lost
	why     func() error
	other   machine
	isCut   atomic.Bool   // its store does not answer it
	tried   chan struct{} // receives when it tries to take a lease while it is cut off
}

// sleeperLease is how long its leases last: a busy machine renews them in time.
const sleeperLease = 6 * time.Second

// newSleeper returns a machine that has the lock and has said something, and another one.
func (s sharedLockRules) newSleeper(t *testing.T) *sleeper {
	connect := s.open(t, store.Options{Lease: sleeperLease})
	m := &sleeper{other: newMachine(t, connect(), t.TempDir()), tried: make(chan struct{}, 1)}
	m.machine = newMachine(t, storetest.Around(connect(), func(call string, do func() error) error {
		if !m.isCut.Load() {
			return do()
		}
		if call == "Leases.Take" {
			select {
			case m.tried <- struct{}{}:
			default:
			}
		}
		return store.ErrUnavailable
	}), t.TempDir())
	m.begin(t)
	return m
}

// begin takes the lock and says something.
func (m *sleeper) begin(t *testing.T) {
	m.context = m.in(t, "work")
	held, unlock, err := m.context.Lock(t.Context())
	must(t, err)
	m.unlock, m.ended, m.why = unlock, held.Done(), func() error { return context.Cause(held) }
	say(t, m.context, "one")
}

// endLease ends its lease as time does: nobody has taken it.
func (m *sleeper) endLease(t *testing.T) {
	id, err := m.other.ID(t.Context(), "work")
	must(t, err)
	must(t, m.other.engine.Leases.Break(t.Context(), id))
}

// takesAgain waits until it has a lease again.
func (m *sleeper) takesAgain(t *testing.T) {
	for isHeld := false; !isHeld; {
		select {
		case <-m.ended:
			t.Fatalf("its turn ended: %v", m.why())
		case <-time.After(10 * time.Millisecond):
			_, isHeld = m.other.Holder(t.Context(), "work")
		}
	}
}

// goesOn checks that it has the context, and gives it back.
func (m *sleeper) goesOn(t *testing.T, want string) {
	say(t, m.context, "last")
	if _, _, err := m.other.in(t, "work").Lock(t.Context()); !isLocked(err) {
		t.Errorf("another machine locks it: %v", err)
	}
	must(t, m.why())
	m.unlock()
	_, unlock, err := m.other.in(t, "work").Lock(t.Context())
	must(t, err)
	unlock()
	equal(t, "window", want, window(t, m.other.in(t, "work")))
}

func isLocked(err error) bool {
	var locked *contexts.LockedError
	return errors.As(err, &locked)
}

// goesOn has a machine whose leases end twice. Entries that others add without the lock end no turn.
func (s sharedLockRules) goesOn(t *testing.T) {
	t.Parallel()
	m := s.newSleeper(t)
	m.endLease(t)
	m.takesAgain(t)
	say(t, m.other.in(t, "work"), "between")
	say(t, m.context, "two")
	m.endLease(t)
	m.takesAgain(t)
	m.goesOn(t, "one between two last")
}

func (s sharedLockRules) goesOnLater(t *testing.T) {
	t.Parallel()
	m := s.newSleeper(t)
	m.isCut.Store(true)
	m.endLease(t)
	<-m.tried
	m.isCut.Store(false)
	m.takesAgain(t)
	m.goesOn(t, "one last")
}

// Cut is a machine that can be cut off from its store, and another one.
type Cut struct {
	Engine, Other *store.Engine
	Freeze, Thaw  func()
}

// GoesOn checks that the machine, with the lock of a context, goes on after it was cut off until its
// lease had ended.
func (c Cut) GoesOn(t *testing.T) {
	of := func(e *store.Engine) machine {
		return machine{contexts.OpenShared(e, t.TempDir()), e, "", new([]string)}
	}
	m := &sleeper{machine: of(c.Engine), other: of(c.Other)}
	m.begin(t)
	c.Freeze()
	for isHeld := true; isHeld; time.Sleep(10 * time.Millisecond) {
		_, isHeld = m.other.Holder(t.Context(), "work")
	}
	c.Thaw()
	m.takesAgain(t)
	m.goesOn(t, "one last")
}

// hadMeanwhile has somebody who took the context, and maybe gave it back.
func (s sharedLockRules) hadMeanwhile(t *testing.T) {
	t.Parallel()
	for _, hasIt := range []bool{true, false} {
		m := s.newSleeper(t)
		m.isCut.Store(true)
		m.endLease(t)
		next := m.other.in(t, "work")
		_, unlock, err := next.Lock(t.Context())
		must(t, err)
		if !hasIt {
			unlock()
		}
		m.isCut.Store(false)
		<-m.ended
		if !errors.Is(m.why(), contexts.ErrLost) {
			t.Errorf("the held context ended with %v", m.why())
		}
		err = m.context.Append(contexts.UserMessage("ann", "work", "late"))
		var taken *contexts.TakenError
		if !errors.As(err, &taken) {
			t.Errorf("appending late: %v", err)
		}
		m.unlock()
		if hasIt {
			if _, _, err := m.other.in(t, "work").Lock(t.Context()); !isLocked(err) {
				t.Errorf("a third one locks it: %v", err)
			}
			unlock()
		}
		_, unlock, err = next.Lock(t.Context()) // the sleeper has given back what it took in vain
		must(t, err)
		unlock()
		equal(t, "window", "one", window(t, next))
	}
}

// leavesMail has a machine that took a message, and called a tool.
func (s sharedLockRules) leavesMail(t *testing.T) {
	t.Parallel()
	m := s.newSleeper(t)
	must(t, m.other.in(t, "boss").Send("work", "boss", "hi"))
	must(t, m.context.Append(asking(t, m.context, "read"), contexts.ToolCall("work", "nap", "1", "{}")))
	m.isCut.Store(true)
	m.endLease(t)
	next := m.other.in(t, "work")
	_, unlock, err := next.Lock(t.Context())
	must(t, err)
	defer unlock()
	equal(t, "tries", 1, tries(t, next))
	m.isCut.Store(false)
	<-m.ended
	if err := m.context.RemoveMail(); !errors.Is(err, contexts.ErrLost) {
		t.Errorf("removing mail late: %v", err)
	}
	m.unlock()
	equal(t, "tries", 1, tries(t, m.other.in(t, "work")))
}
