package contexts_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/chibi-host/chibi/contexts"
	"github.com/chibi-host/chibi/store"
	"github.com/chibi-host/chibi/store/storetest"
)

// TestAWatchFollowsTheName has a context renamed whose inbox is watched: from then on the one that
// is made with its name is watched, and only that.
func TestAWatchFollowsTheName(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		memory, ended := storetest.NewMemory(), 0
		engine := *memory.Engine(store.Options{})
		watch := engine.Watch
		engine.Watch = func(ctx context.Context, prefix string) (<-chan struct{}, error) {
			context.AfterFunc(ctx, func() { ended++ })
			return watch(ctx, prefix)
		}
		ctx, cancel := context.WithCancel(t.Context())
		arrived, err := contexts.OpenShared(&engine, t.TempDir()).WatchMail(ctx, "work")
		if err != nil {
			t.Fatal(err)
		}
		other := contexts.OpenShared(memory.Engine(store.Options{}), t.TempDir())
		c, err := other.Context("work")
		if err == nil {
			err = c.Rename("old")
		}
		if err != nil {
			t.Fatal(err)
		}
		send := func(to string) {
			t.Helper()
			c, err := other.Context("sender")
			if err == nil {
				err = c.Send(to, "sender", "hi")
			}
			if err != nil {
				t.Fatal(err)
			}
		}
		send("work")
		<-arrived // within half a minute
		synctest.Wait()
		if ended != 1 {
			t.Errorf("%d watches have ended, not that of the first inbox alone", ended)
		}
		send("work")
		<-arrived
		send("old")
		time.Sleep(2 * time.Minute)
		select {
		case _, open := <-arrived:
			t.Errorf("mail of the first context was reported: %v", open)
		default:
		}
		cancel()
		if _, open := <-arrived; open {
			t.Error("it does not end")
		}
		synctest.Wait()
		if ended != 2 {
			t.Errorf("%d watches have ended at the end", ended)
		}
	})
}
