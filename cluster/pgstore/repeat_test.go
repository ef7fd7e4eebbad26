package pgstore

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/chibi-host/chibi/store"
)

// TestAnErrorSaysWhyTheStoreWasNotAvailable: that the last attempt was cut off does not hide it.
func TestAnErrorSaysWhyTheStoreWasNotAvailable(t *testing.T) {
	d := &db{options: store.Options{Timeout: 100 * time.Millisecond}, pool: newPool(nil)}
	attempts := 0
	err := d.repeat(t.Context(), func(ctx context.Context) (again bool, err error) {
		if attempts++; attempts == 1 {
			return true, &pgconn.PgError{Code: "25006", Message: "cannot execute INSERT in a read-only transaction"}
		}
		<-ctx.Done()
		return true, ctx.Err()
	})
	want := "no success within 100ms: cannot execute INSERT in a read-only transaction (SQLSTATE 25006)"
	if !errors.Is(err, store.ErrUnavailable) || err.Error() != want {
		t.Errorf("%v", err)
	}
}
