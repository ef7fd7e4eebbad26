package app

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/chibi-host/chibi/agent"
	"github.com/chibi-host/chibi/contexts"
	"github.com/chibi-host/chibi/internal/config"
	"github.com/chibi-host/chibi/internal/disk"
	"github.com/chibi-host/chibi/internal/mcpservers"
)

// Open opens a home. Unless the purpose is [ToRead] it removes leftovers of killed runs
// and expired contexts, and loads the plugins.
func Open(ctx context.Context, opts Options) (*Session, error) {
	s := newSession(opts)
	s.closers = append(s.closers, &s.watchers)
	with := func(step func(context.Context, *Session) error) func(*Session) error {
		return func(s *Session) error { return step(ctx, s) }
	}
	steps := []func(*Session) error{with(openHome), with(openContext), openTrace, openProject}
	if opts.Purpose != ToRead {
		load := func(ctx context.Context, s *Session) error { return s.Load(ctx) }
		steps = []func(*Session) error{with(openHome), with(openContext), tidy, with(dialEarly), with(expire), openTrace,
			openProject, with(load)}
	}
	if opts.Purpose == ToBridge {
		steps = bridgeSteps(ctx)
	}
	for _, step := range steps {
		if err := step(s); err != nil {
			s.Close()
			return nil, err
		}
	}
	return s, nil
}

// newSession returns a session of which nothing is open.
func newSession(opts Options) *Session {
	return &Session{opts: opts, home: home{person: person(opts.Output)}, shared: &shared{replaced: map[string]bool{}}}
}

// Home returns the directory of the home: dir if it is not empty, else $CHIBI_HOME,
// else ~/.chibi.
func Home(dir string) (string, error) {
	home, err := config.Home(dir, os.Getenv)
	if err != nil {
		return "", UsageError{Err: err}
	}
	return home, nil
}

// openHome finds the home, reads where its contexts are kept, and opens them.
func openHome(ctx context.Context, s *Session) (err error) {
	if s.Home, err = Home(s.opts.Home); err != nil {
		return err
	}
	if err := checkHome(s); err != nil {
		return err
	}
	global, err := config.ReadGlobal(s.Home)
	if err != nil {
		_, wrong := contexts.Open(s.Home) // a home that is a file is named as that
		return cmp.Or(wrong, error(UsageError{Err: err}))
	}
	s.global = &global
	if s.opts.Bridge != nil { // what another agent does is traced on this machine, and nothing else is kept
		s.place = s.opts.files(s.Home)
	} else if s.place, err = s.opts.place(s.Home, global, s.opts.Store.URL); err != nil {
		return err
	}
	return openStore(ctx, s)
}

// openContext finds the context of the session and its configuration.
func openContext(ctx context.Context, s *Session) error {
	state, err := s.Store.State(ctx)
	if err != nil {
		return UsageError{Err: err}
	}
	name := state.Current
	s.from = name
	if s.opts.Context != "" {
		if name, s.isNew, err = find(ctx, s.Store, s.opts.Context); err != nil {
			return UsageError{Err: err}
		}
	}
	if s.Context, err = s.Store.Context(name); err != nil {
		return UsageError{Err: err}
	}
	s.Agent = &agent.Agent{Context: s.Context, Output: agent.Output{Notice: s.person.notice}}
	return Configure(ctx, s)
}

// Configure reads the configuration of the session's context again.
func Configure(ctx context.Context, s *Session) (err error) {
	if s.opts.Watched {
		s.stamp, s.global = stampOf(s), nil
	}
	if s.local, err = localConfig(ctx, s); err != nil {
		return err
	}
	if err := checkContext(s); err != nil {
		return UsageError{Err: err}
	}
	if s.Config, err = readConfig(s, s.opts.Set); err != nil {
		if s.local.IsShared && s.local.Check() != nil {
			err = fmt.Errorf("%w; chibi-cluster store settings replaces what is there", err)
		}
		return UsageError{Err: err}
	}
	if s.opts.Permissions.Coding {
		s.Config.Tools.Coding = true
	}
	if err := errors.Join(checkRules(s.Config), mcpservers.Check(configuredServers(s.Config))); err != nil {
		return UsageError{Err: err}
	}
	storage := s.Config.Storage
	s.Store.Storage = contexts.Storage{
		MaxEntries: storage.MaxEntries, MaxTokens: storage.MaxTokens, BytesPerToken: storage.BytesPerToken,
		MaxAge: time.Duration(storage.MaxAgeSeconds) * time.Second,
	}
	limits := s.Config.Limits
	s.Store.Limits = contexts.Limits{Note: limits.NoteBytes, Message: limits.MessageBytes, Inbox: limits.InboxBytes}
	s.Agent.Settings = settings(s, s.Config)
	return nil
}

// readConfig reads the configuration with the local.toml that was read last, and with these
// settings in place of those of the options.
func readConfig(s *Session, set []string) (config.Config, error) {
	global := s.global
	s.global = nil // it may have changed when the configuration is read again
	from := configSources(s, set)
	from.Global = global
	c, err := config.Load(from)
	c.Store = cmp.Or(s.place.URL, config.Files)
	return c, err
}

// configSources are those of the session's configuration, with these settings in place of those of
// the options.
func configSources(s *Session, set []string) config.Sources {
	from := config.Sources{Home: s.Home, Local: s.local, Set: set, Env: os.Getenv,
		Allow: s.opts.Permissions.Allow, Deny: s.opts.Permissions.Deny}
	if s.opts.Within != nil {
		from.Within = s.opts.Within.Settings
	}
	return from
}

// tidy removes leftovers of killed runs.
func tidy(s *Session) error {
	s.Host.Tidy(s.Name())
	for _, path := range disk.OwnTemps(time.Now().Add(-disk.StaleAge)) {
		disk.RemoveTemp(path)
	}
	return nil
}

// expire removes expired contexts, with a notice for each.
func expire(ctx context.Context, s *Session) error {
	if s.Store.IsShared() {
		return nil // that takes a list of all contexts: it is done once a day, see Cleanup
	}
	return expireNow(ctx, s)
}

func expireNow(ctx context.Context, s *Session) error {
	removed, err := s.Store.Expire(ctx, s.Name())
	for _, e := range removed {
		s.person.notice(fmt.Sprintf("context %q was destroyed: %s", e.Name, e.Why))
	}
	if err != nil {
		s.person.notice(fmt.Sprintf("removing expired contexts: %v", err))
	}
	return nil
}
