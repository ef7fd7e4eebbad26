package app

import (
	"errors"
	"fmt"

	"github.com/chibi-host/chibi/contexts"
)

// lostError reports that a context is no longer reserved for this process.
type lostError struct {
	context string
	err     error // with which what was done ended
}

// Error says what became of the context.
func (e *lostError) Error() string {
	return fmt.Sprintf("context %q is no longer reserved for this run: the store did not hear from it in time; what was "+
		"stored until then is kept, and the next run goes on", e.context)
}

// Unwrap returns that the lease was lost, and with what the run ended.
func (e *lostError) Unwrap() []error { return []error{contexts.ErrLost, e.err} }

// whyEnded returns the error for what was done while a context was reserved, which ended when
// the cause did.
func whyEnded(name string, cause, err error) error {
	var taken *contexts.TakenError
	if err == nil || !errors.Is(cause, contexts.ErrLost) || errors.As(err, &taken) {
		return err
	}
	return &lostError{name, err}
}
