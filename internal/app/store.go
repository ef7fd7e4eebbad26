package app

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"

	"github.com/chibi-host/chibi/contexts"
	"github.com/chibi-host/chibi/internal/config"
	"github.com/chibi-host/chibi/internal/project"
	"github.com/chibi-host/chibi/store"
)

// StoreOptions say where contexts are kept.
type StoreOptions struct {
	// Sharing is what the program has for stores that machines share.
	Sharing Sharing
	// URL takes precedence over the environment and the configuration; "files" and "" are the
	// files of the home; nil: it is not given.
	URL *string
}

// place returns where the contexts of a home are kept, and an error if the program has no
// engine for that.
func (o StoreOptions) place(g config.Global) (config.Store, error) {
	place, err := g.Store(o.URL, os.Getenv)
	if err != nil {
		return place, UsageError{Err: err}
	}
	if place.URL != "" {
		if _, err = o.driver(place.URL); err != nil {
			return place, err
		}
	}
	place.Credentials, place.CA = project.InHome(place.Credentials), project.InHome(place.CA)
	return place, nil
}

// OpenStore opens the contexts of a home without a session. The caller calls shut.
func OpenStore(ctx context.Context, opts Options) (contexts *contexts.Store, shut func(), err error) {
	s := newSession(opts)
	if err := openHome(ctx, s); err != nil {
		return nil, nil, err
	}
	return s.Store, s.Close, nil
}

// openStore opens the contexts of the session's home. It alone knows where they are kept. A
// session that comes from another one uses its connection.
func openStore(ctx context.Context, s *Session) error {
	if s.place.URL != "" && s.engine == nil {
		engine, err := s.opts.Store.connect(ctx, s.place, s.opts.Version)
		if err != nil {
			return err
		}
		s.engine = engine
		s.closers = append(s.closers, closing(func() { engine.Close() }))
	}
	var err error
	if s.Store, s.Host, err = s.opts.Store.Sharing.open(s.engine, s.Home); err != nil {
		return err
	}
	s.Store.Report, s.Store.Program = s.person.notice, s.opts.Version
	return nil
}

// connect opens a store that machines share.
func (o StoreOptions) connect(ctx context.Context, place config.Store, version string) (*store.Engine, error) {
	return o.open(ctx, place, engineOptions(place, version))
}

func (o StoreOptions) open(ctx context.Context, place config.Store, how store.Options) (*store.Engine, error) {
	driver, err := o.driver(place.URL)
	if err != nil {
		return nil, err
	}
	engine, err := driver.Open(ctx, how)
	if err != nil {
		return nil, notOpened(place, err)
	}
	return engine, nil
}

// engineOptions says how a store is reached by this version of the program.
func engineOptions(place config.Store, version string) store.Options {
	return store.Options{
		URL: place.URL, Credentials: place.Credentials, CA: place.CA, Timeout: place.Timeout, Lease: place.Lease,
		Program: strings.TrimSpace("chibi " + version),
	}
}

// ErrPlain is the error of the plain program when it is asked for more than files.
var ErrPlain = errors.New("this build keeps files only; chibi-cluster has NATS and PostgreSQL, see docs/CLUSTER.md; " +
	"go install github.com/chibi-host/chibi/cluster/cmd/chibi-cluster@latest installs it")

// clusterSchemes are the schemes of URLs for which chibi-cluster has an engine.
func clusterSchemes() []string { return []string{"nats", "postgres", "postgresql", "tls"} }

// driver returns the engine for a URL. The error says which URLs there are engines for.
func (o StoreOptions) driver(url string) (store.Driver, error) {
	scheme, _, isURL := strings.Cut(url, "://")
	scheme = strings.ToLower(scheme)
	if d, ok := o.Sharing.drivers[scheme]; isURL && ok {
		return d, nil
	}
	wrong := fmt.Errorf(`want "files" or a URL such as "nats://HOST:4222/HOME"`)
	switch known := slices.Sorted(maps.Keys(o.Sharing.drivers)); {
	case !isURL:
	case len(known) > 0:
		wrong = fmt.Errorf("there is no engine for %q; there are: %s", scheme, strings.Join(known, ", "))
	case slices.Contains(clusterSchemes(), scheme):
		wrong = ErrPlain
	default:
		wrong = fmt.Errorf("there is no engine for %q; chibi-cluster has some for: %s", scheme,
			strings.Join(clusterSchemes(), ", "))
	}
	return store.Driver{}, UsageError{Err: fmt.Errorf("store %q: %w", config.WithoutUser(url), wrong)}
}
