package plugin

import (
	"context"
	"errors"
	"slices"
	"time"
)

// Until returns the plugins for a host whose events must be over at a time. A plugin that
// has not answered by then has failed, as if it had exceeded its own time limit.
func Until(end time.Time, plugins []Plugin) []Plugin {
	plugins = slices.Clone(plugins)
	for i, p := range plugins {
		if p.Handler != nil {
			plugins[i].Handler = until{p.Handler, end}
		}
	}
	return plugins
}

// until is a handler whose events must be over at a time.
type until struct {
	handler Handler
	end     time.Time
}

// Handle asks the handler as long as there is time.
func (u until) Handle(ctx context.Context, ev Event) (Answer, error) {
	inTime, cancel := context.WithDeadline(ctx, u.end)
	defer cancel()
	answer, err := u.handler.Handle(inTime, ev)
	if err != nil && ctx.Err() == nil && errors.Is(inTime.Err(), context.DeadlineExceeded) {
		err = errors.New("no answer before the time for this event was over")
	}
	return answer, err
}
