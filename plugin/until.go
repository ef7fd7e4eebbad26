package plugin

import (
	"context"
	"errors"
)

// inTime returns the ctx in which a plugin is asked: with Until it ends then.
func (h *Host) inTime(ctx context.Context) (context.Context, context.CancelFunc) {
	if h.Until.IsZero() {
		return ctx, func() {}
	}
	return context.WithDeadline(ctx, h.Until)
}

// late returns the error of a plugin that was asked in asked, within the dispatch of ctx: a
// plugin whose answer did not come until Until has failed.
func (h *Host) late(ctx, asked context.Context, err error) error {
	if err == nil || h.Until.IsZero() || ctx.Err() != nil || !errors.Is(asked.Err(), context.DeadlineExceeded) {
		return err
	}
	return errors.New("no answer before the time for this event was over")
}
