package contexttest

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"sync/atomic"
	"testing"

	"github.com/chibi-host/chibi/contexts"
)

// lockRules are the rules of owning a context.
type lockRules struct{ suite }

func (s lockRules) rules() []rule {
	return []rule{
		{"a second process learns who has the lock", s.secondIsTold},
		{"a process that waits gets the lock when it is released", s.waits},
		{"waiting ends with the caller's context", func(t *testing.T) {
			h := s.open(t, at(start()))
			_, unlock, err := in(t, h(), "work").Lock(t.Context())
			must(t, err)
			defer unlock()
			ctx, cancel := context.WithCancel(t.Context())
			cancel()
			if _, _, err := in(t, h(), "work").WaitLock(ctx); !errors.Is(err, context.Canceled) {
				t.Errorf("waiting: %v", err)
			}
		}},
		{"the held context ends with the lock or with the caller's context, and not before", s.held},
		{"others may append, read and send without the lock", func(t *testing.T) {
			h := s.open(t, at(start()))
			_, unlock, err := in(t, h(), "work").Lock(t.Context())
			must(t, err)
			defer unlock()
			other := in(t, h(), "work")
			say(t, other, "one")
			equal(t, "window", "one", window(t, other))
		}},
		{"unlocking a context that nobody uses does nothing", func(t *testing.T) {
			h := s.home(t)
			say(t, in(t, h, "work"), "one")
			holder, err := h.Unlock(t.Context(), "work")
			must(t, err)
			equal(t, "holder", contexts.Holder{}, holder)
			if _, err := h.Unlock(t.Context(), "no/name"); err == nil {
				t.Error("a name that no context can have was taken")
			}
		}},
		{"the user of a context that somebody unlocks learns it; a lock that ends with its process stays", s.unlocked},
		{"locking makes the context", func(t *testing.T) {
			h := s.home(t)
			_, unlock, err := in(t, h, "work").Lock(t.Context())
			must(t, err)
			unlock()
			if !h.Exists(t.Context(), "work") {
				t.Error("it does not exist")
			}
		}},
	}
}

func (s lockRules) secondIsTold(t *testing.T) {
	h := s.open(t, at(start()))
	c := in(t, h(), "work")
	if _, inUse := h().Holder(t.Context(), "work"); inUse {
		t.Error("it is in use before anyone has it")
	}
	for range 2 {
		_, unlock, err := c.Lock(t.Context())
		must(t, err)
		var locked *contexts.LockedError
		if _, _, err := in(t, h(), "work").Lock(t.Context()); !errors.As(err, &locked) {
			t.Fatalf("second lock: %v", err)
		}
		holder, inUse := h().Holder(t.Context(), "work")
		if !inUse || holder.PID != os.Getpid() || holder.Host == "" || !holder.Since.Equal(start()) {
			t.Errorf("holder = %+v, in use %v", holder, inUse)
		}
		equal(t, "who has it", contexts.LockedError{Context: "work", Holder: holder}, *locked)
		unlock()
		if _, inUse := h().Holder(t.Context(), "work"); inUse {
			t.Error("it is in use after it was released")
		}
	}
}

func (s lockRules) unlocked(t *testing.T) {
	h := s.open(t, at(start()))
	_, unlock, err := in(t, h(), "work").Lock(t.Context())
	must(t, err)
	defer unlock()
	holder, err := h().Unlock(t.Context(), "work")
	equal(t, "who had it", os.Getpid(), holder.PID)
	_, inUse := h().Holder(t.Context(), "work")
	if h().IsShared() != (err == nil) || inUse == h().IsShared() {
		t.Errorf("in use %v, %v", inUse, err)
	}
}

func (s lockRules) waits(t *testing.T) {
	h := s.open(t, at(start()))
	_, unlock, err := in(t, h(), "work").Lock(t.Context())
	must(t, err)
	got := make(chan error)
	go func() {
		c, err := h().Context("work")
		if err == nil {
			var unlock func()
			if _, unlock, err = c.WaitLock(t.Context()); err == nil {
				unlock()
			}
		}
		got <- err
	}()
	select {
	case err := <-got:
		t.Fatalf("the lock was given twice: %v", err)
	default:
	}
	unlock()
	must(t, <-got)
}

