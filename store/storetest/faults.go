package storetest

import (
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
}

func (c *counter) around(call string, do func() error) error {
	c.mu.Lock()
	c.trips = append(c.trips, call)
	if strings.HasSuffix(call, ".List") {
		c.trips = append(c.trips, call+" (more)")
	}
	c.mu.Unlock()
	return do()
}

// take returns the names of the calls since it was last called, one for each round trip.
func (c *counter) take() []string {
	c.mu.Lock()
	defer c.mu.Unlock()
	trips := c.trips
	c.trips = nil
	return trips
}
