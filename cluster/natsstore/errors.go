package natsstore

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/nats-io/nats.go"

	"github.com/chibi-host/chibi/store"
)

// Error codes of JetStream.
const (
	codeInsufficient    = 10023 // no resources for a stream
	codeNotEnabledHere  = 10039 // the account has no JetStream
	codeNoPeers         = 10005 // not as many servers as replicas, perhaps not yet
	codeNoMessage       = 10037
	codeStorageFull     = 10047
	codeMessageTooLarge = 10054
	codeNoStream        = 10059
	codeWrongLast       = 10071
	codeNoReplicas      = 10074 // one server, several replicas
	codeStoreFailed     = 10077 // also: the stream is full
	codeTTLInvalid      = 10165
	codeTTLDisabled     = 10166
	codeWrongLastBusy   = 10164 // another message for the subject is on its way
	codeAccountFull     = 10002
	codeMaxStreams      = 10027
)

// apiError is an error in an answer of JetStream.
type apiError struct {
	Status      int    `json:"code"`
	Code        int    `json:"err_code"`
	Description string `json:"description"`
}

// maxDescription bounds what is shown of a server's description.
const maxDescription = 300

// Error has the server's words.
func (e *apiError) Error() string {
	return fmt.Sprintf("the server says %.*q (%d)", maxDescription, e.Description, e.Code)
}

func (e *apiError) Unwrap() error {
	switch e.Code {
	case codeNoMessage, codeNoStream:
		return store.ErrNotFound
	case codeWrongLast, codeWrongLastBusy:
		return store.ErrConflict
	case codeMessageTooLarge, codeStorageFull, codeInsufficient, codeAccountFull:
		return store.ErrTooLarge
	case codeStoreFailed:
		if strings.Contains(e.Description, "maximum") || strings.Contains(e.Description, "no space") {
			return store.ErrTooLarge
		}
	case codeNoPeers:
		return store.ErrUnavailable
	case codeTTLInvalid, codeTTLDisabled, codeNoReplicas, codeNotEnabledHere:
		return nil
	}
	if e.Status >= 400 && e.Status < 500 && e.Status != 408 && e.Status != 409 && e.Status != 429 {
		return nil
	}
	return store.ErrUnavailable
}

// deniedError reports a permission that the user lacks.
type deniedError struct {
	text string // such as: Permissions Violation for Publish to "chibi.team.log.x"
}

// Error names the permission.
func (e *deniedError) Error() string {
	return fmt.Sprintf("%v: %.*s", store.ErrDenied, maxDescription, e.text)
}

func (e *deniedError) Unwrap() error { return store.ErrDenied }

// explained is an error in words for people, which say all that its kind does.
type explained struct {
	text string
	kind error
}

func (e *explained) Error() string { return e.text }

func (e *explained) Unwrap() error { return e.kind }

// passing is an error that goes away by itself: the call is repeated.
type passing struct {
	why string
}

func (e *passing) Error() string { return e.why }

func (e *passing) Unwrap() error { return store.ErrUnavailable }

// about adds what it is about to the error that a call returns, if it returns one.
func about(err *error, kind, key string) {
	if *err != nil {
		*err = fmt.Errorf("%s %q: %w", kind, key, *err)
	}
}

// translated returns an error of the client library in the store's words. The context is the
// context of the attempt.
func translated(ctx context.Context, err error) error {
	var denied *deniedError
	var gone *passing
	switch {
	case errors.As(context.Cause(ctx), &denied):
		return denied
	case errors.As(context.Cause(ctx), &gone):
		return gone
	case errors.Is(err, nats.ErrMaxPayload):
		return store.ErrTooLarge
	case errors.Is(err, nats.ErrNoResponders):
		return &passing{"no server answers for JetStream, which is starting or not enabled for this user's account"}
	case errors.Is(err, nats.ErrReconnectBufExceeded), errors.Is(err, nats.ErrDisconnected),
		errors.Is(err, nats.ErrNoServers):
		return &passing{"no server can be reached"}
	case errors.Is(err, nats.ErrConnectionClosed):
		return &passing{"the store has been closed"}
	case errors.Is(err, nats.ErrPermissionViolation):
		return &deniedError{err.Error()}
	case ctx.Err() != nil:
		return &passing{"no answer"}
	}
	return &passing{err.Error()}
}
