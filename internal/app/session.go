package app

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"sync"

	"github.com/chibi-host/chibi/agent"
	"github.com/chibi-host/chibi/cache"
	"github.com/chibi-host/chibi/contexts"
	"github.com/chibi-host/chibi/internal/agents/hooks"
	"github.com/chibi-host/chibi/internal/config"
	"github.com/chibi-host/chibi/internal/confine"
	"github.com/chibi-host/chibi/internal/mcpservers"
	"github.com/chibi-host/chibi/internal/project"
	"github.com/chibi-host/chibi/internal/recipes"
	"github.com/chibi-host/chibi/internal/storage"
	"github.com/chibi-host/chibi/internal/trace"
	"github.com/chibi-host/chibi/llm/openai"
	"github.com/chibi-host/chibi/plugin"
	"github.com/chibi-host/chibi/plugin/process"
	"github.com/chibi-host/chibi/plugin/resident"
	"github.com/chibi-host/chibi/store"
	"github.com/chibi-host/chibi/tools/coding"
)

// Session is an open home with one context: its configuration, the plugins and the
// agent that holds the conversation. It is not safe for concurrent use.
type Session struct {
	home
	*shared
	sources
	running

	// Store opens the contexts, by the limits of the configuration.
	Store *contexts.Store
	// Host is what the home keeps on this machine wherever the contexts are.
	Host contexts.Host
	// Context is the context of the conversation.
	Context contexts.Context
	// Config is the configuration of the context.
	Config config.Config
	// Agent holds the conversation. It can ask the model after [Session.Connect].
	Agent *agent.Agent
	// Recipe is the recipe that the prompt comes from; nil: none.
	Recipe *recipes.Recipe

	opts     Options
	contents *storage.Contents // Store and Host, with their caches
	local    config.Local      // the context's local.toml as it was read last
	global   *config.Global    // config.toml as it was read to find the store; nil: it is read
	stamp    string            // what stampOf said before anything was read; "": it was not asked
	from     string            // the context that was current before
	isNew    bool              // the context has a new name
	started  bool              // on_start was fired
	owned    bool              // this session holds its context's lock
	closers  []io.Closer       // in the order of opening
}

// home is where a run works. Nothing changes it once it is open.
type home struct {
	// Home is the home's directory.
	Home string
	// Project is the current directory with the approval of its files.
	Project project.Project

	place  storage.Place // where the contexts are kept
	person person
}

// shared is what the sessions of a run share and change.
type shared struct {
	engine       *store.Engine // of a store that machines share, nil for files
	trace        io.Writer     // the file of Options.Trace, nil: none
	instructions instructionsText
	reads        coding.Reads     // what the model knows of files
	left         hooks.Variables  // that hooks of agents leave for later commands
	watchers     confine.Watchers // of what commands in the sandbox must not change
	replaced     map[string]bool  // names of coding tools of which was said that a plugin brings its own
	lending      sync.Once
	lender       *process.Lender // of the terminal
}

// sources are what the agent asks. A session has those of the one that it comes from until it
// loads its own.
type sources struct {
	// Loaded are the plugins, and those that were skipped.
	Loaded plugin.Loaded

	tracer     *trace.Tracer
	isBorrowed bool
}

// borrowed returns them for another session.
func (s sources) borrowed() sources {
	s.isBorrowed = true
	return s
}

// running is what a session itself has started.
type running struct {
	server *openai.Client // connected early; nil: it is not
	// residents are the processes of resident plugins; nil until they are loaded.
	residents *resident.Group
	// servers are the MCP servers whose tools the session offers; nil: there are none.
	// serverProblems are about others.
	servers        *mcpservers.Host
	serverProblems []error
	checks         *checks // of what plugins answered, from the last Load; nil: none
}

// Close ends what the session started. It may be called more than once.
func (s *Session) Close() {
	s.checks.end()
	for _, c := range slices.Backward(s.closers) {
		c.Close()
	}
	s.closers = nil
}

// Name returns the name of the session's context.
func (s *Session) Name() string { return s.Context.Name() }

// For makes a session for the named context, with its configuration. It has the plugins
// of this session until [Session.Load] loads those of its configuration. The context
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
		Output: agent.Output{Notice: t.person.notice},
	}
	return t, Configure(ctx, t)
}

// Move makes a session for another context that takes the place of this one,
// with its configuration, plugins and model. The context becomes the current one
// if this session's did. After an error this session is as it was; otherwise the
// new one ends what this one started.
func (s *Session) Move(ctx context.Context, word string) (*Session, error) {
	name, isNew, err := find(ctx, s.Store, word)
	if err != nil {
		return nil, UsageError{Err: err}
	}
	t, err := s.For(ctx, name)
	if err != nil {
		return nil, err
	}
	t.from, t.isNew, t.started = s.Name(), isNew, s.started
	t.opts.Transient, t.opts.SystemPrompt = s.opts.Transient, s.opts.SystemPrompt
	s.Agent.Host.Join(ctx) // its plugins are those of t too
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
	s.checks.end()
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

// Cache returns the cache of tool outputs of the session's context.
func (s *Session) Cache() cache.Cache { return s.contents.Cache(s.Name()) }
