package plugin

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"

	"github.com/chibi-host/chibi/hookpoints"
	"github.com/dustin/go-humanize/english"
)

// MaxLate bounds how many calls of a plugin's functions at one point can run on after their time.
// While so many do, chibi does not call the plugin there, and it has failed.
const MaxLate = 16

// Late says how many calls of a plugin's functions at one point took longer than the plugin's
// Timeout.
type Late struct {
	// Plugin is the plugin's name.
	Plugin string
	// Point is the hook point.
	Point hookpoints.Name
	// Running is how many still run, Discarded how many have returned since: their answers were
	// not used.
	Running, Discarded int
}

// Late lists the calls that took longer than their time, by plugin and point. A nil host has none.
func (h *Host) Late() (list []Late) {
	if h == nil {
		return nil
	}
	h.late.mu.Lock()
	defer h.late.mu.Unlock()
	for _, l := range h.late.calls {
		list = append(list, *l)
	}
	slices.SortFunc(list, func(a, b Late) int {
		return cmp.Or(cmp.Compare(a.Plugin, b.Plugin), cmp.Compare(a.Point, b.Point))
	})
	return list
}

// Close is [Host.Join]; then it returns an error that names the plugins whose functions still run
// although their time is over, nil if there are none. Nothing can end those but themselves.
func (h *Host) Close(ctx context.Context) error {
	h.Join(ctx)
	var running []error
	for _, l := range h.Late() {
		if l.Running > 0 {
			running = append(running, fmt.Errorf("plugin %q at %s: %s still running although its time is over; let the "+
				"function return when its context ends", l.Plugin, l.Point, english.Plural(l.Running, "call is", "calls are")))
		}
	}
	return errors.Join(running...)
}

// lateCalls counts the calls of functions that took longer than their time.
type lateCalls struct {
	mu    sync.Mutex
	calls map[Late]*Late // by plugin and point
}

// add counts calls of the plugin and at the point of an event, and returns how many still run.
func (c *lateCalls) add(ev Event, running, discarded int) int {
	c.mu.Lock()
	defer c.mu.Unlock()
	of := Late{Plugin: ev.plugin.Name, Point: ev.Point}
	l := c.calls[of]
	switch {
	case l == nil && running == 0:
		return 0
	case l == nil:
		l = &of
		if c.calls == nil {
			c.calls = map[Late]*Late{}
		}
		c.calls[of] = l
	}
	l.Running, l.Discarded = l.Running+running, l.Discarded+discarded
	return l.Running
}