func (s lockRules) held(t *testing.T) {
	c := s.work(t)
	held, unlock, err := c.Lock(t.Context())
	must(t, err)
	say(t, c, "one")
	if held.Err() != nil {
		t.Errorf("it ended by itself: %v", context.Cause(held))
	}
	unlock()
	if held.Err() == nil {
		t.Error("it goes on without the lock")
	}
	ctx, cancel := context.WithCancel(t.Context())
	held, unlock, err = c.Lock(ctx)
	must(t, err)
	defer unlock()
	cancel()
	<-held.Done()
	say(t, c, "two") // what has arrived is kept
	equal(t, "window", "one two", window(t, c))
}

// concurrencyRules are the rules of concurrent writers.
type concurrencyRules struct{ suite }

func (s concurrencyRules) rules() []rule {
	return []rule{
		{"no entry is lost, and each writer's are in order", s.writers},
		{"no message is lost", func(t *testing.T) {
			h := s.open(t, at(start()))
			atOnce(t, func(n int) error {
				c, err := h().Context(fmt.Sprint("sender", n))
				for i := 0; i < 20 && err == nil; i++ {
					err = c.Send("work", c.Name(), fmt.Sprint(n, "-", i))
				}
				return err
			})
			equal(t, "messages", writers*20, len(arrived(t, in(t, h(), "work"))))
		}},
		{"only one of several that want a name gets it", func(t *testing.T) {
			h := s.open(t, at(start()))
			var got atomic.Int32
			atOnce(t, func(n int) error {
				c, err := h().Context(fmt.Sprint("c", n))
				if err != nil {
					return err
				}
				if err := c.Append(contexts.UserMessage("ann", c.Name(), "hello")); err != nil {
					return err
				}
				if err := c.Rename("wanted"); !errors.Is(err, contexts.ErrExists) {
					got.Add(1)
					return err
				}
				return nil
			})
			names, err := h().Names(t.Context())
			must(t, err)
			if got.Load() != 1 || len(names) != writers {
				t.Errorf("%d got it; names = %q", got.Load(), names)
			}
		}},
		{"no context is forgotten", func(t *testing.T) {
			h := s.open(t, at(start()))
			atOnce(t, func(n int) error { _, err := h().Switch(fmt.Sprint("c", n)); return err })
			list, err := h().List(t.Context())
			must(t, err)
			for _, info := range list {
				if info.LastActivity.IsZero() {
					t.Errorf("%+v", info)
				}
			}
			equal(t, "contexts", writers, len(list))
		}},
	}
}

// writers is the number of concurrent writers.
const writers = 8

// atOnce runs a step in several goroutines at once.
func atOnce(t *testing.T, step func(n int) error) {
	t.Helper()
	done := make(chan error)
	for n := range writers {
		go func() { done <- step(n) }()
	}
	for range writers {
		if err := <-done; err != nil {
			t.Error(err)
		}
	}
}

func (s concurrencyRules) writers(t *testing.T) {
	h := s.open(t, at(start()))
	var ids [writers][]string
	atOnce(t, func(n int) error {
		c, err := h().Context("work")
		for i := 0; i < 20 && err == nil; i++ {
			e := contexts.UserMessage("ann", "work", fmt.Sprint(n, "-", i))
			ids[n] = append(ids[n], e.ID)
			if err = c.Append(e); err == nil && i == 10 {
				err = c.Compact("so far", nil)
			}
		}
		return err
	})
	var have []string
	for _, e := range history(t, in(t, h(), "work"), contexts.Query{}) {
		have = append(have, e.ID)
	}
	equal(t, "entries", 1+writers*(20+1), len(have)) // it is created once
	for _, list := range ids {
		last := -1
		for _, id := range list {
			at := slices.Index(have, id)
			if at <= last {
				t.Errorf("entry %s is at %d, after %d", id, at, last)
			}
			last = at
		}
	}
}
