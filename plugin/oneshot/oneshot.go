// Package oneshot runs one process for each event: a [Codec] specifies the process, a
// [Runner] runs it, and the Codec decodes its output. The protocols of executables share
// it. Package process bounds and ends processes.
package oneshot

import (
	"cmp"
	"context"
	"time"

	"github.com/chibi-host/chibi/hookpoints"
	"github.com/chibi-host/chibi/plugin"
	"github.com/chibi-host/chibi/plugin/process"
)

// Codec turns events into processes and their output into answers.
// Implementations start no processes and read no files, and are safe for concurrent use.
type Codec interface {
	// Encode returns the process to run for an event.
	Encode(ev plugin.Event) (process.Command, error)
	// Decode decodes the output of the process. An error means that the plugin
	// failed.
	Decode(ev plugin.Event, out process.Outcome) (plugin.Answer, error)
}

// Runner runs a process to its end: a [process.Runner], or a test's stand-in.
type Runner interface {
	Run(ctx context.Context, c process.Command) (process.Outcome, error)
}

// Handler is the [plugin.Handler] that runs one process for each event.
type Handler struct {
	// Codec implements the plugin's protocol.
	Codec Codec
	// Runner runs the processes; nil: a process.Runner with its defaults.
	Runner Runner
	// Timeout bounds each process; 0: 30 seconds. Timeouts override it at single
	// points.
	Timeout  time.Duration
	Timeouts map[hookpoints.Name]time.Duration
}

// DefaultTimeout is the default time limit of a hook's process.
const DefaultTimeout = 30 * time.Second

// Handle runs the process of one event.
func (h Handler) Handle(ctx context.Context, ev plugin.Event) (plugin.Answer, error) {
	cmd, err := h.Codec.Encode(ev)
	if err != nil {
		return plugin.Answer{}, err
	}
	cmd.Timeout, cmd.Admit = cmp.Or(cmd.Timeout, h.Limit(ev.Point)), ev.Admit
	if h.Runner == nil {
		h.Runner = process.Runner{}
	}
	out, err := h.Runner.Run(ctx, cmd)
	if err != nil {
		return plugin.Answer{Unread: out.Unread, Asked: out.Asked}, err
	}
	answer, err := h.Codec.Decode(ev, out)
	answer.Unread, answer.Asked = out.Unread, out.Asked
	if answer.Exit == nil && out.Signal == "" {
		answer.Exit = &out.Exit
	}
	return answer, err
}

// Limit returns the time limit at a point.
func (h Handler) Limit(point hookpoints.Name) time.Duration {
	return cmp.Or(h.Timeouts[point], h.Timeout, DefaultTimeout)
}
