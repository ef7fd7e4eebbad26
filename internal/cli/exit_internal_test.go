package cli

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/chibi-host/chibi/contexts"
	"github.com/chibi-host/chibi/internal/app"
	"github.com/chibi-host/chibi/internal/guards"
	"github.com/chibi-host/chibi/store"
)

func TestExitCodes(t *testing.T) {
	wrapped := func(err error) error { return fmt.Errorf("reading context %q: %w", "work", err) }
	for _, test := range []struct {
		name string
		err  error
		want int
	}{
		{"done", nil, 0},
		{"anything else", errors.New("no"), 1},
		{"a full store", wrapped(store.ErrTooLarge), 1},
		{"a permission that is missing in the middle", wrapped(store.ErrDenied), 1},
		{"a mistake", app.UsageError{Err: errors.New("no")}, 2},
		{"a store of another format", app.UsageError{Err: &store.FormatError{Found: 2, Known: 1}}, 2},
		{"a missing guard", &guards.MissingError{}, 3},
		{"in use", wrapped(&contexts.LockedError{Context: "work"}), 4},
		{"in use, and the end of the run failed too",
			errors.Join(&contexts.LockedError{Context: "work"}, errors.New("no")), 4},
		{"taken over", wrapped(&contexts.TakenError{Context: "work"}), 4},
		{"taken over, which ended the answer", errors.Join(context.Canceled, &contexts.TakenError{}), 4},
		{"no answer", wrapped(store.ErrUnavailable), 5},
		{"unsent", &contexts.UnsentError{Context: "work", Path: "p", Err: store.ErrUnavailable}, 5},
		{"the lease is lost, which ended the answer", errors.Join(contexts.ErrLost, context.Canceled), 5},
		{"Ctrl-C while the store does not answer", errors.Join(store.ErrUnavailable, context.Canceled), 130},
		{"Ctrl-C", wrapped(context.Canceled), 130},
	} {
		if got := exitCode(test.err); got != test.want {
			t.Errorf("%s: exit code %d; want %d", test.name, got, test.want)
		}
	}
}
