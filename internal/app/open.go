package app

import (
	"cmp"
	"context"
	"time"

	"github.com/chibi-host/chibi/agent"
	"github.com/chibi-host/chibi/contexts"
	"github.com/chibi-host/chibi/internal/config"
	"github.com/chibi-host/chibi/internal/disk"
)

// Open opens a home. Unless the purpose is [ToRead] it removes leftovers of killed runs
// and expired contexts, and loads the plugins.
func Open(ctx context.Context, opts Options) (*Session, error) {
	s := newSession(opts)
	s.closers = append(s.closers, &s.watchers, closing(func() { endJobs(s) }))
	with := func(step func(context.Context, *Session) error) func(*Session) error {
		return func(s *Session) error { return step(ctx, s) }
	}
	steps := []func(*Session) error{with(openHome), with(openContext), openTrace, openProject}
	load := func(ctx context.Context, s *Session) error { return s.Load(ctx) }
	if opts.Purpose != ToRead {
		steps = []func(*Session) error{with(openHome), with(openContext), tidy, with(dialEarly), with(expire), openTrace,
			openProject, with(load)}
	}
	if opts.Purpose == ToBridge { // nothing changes but the trace, and what plugins answered about themselves
		steps = []func(*Session) error{with(openHome), with(openContext), openTrace, openProject, with(load)}
	}
	for _, step := range steps {
		if err := step(s); err != nil {
			s.Close()
			return nil, err
		}
	}
	return s, nil
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
		if name, s.isNew, err = find(ctx, s, s.opts.Context); err != nil {
			return UsageError{Err: err}
		}
	}
	if s.Context, err = s.Store.Context(name); err != nil {
		return UsageError{Err: err}
	}
	s.Agent = &agent.Agent{Context: s.Context, Output: agent.Output{Notice: s.person.notice}}
	return Configure(ctx, s)
}

// tidy removes leftovers of killed runs.
func tidy(s *Session) error {
	s.Host.Tidy(s.Name())
	for _, path := range disk.OwnTemps(time.Now().Add(-disk.StaleAge)) {
		disk.RemoveTemp(path)
	}
	return nil
}

// Move makes a session for another context that takes the place of this one,
// with its configuration, plugins and model. The context becomes the current one
// if this session's did. After an error this session is as it was; otherwise the
// new one ends what this one started.
func (s *Session) Move(ctx context.Context, word string) (*Session, error) {
	name, isNew, err := find(ctx, s, word)
	if err != nil {
		return nil, UsageError{Err: err}
	}
	t, err := s.For(ctx, name)
	if err != nil {
		return nil, err
	}
	t.from, t.isNew, t.started = s.Name(), isNew, s.started
	t.opts.Transient, t.opts.SystemPrompt = s.opts.Transient, s.opts.SystemPrompt
	s.Agent.Host.Join(ctx) // t has the same plugins
	if err := arrive(ctx, t, s); err != nil {
		t.Close()
		return nil, err
	}
	s.tracer.Close() // its turns are over
	if s.residents != nil {
		go s.residents.Close() // closing t waits for it
	}
	if s.servers != nil {
		go s.servers.Close() // so too
	}
	s.checks.End()
	t.closers = append(s.closers, t.closers...)
	return t, nil
}

// arrive prepares a session that takes the place of another one.
func arrive(ctx context.Context, t, before *Session) error {
	if err := Configure(ctx, t); err != nil {
		return err
	}
	if err := t.Load(ctx); err != nil {
		return err
	}
	t.Agent.Continue(before.Agent)
	ReportSkipped(t)
	if err := t.Connect(); err != nil {
		return err
	}
	return t.Enter(ctx)
}

// OpenStore opens the contexts of a home without a session. The caller calls shut.
func OpenStore(ctx context.Context, opts Options) (contexts *contexts.Store, shut func(), err error) {
	s := newSession(opts)
	if err := openHome(ctx, s); err != nil {
		return nil, nil, err
	}
	return s.Store, s.Close, nil
}
