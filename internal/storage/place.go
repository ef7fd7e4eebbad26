package storage

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/chibi-host/chibi/cache"
	"github.com/chibi-host/chibi/contexts"
	"github.com/chibi-host/chibi/internal/usage"
	"github.com/chibi-host/chibi/store"
)

// Place is where contexts are kept: a home of files, or a store that machines share.
type Place struct {
	// Home is the home of files; for a store, the home of this machine.
	Home string
	// URL is the URL of a store; "": files. Shown is the URL without Secrets, which open the store.
	URL, Shown string
	Secrets    []string
	// Credentials and CA are paths, Timeout is how long an operation is repeated, and Lease how
	// long a lease lasts without renewal.
	Credentials, CA string
	Timeout, Lease  time.Duration
	// Version is the program's, and Sharing what it has for stores.
	Version string
	Sharing Sharing
	// Limits reads the limits of outputs in the configuration of the home.
	Limits func() (Limits, error)
	// Report gets the repairs, and the reasons for waiting.
	Report func(string)
}

// IsShared reports whether it is a store that machines share.
func (p Place) IsShared() bool { return p.URL != "" }

// String names the place for people, without secrets.
func (p Place) String() string {
	if p.IsShared() {
		return p.Shown
	}
	return p.Home
}

// Is reports whether both are the same place, as far as their names say.
func (p Place) Is(other Place) bool {
	if p.IsShared() || other.IsShared() {
		return p.URL == other.URL
	}
	a, errA := os.Stat(p.Home)
	b, errB := os.Stat(other.Home)
	return p.Home == other.Home || errA == nil && errB == nil && os.SameFile(a, b)
}

// Init makes the store, or its missing parts, and says what it did and what differs.
func (p Place) Init(ctx context.Context, o store.InitOptions) (said []string, err error) {
	if !p.IsShared() {
		return nil, usage.Error{Err: errors.New("contexts are files in " + p.Home +
			", and need no store; name one with --store " +
			"URL, $CHIBI_STORE, or store in config.toml")}
	}
	driver, err := p.Driver()
	if err != nil {
		return nil, err
	}
	set, err := p.Limits()
	if err != nil {
		return nil, usage.Error{Err: err}
	}
	o.Options, o.OutputAge = p.options(), set.MaxAge
	said, err = driver.Init(ctx, o)
	return said, p.about(err)
}

// Status describes the store. monitor is the URL of a server's monitoring port; "": none.
func (p Place) Status(ctx context.Context, monitor string) (store.Status, error) {
	how := p.options()
	how.Monitor = monitor
	e, err := p.open(ctx, how)
	if err != nil {
		return store.Status{}, err
	}
	defer e.Close()
	status, err := e.Status(ctx)
	return status, p.about(err)
}

// about names the store in an error.
func (p Place) about(err error) error {
	if err == nil {
		return nil
	}
	return &plainError{fmt.Sprintf("store %q: %s", p.String(), p.withoutSecrets(err.Error())), err}
}

// StatusOf describes the store that an engine is connected to.
func (p Place) StatusOf(ctx context.Context, e *store.Engine) (store.Status, error) {
	status, err := e.Status(ctx)
	return status, p.about(err)
}

// Connect opens the store; the engine of files is nil.
func (p Place) Connect(ctx context.Context) (*store.Engine, error) {
	if !p.IsShared() {
		return nil, nil
	}
	return p.open(ctx, p.options())
}

func (p Place) open(ctx context.Context, how store.Options) (*store.Engine, error) {
	driver, err := p.Driver()
	if err != nil {
		return nil, err
	}
	engine, err := driver.Open(ctx, how)
	if err != nil {
		return nil, p.notOpened(err)
	}
	return engine, nil
}

// options says how a store is reached by this version of the program.
func (p Place) options() store.Options {
	return store.Options{
		URL: p.URL, Credentials: p.Credentials, CA: p.CA, Timeout: p.Timeout, Lease: p.Lease,
		Program: strings.TrimSpace("chibi " + p.Version),
		Report:  func(text string) { p.Report(fmt.Sprintf("store %q: %s", p.Shown, p.withoutSecrets(text))) },
	}
}

// Contents are the contexts of a place, open.
type Contents struct {
	*contexts.Store
	// Host is what the home keeps on this machine.
	Host contexts.Host
	// Engine is the engine of the store, nil for files.
	Engine  *store.Engine
	sharing Sharing
}

// Open opens the contexts that an engine keeps; nil: the files of the home.
func (p Place) Open(e *store.Engine) (*Contents, error) {
	c := &Contents{Engine: e, sharing: p.Sharing}
	var err error
	if c.Store, c.Host, err = p.Sharing.open(e, p.Home); err != nil {
		return nil, err
	}
	c.Report, c.Program = p.Report, p.Version
	return c, nil
}

// Contents opens the contexts, which the caller closes.
func (p Place) Contents(ctx context.Context) (*Contents, error) {
	e, err := p.Connect(ctx)
	if err != nil {
		return nil, err
	}
	return p.Open(e)
}

// Close closes the connection, if there is one.
func (c *Contents) Close() error {
	if c.Engine == nil {
		return nil
	}
	return c.Engine.Close()
}

// Cache returns the cache of a context.
func (c *Contents) Cache(name string) cache.Cache {
	return c.sharing.cacheOf(c.Engine, c.Store, c.Host, name)
}
