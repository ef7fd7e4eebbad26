package store

import (
	"context"
	"fmt"
	"time"
)

// MaxSkew is how far the clock of a machine may be from the store's for the machine to remove old data.
const MaxSkew = time.Minute

// ClockError reports that the clock of this machine is further from the store's than [MaxSkew].
type ClockError struct {
	// Ahead is how far this machine's clock is ahead; below 0 it is behind.
	Ahead time.Duration
}

// Error says how far the clocks are apart, and what to do.
func (e *ClockError) Error() string {
	way := "ahead of"
	if e.Ahead < 0 {
		way = "behind"
	}
	return fmt.Sprintf("this machine's clock is %s %s the store's, so it removes nothing that is old; set the clock",
		e.Ahead.Abs().Round(time.Second), way)
}

// AgesAt returns the time by which whoever removes what is old counts ages: the store's. The error is
// a *[ClockError] if this machine's clock is wrong, because it may have written wrong times.
func (e *Engine) AgesAt(ctx context.Context) (time.Time, error) {
	before := e.Now()
	at, err := e.Time(ctx)
	if err != nil {
		return time.Time{}, fmt.Errorf("the store's clock: %w", err)
	}
	var ahead time.Duration
	if after := e.Now(); at.Before(before) {
		ahead = before.Sub(at)
	} else if at.After(after) {
		ahead = after.Sub(at)
	}
	if ahead.Abs() > MaxSkew {
		return time.Time{}, &ClockError{ahead}
	}
	return at, nil
}
