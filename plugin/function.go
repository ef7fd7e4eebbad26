package plugin

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"time"
)

// HandlerFunc is a Go function as a Handler. It is called on a goroutine of its own, so that a
// panic, and runtime.Goexit, are failures of the plugin, and so is a call that takes longer than
// [Plugin].Timeout. The payload is a copy, which the function may change.
type HandlerFunc func(ctx context.Context, ev Event) (Answer, error)

// Handle calls f with a copy of the payload.
func (f HandlerFunc) Handle(ctx context.Context, ev Event) (Answer, error) {
	ev.Payload = bytes.Clone(ev.Payload)
	return reader(f).Handle(ctx, ev)
}

// reader is a HandlerFunc that needs no copy, as it neither changes nor keeps the payload.
type reader HandlerFunc

// Handle calls f and waits for its end, or for the end of its time.
func (f reader) Handle(ctx context.Context, ev Event) (Answer, error) {
	done := make(chan outcome, 1)
	if ev.plugin != nil && ev.plugin.Timeout > 0 {
		return f.handleInTime(ctx, ev, done)
	}
	go f.call(ctx, ev, done)
	o := <-done
	return o.answer, o.err
}

// handleInTime is Handle for a plugin that has a time.
func (f reader) handleInTime(ctx context.Context, ev Event, done chan outcome) (Answer, error) {
	late, limit := &ev.room.dispatch.host.late, ev.plugin.Timeout
	if late.add(ev, 0, 0) >= MaxLate {
		return Answer{}, fmt.Errorf("it was not called, because %d calls still run although their time is over", MaxLate)
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	over := time.NewTimer(limit)
	defer over.Stop()
	go f.call(ctx, ev, done)
	select {
	case o := <-done:
		return o.answer, o.err
	case <-over.C:
		late.add(ev, 1, 0)
		go func() {
			<-done
			late.add(ev, -1, 1)
		}()
		return Answer{}, fmt.Errorf("no answer after %s", limit)
	}
}

// outcome is what a function returned.
type outcome struct {
	answer Answer
	err    error
}

// call calls f and sends what it returned, however it ends.
func (f reader) call(ctx context.Context, ev Event, done chan<- outcome) {
	o := outcome{err: errors.New("it ended its goroutine instead of returning (runtime.Goexit, which t.FailNow calls)")}
	defer func() {
		if cause := recover(); cause != nil {
			o = outcome{err: fmt.Errorf("it panicked: %v", cause)}
		}
		done <- o
	}()
	answer, err := f(ctx, ev)
	o = outcome{answer, err}
}
