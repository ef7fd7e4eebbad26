package bench_test

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/chibi-host/chibi/cache"
	"github.com/chibi-host/chibi/cluster/internal/natstest"
	"github.com/chibi-host/chibi/cluster/internal/pgtest"
	"github.com/chibi-host/chibi/cluster/natsstore"
	"github.com/chibi-host/chibi/cluster/pgstore"
	"github.com/chibi-host/chibi/contexts"
	"github.com/chibi-host/chibi/store"
)

// place is where contexts are kept.
type place struct {
	name string
	url  func(t testing.TB) string // of a new home; nil: files
	home string
	here string // the URL of the home that is measured
	open func(url string) (*store.Engine, error)

	replicas int // of NATS

	*contexts.Store
	engine *store.Engine
}

// connected is a new connection, as another process would have.
func (p *place) connected(t testing.TB) (s *contexts.Store, end func()) {
	t.Helper()
	if p.url == nil {
		files, err := contexts.Open(p.home)
		must(t, err)
		return files.Store, func() {}
	}
	e, err := p.open(p.here)
	must(t, err)
	return contexts.OpenShared(e, p.home), func() { e.Close() }
}

// servers is the URL without the home.
func (p *place) servers() string { return p.here[:strings.LastIndex(p.here, "/")] }

// fresh is a store that knows nothing of what was read before, on the same connection.
func (p *place) fresh(t testing.TB) *contexts.Store {
	t.Helper()
	if p.engine == nil {
		s, _ := p.connected(t)
		return s
	}
	return contexts.OpenShared(p.engine, p.home)
}

// context opens a context of a store.
func context(t testing.TB, s *contexts.Store, name string) *contexts.Context {
	t.Helper()
	c, err := s.Context(name)
	must(t, err)
	return c
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func allPlaces(t *testing.T) []*place {
	t.Helper()
	one := natstest.Start(t, temp(t), natstest.Always, "")
	three := natstest.StartCluster(t, natstest.Always)
	places := []*place{files(t), natsPlace(t, "NATS R1", one.URL(), 1), natsPlace(t, "NATS R3", three.URL(), 3)}
	if list := pgtest.Installed(); len(list) > 0 {
		places = append(places, postgres(t, list[0]))
	} else {
		t.Log("PostgreSQL is not measured: it is not installed; .ci/cluster/postgres gets it")
	}
	return places
}

func files(t testing.TB) *place {
	p := &place{name: "files", home: temp(t)}
	p.Store, _ = p.connected(t)
	return p
}

func natsPlace(t testing.TB, name, url string, replicas int) *place {
	return engined(t, &place{name: name, replicas: replicas,
		url: func(t testing.TB) string { return natstest.NewHome(t, url, replicas) },
		open: func(url string) (*store.Engine, error) {
			return natsstore.Driver().Open(t.Context(), store.Options{URL: url})
		}})
}

func postgres(t testing.TB, dir string) *place {
	server, err := pgtest.Start(dir)
	must(t, err)
	t.Cleanup(server.Stop)
	return postgresPlace(t, server)
}

func postgresPlace(t testing.TB, server *pgtest.Server) *place {
	n := 0
	return engined(t, &place{name: "PostgreSQL", url: func(t testing.TB) string {
		n++
		url := server.URL("postgres", "bench"+string(rune('a'+n)))
		_, err := pgstore.Driver().Init(t.Context(), store.InitOptions{Options: store.Options{URL: url}})
		must(t, err)
		return url
	}, open: func(url string) (*store.Engine, error) {
		return pgstore.Driver().Open(t.Context(), store.Options{URL: url})
	}})
}

// engined makes a home and connects to it.
func engined(t testing.TB, p *place) *place {
	t.Helper()
	var err error
	p.home, p.here = temp(t), p.url(t)
	p.engine, err = p.open(p.here)
	must(t, err)
	t.Cleanup(func() { p.engine.Close() })
	p.Store = contexts.OpenShared(p.engine, p.home)
	return p
}

// outputs is the cache of a context.
func (p *place) outputs(name string) cache.Cache {
	dir := contexts.Layout{Home: p.home}.Cache(name)
	if p.engine == nil {
		return cache.Open(dir)
	}
	return cache.OpenShared(p.engine, p.idOf(name), filepath.Join(dir))
}
