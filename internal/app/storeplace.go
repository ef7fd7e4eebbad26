package app

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/chibi-host/chibi/cache"
	"github.com/chibi-host/chibi/contexts"
	"github.com/chibi-host/chibi/internal/config"
	"github.com/chibi-host/chibi/store"
)

// StorePlace is where contexts are kept: a home of files, or a store that machines share. It is
// for commands about stores, which open no session.
type StorePlace struct {
	// Home is the home of files; for a store, that of this machine.
	Home string
	// Store says how the store is reached. Its URL is "" for files.
	Store config.Store

	opts Options
}

// StorePlaceAt returns the place that a person names: a URL or a folder; "" is where the home keeps
// its contexts, "files" are its files.
func StorePlaceAt(opts Options, word string) (p StorePlace, err error) {
	if p.opts = opts; word != "" && word != config.Files && !strings.Contains(word, "://") {
		p.Home, err = filepath.Abs(word)
		return p, err
	}
	if p.Home, err = Home(opts.Home); err != nil {
		return p, err
	}
	global, err := config.ReadGlobal(p.Home)
	if err != nil {
		return p, UsageError{Err: err}
	}
	where := opts.Store
	if word != "" {
		where.URL = &word
	}
	p.Store, err = where.place(global)
	return p, err
}

// IsShared reports whether it is a store that machines share.
func (p StorePlace) IsShared() bool { return p.Store.URL != "" }

// String names the place for people, without secrets.
func (p StorePlace) String() string {
	if p.IsShared() {
		return config.WithoutUser(p.Store.URL)
	}
	return p.Home
}

// Is reports whether both are the same place, as far as their names say.
func (p StorePlace) Is(other StorePlace) bool {
	if p.IsShared() || other.IsShared() {
		return p.Store.URL == other.Store.URL
	}
	a, errA := os.Stat(p.Home)
	b, errB := os.Stat(other.Home)
	return p.Home == other.Home || errA == nil && errB == nil && os.SameFile(a, b)
}

// Init makes the store, or what of it is missing, and says what it did and what differs.
func (p StorePlace) Init(ctx context.Context, o store.InitOptions) (said []string, err error) {
	if !p.IsShared() {
		return nil, UsageError{Err: errors.New("contexts are files in " + p.Home + ", and need no store; name one with --store " +
			"URL, $CHIBI_STORE, or store in config.toml")}
	}
	driver, err := p.opts.Store.driver(p.Store.URL)
	if err != nil {
		return nil, err
	}
	set, err := config.Load(config.Sources{Home: p.Home, Set: p.opts.Set, Env: os.Getenv})
	if err != nil {
		return nil, UsageError{Err: err}
	}
	o.Options, o.OutputAge = engineOptions(p.Store, p.opts.Version), time.Duration(set.ToolCacheMaxAgeDays)*24*time.Hour
	said, err = driver.Init(ctx, o)
	return said, p.about(err)
}

// Status describes the store. monitor is the URL of a server's monitoring port; "": none.
func (p StorePlace) Status(ctx context.Context, monitor string) (store.Status, error) {
	how := engineOptions(p.Store, p.opts.Version)
	how.Monitor = monitor
	e, err := p.opts.Store.open(ctx, p.Store, how)
	if err != nil {
		return store.Status{}, err
	}
	defer e.Close()
	status, err := e.Status(ctx)
	return status, p.about(err)
}

// about names the store in an error.
func (p StorePlace) about(err error) error {
	if err == nil {
		return nil
	}
	return &plainError{fmt.Sprintf("store %q: %s", p.String(), withoutSecrets(p.Store.URL, err.Error())), err}
}

// StoreStatus describes the store of a session; false: it keeps files.
func StoreStatus(ctx context.Context, s *Session) (status store.Status, isShared bool, err error) {
	if s.engine == nil {
		return status, false, nil
	}
	status, err = s.engine.Status(ctx)
	return status, true, StorePlace{Store: s.place, opts: s.opts}.about(err)
}

// Contents are the contexts of a place, open.
type Contents struct {
	*contexts.Store
	// Engine is that of the store, nil for files.
	Engine  *store.Engine
	host    contexts.Host
	sharing Sharing
}

// Contents opens the contexts, which the caller closes.
func (p StorePlace) Contents(ctx context.Context) (*Contents, error) {
	c := &Contents{sharing: p.opts.Store.Sharing}
	var err error
	if p.IsShared() {
		if c.Engine, err = p.opts.Store.connect(ctx, p.Store, p.opts.Version); err != nil {
			return nil, err
		}
	}
	if c.Store, c.host, err = c.sharing.open(c.Engine, p.Home); err != nil {
		return nil, err
	}
	c.Report, c.Program = person(p.opts.Output).notice, p.opts.Version
	return c, nil
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
	return c.sharing.cacheOf(c.Engine, c.Store, c.host, name)
}

// CheckLocalConfig returns an error for settings of a context that do not count in the place.
func (p StorePlace) CheckLocalConfig(name, text string) error {
	_, err := config.Load(config.Sources{Home: p.Home, Env: os.Getenv,
		Local: config.Local{Name: "local.toml of context " + name, Text: text, IsShared: p.IsShared()}})
	return err
}
