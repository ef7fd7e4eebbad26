package mcp

import (
	"context"
	"errors"
	"sync"
)

// audience is when a server may ask the person: while it works on a call, and no longer.
type audience struct {
	mu    sync.Mutex
	calls int      // under way
	now   *meeting // of those; nil: there are none
}

// meeting is a time in which a server has calls to work on.
type meeting struct {
	ends      []context.CancelFunc // of its questions
	questions sync.WaitGroup       // that are not answered
}

// enter begins a call. The function that it returns ends it; with the last one, questions end
// too, and the terminal is free when it returns.
func (a *audience) enter() (leave func()) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.calls++; a.calls == 1 {
		a.now = &meeting{}
	}
	return func() {
		a.mu.Lock()
		over := a.now
		if a.calls--; a.calls > 0 {
			over = nil
		} else {
			a.now = nil
		}
		a.mu.Unlock()
		if over != nil {
			for _, end := range over.ends {
				end()
			}
			over.questions.Wait()
		}
	}
}

// ask begins a question, with a context that also ends with the calls. The function that it
// returns ends it.
func (a *audience) ask(ctx context.Context) (asking context.Context, answered func(), err error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	m := a.now
	if m == nil {
		return nil, nil, errors.New("it works on no call")
	}
	m.questions.Add(1)
	asking, end := context.WithCancel(ctx)
	m.ends = append(m.ends, end)
	return asking, func() {
		end()
		m.questions.Done()
	}, nil
}
