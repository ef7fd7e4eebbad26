//go:build unix

package pgstore_test

import (
	"context"
	"os"
	"sync"
	"testing"
	"time"

	"github.com/chibi-host/chibi/cluster/internal/pgtest"
	"github.com/chibi-host/chibi/cluster/pgstore"
	"github.com/chibi-host/chibi/store"
)

func TestMain(m *testing.M) {
	status := m.Run()
	for _, s := range shared.servers {
		s.Stop()
	}
	os.Exit(status)
}

// shared are servers for tests that leave them as they were, by installation.
var shared struct {
	mu      sync.Mutex
	servers map[string]*pgtest.Server
}

// server returns the shared server of the first installation, or skips the test.
func server(t testing.TB) *pgtest.Server {
	t.Helper()
	return serverOf(t, pgtest.Need(t))
}

// serverOf returns the shared server of an installation.
func serverOf(t testing.TB, dir string) *pgtest.Server {
	t.Helper()
	shared.mu.Lock()
	defer shared.mu.Unlock()
	if s := shared.servers[dir]; s != nil {
		return s
	}
	s, err := pgtest.Start(dir)
	if err != nil {
		t.Fatal(err)
	}
	if shared.servers == nil {
		shared.servers = map[string]*pgtest.Server{}
	}
	shared.servers[dir] = s
	return s
}

// ownServer starts a server for one test.
func ownServer(t testing.TB, settings ...string) *pgtest.Server {
	t.Helper()
	s, err := pgtest.Start(pgtest.Need(t), settings...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Stop)
	return s
}

// home makes a home for a test and returns its URL for the superuser.
func home(t testing.TB, s *pgtest.Server, name string) string {
	t.Helper()
	url := s.URL("postgres", name)
	o := store.InitOptions{Options: store.Options{URL: url}}
	if _, err := pgstore.Driver().Init(context.Background(), o); err != nil {
		t.Fatal(err)
	}
	return url
}

// soon bounds what must be known at once. Where other tests make the machine busy, it is only less
// than a store is waited for.
var soon = 2 * time.Second

func init() {
	if os.Getenv(faultCycles) == "" {
		soon *= 10
	}
}

func saidSoon(t testing.TB, begin time.Time) {
	t.Helper()
	took := time.Since(begin)
	t.Logf("said after %s", took.Round(time.Millisecond))
	if took > soon {
		t.Error("that is not soon")
	}
}

// open opens a home until the end of the test.
func open(t testing.TB, o store.Options) *store.Engine {
	t.Helper()
	e, err := pgstore.Driver().Open(context.Background(), o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { e.Close() })
	return e
}
