package storetest

import (
	"context"
	"fmt"
	"strings"
	"sync"

	"github.com/chibi-host/chibi/store"
)

// failure fails one call.
type failure struct {
	Failure

	mu   sync.Mutex
	n    int
	call string
}

func (f *failure) around(call string, do func() error) error {
	if !f.isNext(call) {
		return do()
	}
	if f.After {
		if err := do(); err != nil {
			return err
		}
	}
	return fmt.Errorf("%s: %w", call, store.ErrUnavailable)
}

func (f *failure) isNext(call string) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.n++; f.n != f.Call {
		return false
	}
	f.call = call
	return true
}

func (f *failure) failed() string {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.call
}

// counter counts round trips.
type counter struct {
	mu    sync.Mutex
	trips []string
	begun map[any]int   // by call that is made together with others, how many it had
	group map[any][]int // by those calls, which round trips they share
}

func (c *counter) around(ctx context.Context, call string, do func() error) error {
	c.mu.Lock()
	c.add(ctx, call)
	if strings.HasSuffix(call, ".List") {
		c.add(ctx, call+" (more)")
	}
	c.mu.Unlock()
	return do()
}

// add counts a round trip, unless a call made together with this one has had as many as this one now.
func (c *counter) add(ctx context.Context, call string) {
	group, member := store.MadeTogether(ctx)
	n := c.begun[member]
	if group != nil {
		c.begun[member]++
		if shared := c.group[group]; n < len(shared) {
			c.trips[shared[n]] += " + " + call
			return
		}
		c.group[group] = append(c.group[group], len(c.trips))
	}
	c.trips = append(c.trips, call)
}

// take returns the names of the calls since it was last called, one for each round trip.
func (c *counter) take() []string {
	c.mu.Lock()
	defer c.mu.Unlock()
	trips := c.trips
	c.trips, c.begun, c.group = nil, map[any]int{}, map[any][]int{}
	return trips
}
