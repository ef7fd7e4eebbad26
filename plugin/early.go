package plugin

import (
	"context"
	"time"
)

// earlyCall is a call of a pure plugin before its turn. It is the plugin's handler at its
// turn.
type earlyCall struct {
	handler  Handler
	event    Event
	room     *share // for its answer
	granted  int64  // the part of the shared room that it was given
	done     chan struct{}
	answer   Answer
	err      error
	began    time.Time // zero if it was not begun
	took     time.Duration
	repeated bool // it was called again at its turn, alone
}

// earlyCall prepares the call of one plugin. The calls of a group divide the room among them:
// together they take as much memory as calls one after another.
func (d *dispatch) earlyCall(p *Plugin, payload []byte, room int64) *earlyCall {
	own := &dispatch{host: d.host}
	own.left.Store(room)
	c := &earlyCall{handler: p.Handler, granted: room, done: make(chan struct{}),
		room: &share{dispatch: own, own: ownAnswer}}
	c.event = Event{Point: d.info.Name, Payload: payload, room: c.room, plugin: p}
	return c
}

// run calls the handler, unless the call was discarded before it could begin.
func (c *earlyCall) run(ctx context.Context) {
	defer close(c.done)
	if c.err = ctx.Err(); c.err != nil {
		return
	}
	c.began, c.event.identify = time.Now(), ctx.Value(identityKey{})
	c.answer, c.err = handle(ctx, c.handler, c.event)
	c.took = time.Since(c.began)
}

// Handle returns what the handler answered before, when it has. If that took more room than
// there is now, the handler is called again, as it could only have answered then.
func (c *earlyCall) Handle(ctx context.Context, ev Event) (Answer, error) {
	<-c.done
	left := c.room.dispatch.left.Load()
	shared := c.granted - left
	if left < 0 || shared > max(0, ev.room.dispatch.left.Load()) {
		c.repeated = true
		return c.handler.Handle(ctx, ev)
	}
	if c.err == nil && c.room.used { // a function that is late may still take room
		if err := ev.Admit(ownAnswer - c.room.own + int(shared)); err != nil {
			return Answer{}, err
		}
	}
	return c.answer, c.err
}

// milliseconds returns how long the call took, as records have it.
func (c *earlyCall) milliseconds() float64 { return float64(c.took.Microseconds()) / 1000 }

// discarded describes a call whose answer is not used.
func (c *earlyCall) discarded(why string) DiscardedCall {
	call := DiscardedCall{Time: c.began, DurationMS: c.milliseconds(), Why: why}
	if c.err != nil {
		call.Failure = c.err.Error()
	}
	return call
}
