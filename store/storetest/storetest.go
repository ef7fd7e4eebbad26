// Package storetest is the conformance suite of engines: [Run] tests what package store
// promises, whatever the engine keeps it in. To test an engine, pass a function that
// makes an empty store. The package is for tests only.
package storetest

import (
	"context"
	"errors"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chibi-host/chibi/store"
)

// Open makes an empty store, as Init of its driver does. Each call of again connects to it
// with the options, as another machine would; the suite closes what again returns. Of the
// options, Lease and Now are set.
type Open func(t *testing.T, o store.Options) (again func() *store.Engine)

// Run runs the suite.
func Run(t *testing.T, open Open) {
	s := suite{open}
	for _, group := range []struct {
		name  string
		tests []rule
	}{
		{"documents", documentRules{s}.rules()}, {"log", logRules{s}.rules()}, {"blobs", blobRules{s}.rules()},
		{"leases", leaseRules{s}.rules()}, {"watch", watchRules{s}.rules()}, {"calls", callRules{s}.rules()},
	} {
		t.Run(group.name, func(t *testing.T) {
			for _, r := range group.tests {
				t.Run(r.says, r.holds)
			}
		})
	}
}

// rule is one rule that an engine keeps.
type rule struct {
	says  string
	holds func(t *testing.T)
}

// suite makes stores for the rules of each group, which embed it.
type suite struct{ open Open }

// machine is one machine of a test, connected to a store.
type machine struct {
	*store.Engine
	t *testing.T
}

// machines connects n machines to an empty store.
func (s suite) machines(t *testing.T, n int) []machine {
	t.Helper()
	return s.with(t, store.Options{Lease: lease}, n)
}

// machine connects one machine to an empty store.
func (s suite) machine(t *testing.T) machine {
	t.Helper()
	return s.machines(t, 1)[0]
}

// with connects n machines with options to an empty store.
func (s suite) with(t *testing.T, o store.Options, n int) (list []machine) {
	t.Helper()
	again := s.open(t, o)
	for range n {
		e := again()
		t.Cleanup(func() { e.Close() })
		list = append(list, machine{e, t})
	}
	return list
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// refuses checks that the error of a call is one of the store's, and names the key or the log.
func refuses(t *testing.T, err, want error, key string) {
	t.Helper()
	if !errors.Is(err, want) || !strings.Contains(err.Error(), key) {
		t.Errorf("the error is %v; want %q, with %q", err, want, key)
	}
}

// patience bounds how long an event is waited for.
const patience = time.Minute

// await waits until something is over, and fails if it takes too long.
func await(t *testing.T, what string, over <-chan struct{}) {
	t.Helper()
	select {
	case <-over:
	case <-time.After(patience):
		t.Fatalf("%s: not after %v", what, patience)
	}
}

// until calls something again and again until it is done, and fails if it takes too long.
func until(t *testing.T, what string, done func(ctx context.Context) bool) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	for !done(ctx) {
		select {
		case <-ctx.Done():
			t.Fatalf("%s: not after %v", what, patience)
		case <-time.After(10 * time.Millisecond):
		}
	}
}

// atOnce calls something for each machine at once.
func atOnce(machines []machine, do func(n int, e machine)) {
	var all sync.WaitGroup
	for n, e := range machines {
		all.Go(func() { do(n, e) })
	}
	all.Wait()
}
