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

// noDials is a pool of which every dial is a failure of the test.
func noDials(t *testing.T) *pool {
	return newPool(func(context.Context) (*pgconn.PgConn, error) {
		t.Error("it dials")
		return nil, errors.New("not dialled")
	})
}

func TestAClosedStoreDoesNotDial(t *testing.T) {
	d := &db{options: store.Options{Timeout: time.Minute}, pool: noDials(t)}
	d.pool.close()
	for range 100 {
		if conn, err := d.pool.take(t.Context()); conn != nil || !errors.Is(err, errClosed) {
			t.Fatalf("%v, %v", conn, err)
		}
	}
	if _, err := d.run(t.Context(), "select"); !errors.Is(err, store.ErrUnavailable) || !errors.Is(err, errClosed) {
		t.Errorf("a statement: %v", err)
	}
	ended, end := context.WithCancel(t.Context())
	end()
	open := noDials(t)
	for range 100 {
		if conn, err := open.take(ended); conn != nil || !errors.Is(err, context.Canceled) {
			t.Fatalf("of a call that has ended: %v, %v", conn, err)
		}
	}
}

// TestALeaseIsNotRenewedWhenTheStoreIsClosed: it is lost then, and nothing is tried until its end.
func TestALeaseIsNotRenewedWhenTheStoreIsClosed(t *testing.T) {
	d := &db{options: store.Options{Timeout: time.Minute, Lease: time.Hour}, pool: noDials(t)}
	d.pool.close()
	h := &lease{leases: leases{d}, key: "work", token: "mine"}
	began := time.Now()
	if _, err := h.renew(began.Add(time.Minute)); !errors.Is(err, errClosed) || time.Since(began) >= time.Minute {
		t.Errorf("%v after %v", err, time.Since(began))
	}
}
