package operation

import (
	"context"
	"errors"
	"testing"

	"github.com/chibi-host/chibi/contexts"
	"github.com/chibi-host/chibi/internal/app"
	"github.com/chibi-host/chibi/store"
	"github.com/chibi-host/chibi/store/storetest"
)

// TestWhoIsEndedWhileAnInboxIsOpenedHasWaited: it ends as if it had been waiting already.
func TestWhoIsEndedWhileAnInboxIsOpenedHasWaited(t *testing.T) {
	ctx, end := context.WithCancel(t.Context())
	defer end()
	engine := storetest.Around(storetest.NewMemory().Engine(store.Options{}), func(call string, do func() error) error {
		if call == "Watch" {
			end()
			return errors.Join(store.ErrUnavailable, ctx.Err())
		}
		return do()
	})
	s := &app.Session{Store: contexts.OpenShared(engine, t.TempDir())}
	m := &mailWaiter{Run: Run{Session: s}, name: "work"}
	if err := m.one(ctx); !errors.Is(err, errEndedWaiting) {
		t.Errorf("%v", err)
	}
}
