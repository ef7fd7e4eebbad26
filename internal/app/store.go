package app

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/chibi-host/chibi/cache"
	"github.com/chibi-host/chibi/contexts"
	"github.com/chibi-host/chibi/internal/config"
	"github.com/chibi-host/chibi/internal/disk"
	"github.com/chibi-host/chibi/internal/project"
	"github.com/chibi-host/chibi/internal/storage"
	"github.com/chibi-host/chibi/store"
)

// place returns where the contexts of a home are kept, and an error if the program has no
// engine for that.
func (o Options) place(home string, g config.Global, url *string) (storage.Place, error) {
	p := o.files(home)
	at, err := g.Store(url, os.Getenv)
	if err != nil {
		return p, UsageError{Err: err}
	}
	p.URL, p.Shown, p.Secrets = at.URL, config.WithoutSecrets(at.URL), config.StoreSecrets(at.URL)
	p.Timeout, p.Lease = at.Timeout, at.Lease
	p.Credentials, p.CA = project.InHome(at.Credentials), project.InHome(at.CA)
	if p.IsShared() {
		_, err = p.Driver()
	}
	return p, err
}

// files returns a home of files.
func (o Options) files(home string) storage.Place {
	return storage.Place{Home: home, Version: o.Version, Sharing: o.Store.Sharing, Report: person(o.Output).notice,
		Limits: func() (storage.Limits, error) {
			c, err := config.Load(config.Sources{Home: home, Set: o.Set, Env: os.Getenv})
			return limitsOf(c), err
		}}
}

// limitsOf returns the limits of cached outputs.
func limitsOf(c config.Config) storage.Limits {
	return storage.Limits{MaxAge: time.Duration(c.ToolCacheMaxAgeDays) * 24 * time.Hour,
		MaxBytes: int64(c.ToolCacheMaxBytes), Cleans: c.AutoCleanupCache}
}

// StorePlaceAt returns the place that a person names: a URL or a folder; "" is where the home keeps
// its contexts, "files" are its files.
func StorePlaceAt(opts Options, word string) (storage.Place, error) {
	if word != "" && word != config.Files && !strings.Contains(word, "://") {
		dir, err := filepath.Abs(word)
		return opts.files(dir), err
	}
	dir, err := Home(opts.Home)
	if err != nil {
		return storage.Place{}, err
	}
	global, err := config.ReadGlobal(dir)
	if err != nil {
		return opts.files(dir), UsageError{Err: err}
	}
	url := opts.Store.URL
	if word != "" {
		url = &word
	}
	return opts.place(dir, global, url)
}

// CheckLocalConfig returns an error for settings of a context that do not count in a place.
func CheckLocalConfig(p storage.Place, name, text string) error {
	_, err := config.Load(config.Sources{Home: p.Home, Env: os.Getenv,
		Local: config.Local{Name: "local.toml of context " + name, Text: text, IsShared: p.IsShared()}})
	return err
}

// openStore opens the contexts of the session's home. A session that comes from another one uses
// its connection.
func openStore(ctx context.Context, s *Session) error {
	if s.place.IsShared() && s.engine == nil {
		engine, err := s.place.Connect(ctx)
		if err != nil {
			return err
		}
		s.engine = engine
		s.closers = append(s.closers, closing(func() { engine.Close() }))
	}
	contents, err := s.place.Open(s.engine)
	if err != nil {
		return err
	}
	s.Store, s.Host, s.contents = contents.Store, contents.Host, contents
	if s.opts.NoSave {
		return keepNothing(s)
	}
	return nil
}

// keepNothing makes the session forget its conversation and its outputs when it ends.
func keepNothing(s *Session) error {
	s.Store = s.contents.Unsaved()
	if s.unsaved != "" {
		return nil
	}
	dir, remove, err := disk.MkdirTemp("chibi-unsaved-*")
	if err != nil {
		return err
	}
	s.unsaved = dir
	s.closers = append(s.closers, closing(remove))
	return nil
}

// Cache returns the cache of tool outputs of the session's context.
func (s *Session) Cache() cache.Cache {
	kept := s.contents.Cache(s.Name())
	if s.unsaved == "" {
		return kept
	}
	return cache.Over(cache.Open(s.unsaved), kept)
}

// StoreStatus describes the store of a session; false: it keeps files.
func StoreStatus(ctx context.Context, s *Session) (status store.Status, isShared bool, err error) {
	if s.engine == nil {
		return status, false, nil
	}
	status, err = s.place.StatusOf(ctx, s.engine)
	return status, true, err
}

// CachesOf returns the caches of the session's home.
func CachesOf(s *Session) storage.Caches {
	return storage.Caches{Contents: s.contents, Limits: limitsOf(s.Config)}
}

// Cleanup cleans up at the end of a run. A failure is reported and does not fail the run.
func Cleanup(ctx context.Context, s *Session) {
	done, err := CachesOf(s).Cleanup(ctx, storage.Run{Context: s.Name(), IsTransient: s.opts.Transient,
		Destroyed: s.person.destroyed})
	if err != nil {
		s.person.notice("cleaning up: " + err.Error())
	}
	if done.Outputs > 0 {
		s.person.detail("auto-cleanup: removed %d old cache entries (older than %d days)", done.Outputs,
			s.Config.ToolCacheMaxAgeDays)
	}
	if done.IsCut {
		s.person.detail("cleaning up goes on another day; chibi store gc does all of it now")
	}
}

// expire removes expired contexts, with a notice for each.
func expire(ctx context.Context, s *Session) error {
	if s.Store.IsShared() {
		return nil // that takes a list of all contexts: it is done once a day, see Cleanup
	}
	removed, err := s.Store.Expire(ctx, s.Name())
	for _, e := range removed {
		s.person.destroyed(e)
	}
	if err != nil {
		s.person.notice(fmt.Sprintf("removing expired contexts: %v", err))
	}
	return nil
}

// destroyed says that a context is gone.
func (p person) destroyed(e contexts.Expired) {
	p.notice(fmt.Sprintf("context %q was destroyed: %s", e.Name, e.Why))
}
