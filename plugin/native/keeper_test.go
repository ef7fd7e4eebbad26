//go:build unix

package native_test

import (
	"context"
	"testing"
	"time"

	"github.com/chibi-host/chibi/internal/keeper"
	"github.com/chibi-host/chibi/plugin/resident"
)

// throughKeeper is a variable with which all tests of resident plugins have their processes
// from a keeper.
const throughKeeper = "CHIBI_TEST_KEEPER"

// lender runs a keeper in this process until the end of the test.
func lender(t *testing.T) resident.Keeper {
	t.Helper()
	home := t.TempDir()
	ctx, cancel := context.WithCancel(context.Background())
	over := make(chan struct{})
	go func() {
		defer close(over)
		if err := keeper.Serve(ctx, keeper.Options{Home: home, Keep: time.Minute}); err != nil {
			t.Error(err)
		}
	}()
	t.Cleanup(func() { cancel(); <-over })
	for {
		if _, err := keeper.StatusOf(home); err == nil {
			return &keeper.Client{Home: home, Keep: time.Minute, Wait: time.Minute}
		}
		time.Sleep(time.Millisecond)
	}
}

// TestConformanceOfKeptResidents: a plugin means the same when a keeper holds its process.
func TestConformanceOfKeptResidents(t *testing.T) {
	t.Parallel()
	testResidents(t, lender)
}
