package plugin

import (
	"cmp"
	"context"
	"time"

	"github.com/chibi-host/chibi/hookpoints"
)

// Codec turns events into processes and their output into answers: a protocol
// of one process per event. Implementations are pure and safe for concurrent
// use.
type Codec interface {
	// Encode says which process to run for an event.
	Encode(ev Event) (Command, error)
	// Decode reads what the process left. An error means that the plugin
	// failed.
	Decode(ev Event, out Outcome) (Answer, error)
}

// Process is the Handler that runs one process for each event.
type Process struct {
	// Codec speaks the plugin's protocol.
	Codec Codec
	// Exec runs the processes.
	Exec Exec
	// Timeout bounds each process; 0: 30 seconds. Timeouts beat it at single
	// points.
	Timeout  time.Duration
	Timeouts map[hookpoints.Name]time.Duration
}

// DefaultTimeout bounds a hook's process where nothing else is said.
const DefaultTimeout = 30 * time.Second

// Handle runs the process of one event.
func (p Process) Handle(ctx context.Context, ev Event) (Answer, error) {
	cmd, err := p.Codec.Encode(ev)
	if err != nil {
		return Answer{}, err
	}
	if cmd.Timeout == 0 {
		cmd.Timeout = cmp.Or(p.Timeouts[ev.Point], p.Timeout, DefaultTimeout)
	}
	cmd.room = ev.room
	out, err := p.Exec.Run(ctx, cmd)
	if err != nil {
		return Answer{Unread: out.Unread, Asked: out.Asked}, err
	}
	answer, err := p.Codec.Decode(ev, out)
	answer.Unread, answer.Asked, answer.counted = out.Unread, out.Asked, true
	if answer.Exit == nil && out.Signal == "" {
		answer.Exit = &out.Exit
	}
	return answer, err
}
