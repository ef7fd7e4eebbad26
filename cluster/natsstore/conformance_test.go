package natsstore_test

import (
	"path"
	"testing"

	"github.com/nats-io/nats.go"

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

func TestOneServerGoesAroundDamagedRecords(t *testing.T) {
	s := natstest.Start(t, "", natstest.Always, "")
	storetest.RunDamaged(t, newDamagedHomes(s.URL()))
}

// newDamagedHomes makes a home on the server of a URL for each test, in which records get damaged.
func newDamagedHomes(url string) storetest.OpenDamaged {
	return func(t *testing.T) (func() *store.Engine, func(log, text string)) {
		o := store.Options{URL: natstest.NewHome(t, url, 1)}
		nc, err := nats.Connect(url)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(nc.Close)
		home := path.Base(o.URL)
		return func() *store.Engine { return natstest.Open(t, o) }, func(log, text string) {
			forger{t, nc}.write("chibi."+home+".log."+log, text, "Chibi-Id: ?", "Chibi-Window: 99999999")
		}
	}
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
