//go:build unix

package pgstore_test

import (
	"fmt"
	"sync/atomic"
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
			s := serverOf(t, dir)
			storetest.Run(t, homesOf(t, s, "team"))
			storetest.RunDamaged(t, damagedHomesOf(s))
		})
	}
}

// damagedHomesOf makes a home for each call, in which records get damaged.
func damagedHomesOf(s *pgtest.Server) storetest.OpenDamaged {
	var count atomic.Int64
	return func(t *testing.T) (func() *store.Engine, func(log, text string)) {
		name := fmt.Sprint("damaged", count.Add(1))
		o := store.Options{URL: home(t, s, name)}
		return func() *store.Engine { return open(t, o) }, func(log, text string) {
			run(t, s, fmt.Sprintf(`insert into chibi_%[1]s.log
				select '%[2]s', nextval('chibi_%[1]s.revision'), coalesce(max(pos), 0), 99999999, -1, '?', false, now(), '%[3]s'
				from chibi_%[1]s.log where log = '%[2]s'`, name, log, text))
		}
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
