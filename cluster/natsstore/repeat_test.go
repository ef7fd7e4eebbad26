package natsstore

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/chibi-host/chibi/store"
)

// TestAnErrorSaysWhyTheStoreWasNotAvailable: that the last attempt was cut off does not hide it.
func TestAnErrorSaysWhyTheStoreWasNotAvailable(t *testing.T) {
	c := &connection{nc: &nats.Conn{}, timeout: 100 * time.Millisecond}
	attempts := 0
	err := c.retry(t.Context(), func(ctx context.Context) error {
		if attempts++; attempts == 1 {
			return &passing{"no leader"}
		}
		<-ctx.Done()
		return translated(ctx, ctx.Err())
	})
	if want := "no success within 100ms: no leader"; !errors.Is(err, store.ErrUnavailable) || err.Error() != want {
		t.Errorf("%v", err)
	}
}
