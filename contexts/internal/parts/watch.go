package parts

import (
	"context"
	"time"
)

// lookAgain is how often an inbox is looked at that tells nobody when mail has come.
const lookAgain = 250 * time.Millisecond

// WatchByLooking reports changes of look's result.
func WatchByLooking(ctx context.Context, look func() any) <-chan struct{} {
	changed, seen := make(chan struct{}, 1), look()
	go func() {
		defer close(changed)
		again := time.NewTicker(lookAgain)
		defer again.Stop()
		for {
			select {
			case <-ctx.Done():
				return
			case <-again.C:
			}
			now := look()
			if now == seen {
				continue
			}
			seen = now
			select {
			case changed <- struct{}{}:
			default:
			}
		}
	}()
	return changed
}
