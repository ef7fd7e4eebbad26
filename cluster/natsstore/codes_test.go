package natsstore

import (
	"context"
	"errors"
	"testing"

	"github.com/nats-io/nats.go"

	"github.com/chibi-host/chibi/store"
)

func TestCodesOfTheServer(t *testing.T) {
	for _, c := range []struct {
		status, code int
		text         string
		want         error // nil: none of the store's errors
	}{
		{400, 10071, "wrong last sequence: 5", store.ErrConflict},
		{400, 10164, "wrong last sequence", store.ErrConflict},
		{409, 10158, "duplicate message id is in process", store.ErrUnavailable},
		{503, 10008, "JetStream system temporarily unavailable", store.ErrUnavailable},
		{500, 10000, "anything", store.ErrUnavailable},
		{503, 10077, "anything", store.ErrUnavailable},
		{503, 10077, "maximum bytes exceeded", store.ErrTooLarge},
		{503, 10077, "write /data: no space left on device", store.ErrTooLarge},
		{500, 10047, "insufficient storage resources available", store.ErrTooLarge},
		{400, 10054, "message size exceeds maximum allowed", store.ErrTooLarge},
		{400, 10002, "resource limits exceeded for account", store.ErrTooLarge},
		{404, 10037, "no message found", store.ErrNotFound},
		{404, 10059, "stream not found", store.ErrNotFound},
		{400, 10005, "no suitable peers for placement", store.ErrUnavailable},
		{429, 10167, "too many requests", store.ErrUnavailable},
		{400, 10165, "invalid per-message TTL", nil},
		{400, 10166, "per-message TTL is disabled", nil},
		{500, 10074, "replicas > 1 not supported in non-clustered mode", nil},
		{503, 10039, "JetStream not enabled for account", nil},
		{400, 10003, "bad request", nil},
	} {
		err := error(&apiError{Status: c.status, Code: c.code, Description: c.text})
		if got := errors.Unwrap(err); got != c.want {
			t.Errorf("%d %s: %v in place of %v", c.code, c.text, got, c.want)
		}
	}
}

func TestErrorsOfTheClient(t *testing.T) {
	for err, want := range map[error]error{
		nats.ErrMaxPayload:           store.ErrTooLarge,
		nats.ErrNoResponders:         store.ErrUnavailable,
		nats.ErrDisconnected:         store.ErrUnavailable,
		nats.ErrReconnectBufExceeded: store.ErrUnavailable,
		nats.ErrConnectionClosed:     store.ErrUnavailable,
		nats.ErrTimeout:              store.ErrUnavailable,
		context.DeadlineExceeded:     store.ErrUnavailable,
		nats.ErrPermissionViolation:  store.ErrDenied,
	} {
		if got := translated(t.Context(), err); !errors.Is(got, want) {
			t.Errorf("%v: %v", err, got)
		}
	}
	denied := &deniedError{`Permissions Violation for Publish to "x"`}
	ctx, end := context.WithCancelCause(t.Context())
	end(denied)
	if got := translated(ctx, ctx.Err()); got != error(denied) {
		t.Errorf("a permission that is missing: %v", got)
	}
}
