//go:build unix

package pgstore_test

import (
	"testing"

	"github.com/chibi-host/chibi/cluster/internal/pgtest"
	"github.com/chibi-host/chibi/contexts"
	"github.com/chibi-host/chibi/contexts/contexttest"
	"github.com/chibi-host/chibi/store"
	"github.com/chibi-host/chibi/store/storetest"
)

// TestEngine runs the conformance suite on every installation, of which $CHIBI_POSTGRES names
// several, as a role that has no more rights than Init grants.
func TestEngine(t *testing.T) {
	pgtest.Need(t)
	for _, dir := range pgtest.Installed() {
		version, err := pgtest.Version(dir)
		if err != nil {
			t.Fatal(err)
		}
		t.Run(version, func(t *testing.T) {
			storetest.Run(t, homesOf(t, serverOf(t, dir), "team"))
		})
	}
}

func TestContextsAreCopiedToADatabaseAndBack(t *testing.T) {
	pgtest.Need(t)
	homes := homesOf(t, serverOf(t, pgtest.Installed()[0]), "copies")
	contexttest.Copies(t, func(t *testing.T) func() *contexts.Store {
		open := homes(t, store.Options{})
		return func() *contexts.Store {
			e := open()
			t.Cleanup(func() { e.Close() })
			return contexts.OpenShared(e, t.TempDir())
		}
	})
}
