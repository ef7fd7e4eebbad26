package store

import (
	"context"
	"sync"
)

// Together makes several calls at once, and returns when all have returned. None needs the result of
// another one. An engine that would carry them out one after the other, or over several connections,
// may wait first for the requests of all, and send it in one piece, see [Gather].
func Together(ctx context.Context, calls ...func(context.Context)) {
	g := &gathering{missing: len(calls), complete: make(chan struct{})}
	var all sync.WaitGroup
	for _, call := range calls {
		m := &member{gathering: g}
		all.Go(func() {
			defer m.arrive(nil)
			call(context.WithValue(ctx, memberKey{}, m))
		})
	}
	all.Wait()
}

// memberKey is the key of the member of a gathering in a context.
type memberKey struct{}

// gathering is what the calls of one Together have asked so far.
type gathering struct {
	mu       sync.Mutex
	missing  int // calls that have neither asked anything nor returned
	requests []any
	complete chan struct{} // closed when none is missing
}

// member is one of the calls.
type member struct {
	*gathering
	hasArrived bool
}

// arrive notes what a call asks first, nil if that is nothing. Later calls do nothing.
func (m *member) arrive(request any) (isNew, isFirst bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.hasArrived {
		return false, false
	}
	m.hasArrived = true
	if request != nil {
		m.requests = append(m.requests, request)
	}
	if m.missing--; m.missing == 0 {
		close(m.complete)
	}
	return true, request != nil && len(m.requests) == 1
}

// Gather is for engines: it puts a request to the requests of the calls that [Together] makes with this one.
// It returns the requests that the caller must carry out. The first caller gets the requests of all calls, as
// soon as each of the others has asked or returned, and the others get none. A call that is alone, or that
// has asked before, gets its own request.
func Gather[T any](ctx context.Context, request T) []T {
	m, _ := ctx.Value(memberKey{}).(*member)
	if m == nil {
		return []T{request}
	}
	isNew, isFirst := m.arrive(request)
	switch {
	case !isNew:
		return []T{request}
	case !isFirst:
		return nil
	}
	<-m.complete
	var all []T
	for _, r := range m.requests {
		all = append(all, r.(T))
	}
	return all
}

// MadeTogether returns a value for the calls of one [Together] and a value for this call among
// them; nil if the call is made alone.
func MadeTogether(ctx context.Context) (all, this any) {
	if m, _ := ctx.Value(memberKey{}).(*member); m != nil {
		return m.gathering, m
	}
	return nil, nil
}
