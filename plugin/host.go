package plugin

import (
	"runtime"
	"sync"
	"sync/atomic"

	"github.com/chibi-host/chibi/hookpoints"
)

// Host holds plugins and asks them. The zero value has no plugins and is ready
// for use; so is a nil *Host. Its fields are set before the first use; after
// that it is safe for concurrent use.
type Host struct {
	// Plugins are asked in this order.
	Plugins []Plugin
	// Trace receives one record for each plugin of each dispatch, in plugin
	// order, when the dispatch is over. It must be safe for concurrent use
	// if Fire is called concurrently. Nil: no records.
	Trace func(Record)
	// Fired receives each dispatch that had subscribers, before its records. The
	// same rules as for Trace.
	Fired func(Firing)
	// Notify receives what a person should know. The same rules as for Trace.
	Notify func(Notice)
	// Waiting is called when a plugin is about to be asked and returns what
	// is called when it has answered; concurrently at points where plugins
	// are asked all at once. Nil: not called.
	Waiting func(point hookpoints.Name, plugin string) (done func())
	// Parallel is how many plugins are asked at once; 0: one for each core.
	Parallel int
	// MaxAnswers bounds, in bytes, what the plugins asked at one moment may answer
	// together, beyond the first 64 KiB of each; 0: DefaultAnswers.
	MaxAnswers int64

	dispatches atomic.Int64
	said       sync.Map // what was said once
	valid      sync.Map // points that were checked, by their type
}

// once reports whether something about a plugin at a point is said for the first
// time.
func (h *Host) once(plugin string, point hookpoints.Name, text string) bool {
	_, before := h.said.LoadOrStore([3]string{plugin, string(point), text}, true)
	return !before
}

// subscribers lists the plugins that are asked at a point, in order.
func (h *Host) subscribers(point hookpoints.Name) []*Plugin {
	if h == nil {
		return nil
	}
	var list []*Plugin
	for i := range h.Plugins {
		if h.Plugins[i].Subscribes(point) {
			list = append(list, &h.Plugins[i])
		}
	}
	return list
}

func (h *Host) parallel() int {
	if h.Parallel > 0 {
		return h.Parallel
	}
	return runtime.GOMAXPROCS(0)
}

func (h *Host) notify(n Notice) {
	if h.Notify != nil {
		h.Notify(n)
	}
}
