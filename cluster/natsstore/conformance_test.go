package natsstore_test

import (
	"testing"

	"github.com/chibi-host/chibi/cluster/internal/natstest"
	"github.com/chibi-host/chibi/contexts"
	"github.com/chibi-host/chibi/contexts/contexttest"
	"github.com/chibi-host/chibi/store"
	"github.com/chibi-host/chibi/store/storetest"
)

func TestOneServerKeepsTheContract(t *testing.T) {
	t.Parallel() // most of it is waiting for leases to end
	s := natstest.Start(t, "", natstest.Always, "")
	storetest.Run(t, newHomes(s.URL(), 1))
}

func TestThreeServersKeepTheContract(t *testing.T) {
	t.Parallel()
	c := natstest.StartCluster(t, natstest.Always)
	storetest.Run(t, newHomes(c.URL(), 3))
}

// newHomes makes a home on the server of a URL for each test.
func newHomes(url string, replicas int) storetest.Open {
	return func(t *testing.T, o store.Options) func() *store.Engine {
		o.URL = natstest.NewHome(t, url, replicas)
		return func() *store.Engine { return natstest.Open(t, o) }
	}
}

func TestContextsAreCopiedToOneServerAndBack(t *testing.T) {
	s := natstest.Start(t, "", natstest.Always, "")
	contexttest.Copies(t, func(t *testing.T) func() *contexts.Store {
		o := store.Options{URL: natstest.NewHome(t, s.URL(), 1)}
		return func() *contexts.Store { return contexts.OpenShared(natstest.Open(t, o), t.TempDir()) }
	})
}
