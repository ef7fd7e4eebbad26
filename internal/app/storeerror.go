package app

import (
	"errors"
	"fmt"
	"strings"

	"github.com/chibi-host/chibi/contexts"
	"github.com/chibi-host/chibi/internal/config"
	"github.com/chibi-host/chibi/store"
)

// plainError is an error whose text was changed for people.
type plainError struct {
	text string
	err  error
}

// Error returns the text.
func (e *plainError) Error() string { return e.text }

// Unwrap returns the error that the text is about.
func (e *plainError) Unwrap() error { return e.err }

// notOpened returns the error for a store that could not be opened: what to do about it, and
// nothing that is secret. What waiting cannot mend is a [UsageError].
func notOpened(place config.Store, err error) error {
	said := withoutSecrets(place.URL, err.Error())
	if !strings.HasPrefix(said, "store ") { // engines name it themselves
		said = fmt.Sprintf("store %q: %s", config.WithoutUser(place.URL), said)
	}
	switch {
	case errors.Is(err, store.ErrUnavailable):
		said += "; nothing was sent to the model, and nothing is lost; check the servers and the network, and try again"
		return &plainError{said, err}
	case errors.Is(err, store.ErrNotFound) && !strings.Contains(said, "store init"):
		said += "; chibi store init makes it"
	}
	return UsageError{Err: &plainError{said, err}}
}

// withoutSecrets returns a text without the URL of a store and what opens it.
func withoutSecrets(url, text string) string {
	text = strings.ReplaceAll(text, url, config.WithoutUser(url))
	for _, secret := range config.StoreSecrets(url) {
		if secret != "" {
			text = strings.ReplaceAll(text, secret, "***")
		}
	}
	return text
}

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
