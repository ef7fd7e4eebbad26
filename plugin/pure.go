package plugin

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/chibi-host/chibi/hookpoints"
)

// pureChain asks the plugins of a chain in which some are pure: neighbouring pure ones are
// called at the same time, before their turn, with the payload of the first of them. What
// the dispatch means is the same as without it, because an answer is used only at its turn,
// and only if the plugin would then receive the same payload.
type pureChain struct {
	dispatch  *dispatch
	askAlone  func(ctx context.Context, p *Plugin, payload []byte) *reply
	plugins   []*Plugin
	next      int                // the index of the plugin whose turn it is
	payload   []byte             // what the plugin before it received
	calls     map[int]*earlyCall // whose turn has not come
	stop      func()             // ends calls and waits for their end; nil if none was begun
	discarded map[int][]DiscardedCall
}

// prepare waits for events of the plugins that nobody has waited for, and lets the rounds
// and the pure plugins of a chain be called before their turn. The function that it returns is called
// when all have been asked.
func (d *dispatch) prepare(ctx context.Context, inTurn, atOnce []*Plugin) (end func()) {
	d.settle(ctx, slices.Concat(inTurn, atOnce))
	if d.info.Mode != hookpoints.Chain {
		return func() {}
	}
	asked := d.askRounds(inTurn)
	if !slices.ContainsFunc(inTurn, (*Plugin).isCalledEarly) {
		return asked.end
	}
	c := &pureChain{dispatch: d, askAlone: d.askNext, plugins: inTurn, calls: map[int]*earlyCall{},
		discarded: map[int][]DiscardedCall{}}
	d.askNext = c.ask
	return func() {
		c.end()
		asked.end()
	}
}

// isCalledEarly reports whether a plugin is called before its turn although its answer may
// be discarded.
func (p *Plugin) isCalledEarly() bool { return p.Pure && p.Round == "" }

// ask returns the reply of the plugin whose turn it is.
func (c *pureChain) ask(ctx context.Context, p *Plugin, payload []byte) *reply {
	c.compare(payload)
	i := c.next
	c.next, c.payload = i+1, payload
	if c.calls[i] == nil {
		c.begin(ctx, i)
	}
	call := c.calls[i]
	if call == nil {
		return c.askAlone(ctx, p, payload)
	}
	delete(c.calls, i)
	early := *p
	early.Handler = call
	r := c.dispatch.ask(ctx, &early, payload)
	switch {
	case call.repeated:
		c.discarded[i] = append(c.discarded[i], call.discarded("those of the plugins called with it left no room for it"))
	case !call.began.IsZero():
		r.record.Time, r.record.DurationMS = call.began, call.milliseconds()
	}
	return r
}

// compare discards the calls that were begun with another payload than the present one. A
// plugin that changed it is called alone for the rest of the run: that bounds what is
// discarded.
func (c *pureChain) compare(payload []byte) {
	if c.next == 0 || bytes.Equal(c.payload, payload) {
		return
	}
	by := c.plugins[c.next-1]
	c.dispatch.host.changers.Store(by.Name, true)
	c.discard(fmt.Sprintf("plugin %q changed the payload", by.Name))
}

// begin calls the plugin at an index and its neighbours, unless it is called alone.
func (c *pureChain) begin(ctx context.Context, first int) {
	end := first
	for end < len(c.plugins) && c.plugins[end].isCalledEarly() && !c.changes(c.plugins[end]) {
		end++
	}
	if end-first < 2 {
		return
	}
	c.discard("") // the calls of an earlier group have all been used
	group := c.plugins[first:end]
	room := max(0, c.dispatch.left.Load()) / int64(len(group))
	calls := make([]*earlyCall, len(group))
	for i, p := range group {
		calls[i] = c.dispatch.earlyCall(p, c.payload, room)
		c.calls[first+i] = calls[i]
	}
	ctx, cancel := context.WithCancel(ctx)
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		c.dispatch.host.atOnce(group, func(i int) { calls[i].run(ctx) })
	}()
	c.stop = func() {
		cancel()
		<-ended
	}
}

// changes reports whether a plugin has changed a payload in this run.
func (c *pureChain) changes(p *Plugin) bool {
	_, found := c.dispatch.host.changers.Load(p.Name)
	return found
}

// discard ends the calls whose turn has not come and notes why their answers are not used.
func (c *pureChain) discard(why string) {
	if c.stop == nil {
		return
	}
	c.stop()
	c.stop = nil
	for i, call := range c.calls {
		if !call.began.IsZero() {
			c.discarded[i] = append(c.discarded[i], call.discarded(why))
		}
	}
	clear(c.calls)
}

// end discards what is left when the dispatch is settled or has ended, and adds to the
// records what was discarded.
func (c *pureChain) end() {
	c.compare(c.dispatch.merged.Next())
	asked := len(c.dispatch.replies) // with those that were not asked, if one has blocked
	interrupted := asked <= c.next && c.next < len(c.plugins)
	why := "the run was interrupted"
	if !interrupted {
		why = fmt.Sprintf("plugin %q blocked", c.plugins[c.next-1].Name)
	}
	c.discard(why)
	for i, p := range c.plugins {
		if c.discarded[i] == nil {
			continue
		}
		if i >= asked {
			r := c.dispatch.newReply(p, nil)
			r.record.Result, r.record.Why = Skipped, why
			c.dispatch.replies = append(c.dispatch.replies, r)
			r.record.Discarded = c.discarded[i]
			continue
		}
		c.dispatch.replies[i].record.Discarded = c.discarded[i]
	}
}

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

// earlyCall prepares the call of one plugin. Those of a group divide the room among them:
// together they take no more memory than if they were called one after another.
func (d *dispatch) earlyCall(p *Plugin, payload []byte, room int64) *earlyCall {
	own := &dispatch{host: d.host}
	own.left.Store(room)
	c := &earlyCall{handler: p.Handler, granted: room, done: make(chan struct{}),
		room: &share{dispatch: own, own: ownAnswer}}
	c.event = Event{Point: d.info.Name, Payload: payload, room: c.room}
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
	if c.room.used {
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
