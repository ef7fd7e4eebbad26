package app

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/chibi-host/chibi/agent"
	"github.com/chibi-host/chibi/contexts"
)

// For makes a session for the named context, with its configuration. It has the plugins
// of this session until [Session.Load] loads the plugins of its configuration. The context
// does not become the current one. Closing the new session leaves this one open.
func (s *Session) For(ctx context.Context, name string) (*Session, error) {
	t := &Session{home: s.home, shared: s.shared, sources: s.borrowed(), opts: s.opts.of(name), from: s.from}
	if err := openStore(ctx, t); err != nil {
		return nil, err
	}
	var err error
	if t.Context, err = t.Store.Context(name); err != nil {
		return nil, UsageError{Err: err}
	}
	t.Agent = &agent.Agent{
		Context: t.Context, Host: s.Agent.Host, Tools: s.Agent.Tools, Gate: s.Agent.Gate, Recipes: s.Agent.Recipes,
		Output: agent.Output{Notice: t.person.notice, Event: t.tracer.Step},
	}
	return t, Configure(ctx, t)
}

// WithLock calls do while nobody else can use the named context: with this session if
// it is its own context, else with a session for that context. The context.Context that
// do gets is cancelled when the lock is lost.
func (s *Session) WithLock(ctx context.Context, name string, do func(context.Context, *Session) error) error {
	t := s
	if name != s.Name() {
		var err error
		if t, err = s.For(ctx, name); err != nil {
			return err
		}
		defer t.Close()
		s.tracer.Context(name)
		defer s.tracer.Context(s.Name())
	}
	if t.owned {
		return do(ctx, t)
	}
	held, unlock, err := lock(ctx, t)
	if err != nil {
		return err
	}
	t.owned = true
	defer func() {
		t.owned = false
		unlock()
	}()
	after := serveScripts(held, t)
	err = do(held, t)
	after()
	return whyEnded(t.Name(), context.Cause(held), err)
}

// lock takes the context's lock, and waits for whoever has it if the options ask for
// that.
func lock(ctx context.Context, s *Session) (held context.Context, unlock func(), err error) {
	held, unlock, err = s.Context.Lock(ctx)
	var locked *contexts.LockedError
	if !s.opts.Wait || !errors.As(err, &locked) {
		return held, unlock, err
	}
	s.person.detail("waiting: %v", err)
	defer s.person.waiting(fmt.Sprintf("context %s (%s)", locked.Context, locked.Holder))()
	return s.Context.WaitLock(ctx)
}

// serveScripts does for plugins that know the files of a home what they need where a store
// that many machines share keeps the context: it sends what they have put into its
// inbox.jsonl, and keeps copies of its files. The function that it returns sends what came
// meanwhile. That a file could not be written or sent fails no turn.
func serveScripts(ctx context.Context, s *Session) (after func()) {
	if !s.Store.IsShared() || s.opts.Purpose != ToWork {
		return func() {}
	}
	notice := func(err error) {
		if err != nil && ctx.Err() == nil {
			s.person.notice(err.Error())
		}
	}
	notice(s.Context.SendDropped(ctx))
	notice(s.Context.KeepCopies(ctx))
	return func() { notice(s.Context.SendDropped(ctx)) }
}

// find returns the name of the context that a word asks for. For a new one it makes the context,
// so that no other run can get the name, unless the run only reads.
func find(ctx context.Context, s *Session, word string) (name string, isNew bool, err error) {
	prefix, isNew := strings.CutPrefix(word, "new:")
	if isNew && prefix == "" {
		return "", true, errors.New("new: lacks a prefix; write new:PREFIX, or new")
	}
	switch {
	case !isNew && word != "new":
		name, err = Resolve(ctx, s.Store, word)
		return name, false, err
	case !isNew:
		prefix = ""
	}
	if s.opts.Purpose == ToRead {
		name, err = s.Store.NewName(ctx, prefix)
	} else {
		name, err = s.Store.New(ctx, prefix)
	}
	return name, true, err
}

// Resolve returns the name of the context that a word means: "-" is the previous one,
// other words are names.
func Resolve(ctx context.Context, store *contexts.Store, word string) (string, error) {
	if word != "-" {
		return word, contexts.ValidName(word)
	}
	state, err := store.State(ctx)
	if err == nil && state.Previous == "" {
		err = errors.New("there is no previous context; use -c NAME to switch to one")
	}
	return state.Previous, err
}

// Existing is like [Resolve], for a context that must exist.
func Existing(ctx context.Context, s *Session, word string) (string, error) {
	name, err := Resolve(ctx, s.Store, word)
	if err != nil {
		return "", UsageError{Err: err}
	}
	if !s.Store.Exists(ctx, name) && name != s.Name() {
		return "", fmt.Errorf("there is no context %q; chibi -L lists them", name)
	}
	return name, nil
}

// lostError reports that a context is no longer reserved for this process.
type lostError struct {
	context string
	err     error // with which what was done ended
}

// Error says what became of the context.
func (e *lostError) Error() string {
	return fmt.Sprintf("context %q is no longer reserved for this run: the run did not reach the store in time. The "+
		"store keeps everything until then, and the next run goes on", e.context)
}

// Unwrap returns that the lease was lost, and with what the run ended.
func (e *lostError) Unwrap() []error { return []error{contexts.ErrLost, e.err} }

// whyEnded returns the error for an operation while a context was reserved, which ended when
// the cause did.
func whyEnded(name string, cause, err error) error {
	var taken *contexts.TakenError
	if err == nil || !errors.Is(cause, contexts.ErrLost) || errors.As(err, &taken) {
		return err
	}
	return &lostError{name, err}
}
