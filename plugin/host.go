package plugin

import (
	"cmp"
	"fmt"
	"sync"
	"sync/atomic"

	"github.com/chibi-host/chibi/hookpoints"
	"github.com/dustin/go-humanize"
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
	points     sync.Map // what is known of points
}

// once reports whether something about a plugin at a point is said for the first
// time.
func (h *Host) once(plugin string, point hookpoints.Name, text string) bool {
	_, before := h.said.LoadOrStore([3]string{plugin, string(point), text}, true)
	return !before
}

func (h *Host) notify(n Notice) {
	if h.Notify != nil {
		h.Notify(n)
	}
}

// DefaultAnswers bounds what the plugins asked at one moment may answer together,
// where nothing else is said.
const DefaultAnswers = 8 << 20

// ownAnswer is what each plugin may answer whatever the others did, in bytes: no
// flood of one plugin takes the place that another needs to block.
const ownAnswer = 64 << 10

// noRoom says that answers take more than MaxAnswers.
func (h *Host) noRoom() error {
	return fmt.Errorf("the answers of all plugins at this hook are more than %s together, as "+
		"limits.hook_answers_bytes says", humanize.IBytes(uint64(cmp.Or(max(h.MaxAnswers, 0), DefaultAnswers))))
}
