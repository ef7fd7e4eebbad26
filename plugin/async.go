package plugin

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/chibi-host/chibi/hookpoints"
)

// The bounds of events that nobody waits for.
const (
	// JoinTimeout is how long Join waits for them, JoinInterrupted how long after its ctx
	// has ended.
	JoinTimeout     = 30 * time.Second
	JoinInterrupted = 5 * time.Second
	// MaxAsync is how many events of one plugin can be under way; Fire waits with a further
	// one.
	MaxAsync = 16
)

// AsyncAt reports whether nobody waits for the plugin at an observe point. chibi waits
// for a plugin whose failure ends the run at on_start.
func (p *Plugin) AsyncAt(at hookpoints.Name) bool {
	return slices.Contains(p.Async, at) && (at != hookpoints.OnStart.Name || p.OnFailureAt[at] != Block)
}

// background are the events of a host that nobody waits for. Those of one plugin are handled
// in their order. They are reported by the goroutines that call Fire and Join, so that what
// is reported of one dispatch is never mixed with the reports of another one.
type background struct {
	unreported atomic.Int64 // how many events there are

	mu     sync.Mutex
	events []*asyncEvent // in their order; those that are not reported
	slots  chan struct{} // bounds how many are handled at once
}

// asyncEvent is an event at one plugin that nobody waits for.
type asyncEvent struct {
	dispatch *dispatch // of this event alone
	plugin   *Plugin
	agent    string // in which it happened
	fired    time.Time
	reply    *reply // when done is closed
	done     chan struct{}
	end      context.CancelFunc
	late     string // why it was ended before it had an answer
}

// startAsync starts the event at the plugins that are not waited for, and returns the others.
func (d *dispatch) startAsync(ctx context.Context, plugins []*Plugin) (waited []*Plugin) {
	for _, p := range plugins {
		if d.host.Wait || !p.AsyncAt(d.info.Name) {
			waited = append(waited, p)
			continue
		}
		e := &asyncEvent{dispatch: newDispatch(d.host, d.info, d.payload, nil), plugin: p,
			agent: agentIn(ctx), fired: time.Now(),
			done: make(chan struct{})}
		e.dispatch.async = true
		own, end := context.WithCancel(context.WithoutCancel(withFixedIdentity(ctx)))
		e.end = end
		before := d.host.later.add(ctx, e)
		go e.handle(own, before)
	}
	return waited
}

// add adds an event and returns the one of the same plugin before it, nil if there is none.
// If too many are under way, it waits until the oldest is over or ctx ends.
func (b *background) add(ctx context.Context, e *asyncEvent) (before *asyncEvent) {
	if under := b.underWay(e.plugin); len(under) >= MaxAsync {
		under[0].wait(ctx)
	}
	b.unreported.Add(1)
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.slots == nil {
		b.slots = make(chan struct{}, e.dispatch.host.parallel())
	}
	for _, other := range b.events {
		if other.plugin == e.plugin {
			before = other
		}
	}
	b.events = append(b.events, e)
	return before
}

// handle lets the plugin handle the event after the one before it.
func (e *asyncEvent) handle(ctx context.Context, before *asyncEvent) {
	defer close(e.done)
	defer e.end()
	if before != nil {
		<-before.done
	}
	slots := e.dispatch.host.later.slots
	slots <- struct{}{}
	defer func() { <-slots }()
	e.reply = e.dispatch.ask(ctx, e.plugin, e.dispatch.payload)
	e.reply.record.Time, e.reply.record.Async = e.fired, true
}

// underWay returns the events of a plugin, or of all if it is nil, that are not over.
func (b *background) underWay(p *Plugin) (list []*asyncEvent) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, e := range b.events {
		if (p == nil || e.plugin == p) && !e.isOver() {
			list = append(list, e)
		}
	}
	return list
}

func (e *asyncEvent) isOver() bool {
	select {
	case <-e.done:
		return true
	default:
		return false
	}
}

// wait waits until the event is over or ctx ends.
func (e *asyncEvent) wait(ctx context.Context) {
	if waiting := e.dispatch.host.Waiting; waiting != nil {
		defer waiting(e.dispatch.info.Name, e.plugin.Name)()
	}
	select {
	case <-e.done:
	case <-ctx.Done():
	}
}

// settle waits for the earlier events of plugins that are about to be asked, and reports what
// is over.
func (d *dispatch) settle(ctx context.Context, plugins []*Plugin) {
	for _, p := range plugins {
		if !d.host.Wait && d.info.Mode == hookpoints.Observe && p.AsyncAt(d.info.Name) {
			continue // its turn comes after them
		}
		for _, e := range d.host.later.underWay(p) {
			e.wait(ctx)
		}
	}
	d.host.later.report()
}

// report reports the events that are over.
func (b *background) report() {
	b.mu.Lock()
	var over []*asyncEvent
	b.events = slices.DeleteFunc(b.events, func(e *asyncEvent) bool {
		isOver := e.isOver()
		if isOver {
			over = append(over, e)
		}
		return isOver
	})
	b.mu.Unlock()
	for _, e := range over {
		e.report()
		b.unreported.Add(-1)
	}
}

// report reports the event like a dispatch with one plugin.
func (e *asyncEvent) report() {
	r := e.reply
	switch {
	case e.late != "" && r.record.Result == Failed:
		r.record.Why, r.notices = e.late, append(r.notices, e.late)
	case r.stop != nil:
		r.notices = append(r.notices, r.stop.Error()+"; went on without it")
	}
	e.dispatch.replies = []*reply{r}
	e.dispatch.add(r)
	// The context of the event may have ended; of it a report needs the agent only.
	e.dispatch.report(InAgent(context.Background(), e.agent), e.dispatch.merged.Result())
}

// Join waits for the events that nobody waited for, see [Plugin.Async], and reports them. It
// waits JoinTimeout, and JoinInterrupted after ctx has ended; then it ends the events that
// are still under way, and reports that too. Call it before you give the host up.
func (h *Host) Join(ctx context.Context) {
	if h == nil || h.later.unreported.Load() == 0 {
		return
	}
	bounded, cancel := context.WithTimeout(context.WithoutCancel(ctx), JoinTimeout)
	defer cancel()
	defer context.AfterFunc(ctx, func() { time.AfterFunc(JoinInterrupted, cancel) })()
	for _, e := range h.later.underWay(nil) {
		e.wait(bounded)
	}
	late := fmt.Sprintf("it had not finished %s after the end of the run, and was ended", JoinTimeout)
	if ctx.Err() != nil {
		late = fmt.Sprintf("it had not finished %s after the run was interrupted, and was ended", JoinInterrupted)
	}
	left := h.later.underWay(nil)
	for _, e := range left {
		e.late = late
		e.end()
	}
	for _, e := range left {
		<-e.done
	}
	h.later.report()
}
