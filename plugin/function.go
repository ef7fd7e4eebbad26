package plugin

import (
	"bytes"
	"context"
	"errors"
	"fmt"
)

// HandlerFunc is a Go function as a Handler. It is called on a goroutine of its own, so that a
// panic, and runtime.Goexit, are failures of the plugin. The payload is a copy, with which it may
// do what it likes.
type HandlerFunc func(ctx context.Context, ev Event) (Answer, error)

// Handle calls f with a copy of the payload.
func (f HandlerFunc) Handle(ctx context.Context, ev Event) (Answer, error) {
	ev.Payload = bytes.Clone(ev.Payload)
	return reader(f).Handle(ctx, ev)
}

// reader is a HandlerFunc that needs no copy, as it neither changes nor keeps the payload.
type reader HandlerFunc

// Handle calls f and waits for its end.
func (f reader) Handle(ctx context.Context, ev Event) (Answer, error) {
	done := make(chan outcome, 1)
	go f.call(ctx, ev, done)
	o := <-done
	return o.answer, o.err
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
