package plugin

import (
	"context"
	"fmt"
	"runtime"
	"sync"
	"sync/atomic"

	"github.com/chibi-host/chibi/hookpoints"
	"github.com/dustin/go-humanize"
)

// Host holds plugins and asks them. The zero value and a nil *Host have no plugins and are
// ready for use. Its fields must be set before the first use; after that it is safe for
// concurrent use.
type Host struct {
	// Plugins are the plugins, in the order in which the host asks them.
	Plugins []Plugin
	// Trace receives one record for each plugin of each dispatch, in plugin
	// order, when the dispatch is over. An event that nobody waited for is a dispatch
	// of its own, which a later Fire or Join reports. It must be safe for concurrent use
	// if Fire is called concurrently: then records of several dispatches are mixed.
	// Nil: no records.
	Trace func(Record)
	// Fired receives each dispatch that had subscribers, before its records. The
	// same rules as for Trace.
	Fired func(Firing)
	// Notify receives notices for a person. The same rules as for Trace.
	Notify func(Notice)
	// Waiting, if set, is called before a question to a plugin and returns a function that is called when
	// the plugin has answered. Calls are concurrent at points where the host asks plugins concurrently.
	Waiting func(point hookpoints.Name, plugin string) (done func())
	// Wait makes the host wait for plugins everywhere, whatever their Async says.
	Wait bool
	// Parallel bounds how many plugins the host asks at once; 0: DefaultParallel.
	Parallel int
	// MaxAnswers bounds the total size, in bytes, of the answers to one event, not
	// counting the first 64 KiB of each; 0: DefaultAnswers.
	MaxAnswers int64

	dispatches atomic.Int64
	said       said
	points     sync.Map // what is known of points
	later      background
	late       lateCalls
	changers   sync.Map // the names of pure plugins that have changed a payload
}

// agentKey is the key of the agent for which events are fired.
type agentKey struct{}

// InAgent returns a ctx for events that are fired in a sub-agent: the records of their
// dispatches have its id.
func InAgent(ctx context.Context, id string) context.Context {
	return context.WithValue(ctx, agentKey{}, id)
}

// agentIn returns the id of the sub-agent that an event is fired in, "" outside of one.
func agentIn(ctx context.Context) string {
	id, _ := ctx.Value(agentKey{}).(string)
	return id
}

// partKey is the key of events whose payload lists a part of what there is.
type partKey struct{}

// OfPart returns a ctx for events whose payload lists only a part of the tools, such as the
// one tool of another agent that is called: no note says that a plugin names something else.
func OfPart(ctx context.Context) context.Context { return context.WithValue(ctx, partKey{}, true) }

func (h *Host) notify(n Notice) {
	if h.Notify != nil {
		h.Notify(n)
	}
}

// DefaultParallel returns the default of Host.Parallel: 16, or 4 for each core if that is
// more. It is not the number of cores, because most plugins wait for something else.
func DefaultParallel() int { return max(16, 4*runtime.GOMAXPROCS(0)) }

// DefaultAnswers is the default of Host.MaxAnswers.
const DefaultAnswers = 8 << 20

// ownAnswer is the size in bytes that each plugin may answer regardless of the others, so
// that a flood of one plugin cannot prevent another one from blocking.
const ownAnswer = 64 << 10

// noRoom means that the answers exceed MaxAnswers.
func (h *Host) noRoom() error {
	return fmt.Errorf("the answers of all plugins at this hook are more than %s together, as "+
		"limits.hook_answers_bytes says", humanize.IBytes(uint64(h.maxAnswers())))
}
