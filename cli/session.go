package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/chibi-host/chibi/agent"
	"github.com/chibi-host/chibi/cache"
	"github.com/chibi-host/chibi/config"
	"github.com/chibi-host/chibi/contexts"
	"github.com/chibi-host/chibi/hookpoints"
	"github.com/chibi-host/chibi/internal/disk"
	"github.com/chibi-host/chibi/plugin"
	"github.com/chibi-host/chibi/plugin/native"
	"github.com/chibi-host/chibi/tools"
	"github.com/chibi-host/chibi/tools/builtin"
)

// session is a home opened for one run: its context, configuration, plugins
// and the agent that holds the conversation.
type session struct {
	*program
	home      string
	store     *contexts.Store
	from      string // the context that was current before
	config    config.Config
	loaded    plugin.Loaded
	agent     *agent.Agent
	isNew     bool // the context's name was made for this run
	owned     bool // this session holds its context's lock
	closers   []io.Closer
	tracer    *tracer
	traceHook func(plugin.Record) // also receives every record, if set
}

// open reads the home and loads the plugins. Nothing is written yet, but
// contexts whose time is over are removed.
func (p *program) open(ctx context.Context) (*session, error) {
	s := &session{program: p}
	for _, step := range []func(context.Context) error{s.openHome, s.openContext, s.expire, s.openTrace, s.loadPlugins} {
		if err := step(ctx); err != nil {
			s.close()
			return nil, err
		}
	}
	return s, nil
}

// within opens a session for a command, which is a run with its own start and
// end.
func (p *program) within(ctx context.Context, do func(*session) error) (err error) {
	s, err := p.open(ctx)
	if err != nil {
		return err
	}
	defer s.close()
	s.sayLeftOut()
	if err := s.agent.Start(ctx); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.agent.End(ctx)) }()
	if err := s.enter(ctx); err != nil {
		return err
	}
	return do(s)
}

// at is a session for another context, with its configuration, the plugins that
// are loaded and no lock yet.
func (s *session) at(name string) (*session, error) {
	t := &session{program: s.program, home: s.home, from: s.from, loaded: s.loaded, tracer: s.tracer}
	var err error
	if t.store, err = contexts.Open(s.home); err != nil {
		return nil, err
	}
	t.store.Report = s.store.Report
	t.agent = &agent.Agent{Host: s.agent.Host, Tools: s.agent.Tools}
	if t.agent.Context, err = t.store.Context(name); err != nil {
		return nil, usageError{err}
	}
	return t, t.configure()
}

// close ends what the session started.
func (s *session) close() {
	for _, c := range s.closers {
		c.Close()
	}
}

// owning does something while nobody else can use a context: with this session
// if it is its own context, else with one for that context.
func (s *session) owning(ctx context.Context, name string, do func(*session) error) error {
	t := s
	if name != s.agent.Context.Name() {
		var err error
		if t, err = s.at(name); err != nil {
			return err
		}
		defer t.close()
	}
	if t.owned {
		return do(t)
	}
	unlock, err := t.lock(ctx)
	if err != nil {
		return err
	}
	t.owned = true
	defer func() {
		t.owned = false
		unlock()
	}()
	return do(t)
}

// lock takes the context's lock; with --wait it waits for whoever has it.
func (s *session) lock(ctx context.Context) (unlock func(), err error) {
	unlock, err = s.agent.Context.Lock()
	var locked *contexts.LockedError
	if !s.opts.wait || !errors.As(err, &locked) {
		return unlock, err
	}
	s.detail("waiting: %v", err)
	done := s.screen.waiting(fmt.Sprintf("context %s (%s)", locked.Context, locked.Holder))
	defer done()
	return s.agent.Context.WaitLock(ctx)
}

func (s *session) openHome(context.Context) (err error) {
	if s.home, err = config.Home(s.opts.home, os.Getenv); err != nil {
		return usageError{err}
	}
	s.store, err = contexts.Open(s.home)
	if err == nil {
		s.store.Report = func(text string) { s.notice(text) }
	}
	return err
}

// openContext finds the context of this run and its configuration.
func (s *session) openContext(context.Context) error {
	name, err := s.contextName()
	if err != nil {
		return usageError{err}
	}
	s.agent = &agent.Agent{}
	if s.agent.Context, err = s.store.Context(name); err != nil {
		return usageError{err}
	}
	return s.configure()
}

// configure reads the configuration of the session's context.
func (s *session) configure() (err error) {
	s.config, err = config.Load(config.Sources{
		Home: s.home, Context: s.agent.Context.Name(), Set: s.opts.overrides(), Env: os.Getenv,
	})
	if err != nil {
		return usageError{err}
	}
	storage := s.config.Storage
	s.store.Storage = contexts.Storage{
		MaxEntries: storage.MaxEntries, MaxTokens: storage.MaxTokens, BytesPerToken: storage.BytesPerToken,
		MaxAge: time.Duration(storage.MaxAgeSeconds) * time.Second,
	}
	if s.agent.Model != nil {
		s.agent.Settings = s.settings()
	}
	return nil
}

// contextName is the context that the flags ask for: -C, then -c, then the
// current one.
func (s *session) contextName() (name string, err error) {
	state, err := s.store.State()
	if err != nil {
		return "", err
	}
	s.from = state.Current
	for _, wanted := range [][]string{s.opts.transient, s.opts.switchTo} {
		if wanted == nil {
			continue
		}
		prefix, hasPrefix := strings.CutPrefix(wanted[0], "new:")
		s.isNew = hasPrefix || wanted[0] == "new"
		switch {
		case hasPrefix && prefix == "":
			return "", errors.New("new: lacks a prefix; write new:PREFIX, or new")
		case hasPrefix:
			return s.store.NewName(prefix)
		case s.isNew:
			return s.store.NewName("")
		}
		return s.resolve(wanted[0])
	}
	return s.from, nil
}

// expire removes contexts whose time is over, and says so.
func (s *session) expire(context.Context) error {
	removed, err := s.store.Expire(s.agent.Context.Name())
	for _, e := range removed {
		s.notice(fmt.Sprintf("context %q was destroyed: %s", e.Name, e.Why))
	}
	if err != nil {
		s.notice(fmt.Sprintf("removing contexts whose time is over: %v", err))
	}
	return nil
}

// openTrace begins the trace file.
func (s *session) openTrace(context.Context) error {
	s.tracer = &tracer{verbose: s.opts.verbose, line: s.screen.line}
	if s.opts.trace == "" {
		return nil
	}
	file, err := disk.Create(s.opts.trace)
	if err != nil {
		return fmt.Errorf("opening the trace file: %w", err)
	}
	s.tracer.file = file
	s.closers = append(s.closers, file)
	return nil
}

func (s *session) pluginsDir() string { return filepath.Join(s.home, "plugins") }

// loadPlugins asks every plugin for its schema and says what was left out.
func (s *session) loadPlugins(ctx context.Context) (err error) {
	if !s.opts.noPlugins {
		done := s.screen.waiting("plugins")
		s.loaded, err = native.Load(ctx, s.nativeOptions())
		done()
		if err != nil {
			return err
		}
	}
	s.agent.Host = &plugin.Host{
		Plugins: s.loaded.Plugins,
		Trace:   s.record,
		Notify:  func(n plugin.Notice) { s.notice(n.String()) },
		Waiting: func(point hookpoints.Name, name string) func() {
			return s.screen.waiting(fmt.Sprintf("%s (hook %s)", name, point))
		},
	}
	return s.collectTools()
}

// sayLeftOut tells the person which plugins they miss, and why.
func (s *session) sayLeftOut() {
	for _, skipped := range s.loaded.LeftOut {
		if skipped.Meant {
			s.notice(fmt.Sprintf("plugin %q left out: %s", skipped.Name, skipped.Reason))
		}
	}
	for _, n := range s.loaded.Notices {
		s.notice(n.String())
	}
	for _, name := range slices.Sorted(maps.Keys(s.config.Plugins.ByName)) {
		if !s.opts.noPlugins && !s.hasPlugin(name) {
			s.notice(fmt.Sprintf("the configuration has [plugins.%s], but there is no such file in %s", name, s.pluginsDir()))
		}
	}
}

// hasPlugin says whether the plugins folder has an entry of this name.
func (s *session) hasPlugin(name string) bool {
	return slices.ContainsFunc(s.loaded.Plugins, func(p plugin.Plugin) bool { return p.Name == name }) ||
		slices.ContainsFunc(s.loaded.LeftOut, func(p plugin.LeftOut) bool { return p.Name == name })
}

func (s *session) record(r plugin.Record) {
	s.tracer.record(r)
	if s.traceHook != nil {
		s.traceHook(r)
	}
}

// collectTools puts all tools into one set, in the order of offering.
func (s *session) collectTools() error {
	s.agent.Cache = s.cache()
	s.agent.Tools = &tools.Set{}
	for _, p := range s.loaded.Plugins {
		if err := s.agent.Tools.Add(p.Tools...); err != nil {
			return err
		}
	}
	return s.agent.Tools.Add(builtin.All(builtin.Config{
		Notes: s.agent.Context, Post: s.agent.Post,
		Reflection: s.config.ReflectionEnabled, ReflectionLimit: s.config.ReflectionCharacterLimit,
		Files: builtin.Files{Cache: s.agent.Cache, Allowed: s.config.FileToolsAllowedPaths, Home: userHome()},
	})...)
}

func (s *session) nativeOptions() native.Options {
	set := s.config.Plugins
	ms := func(n int) time.Duration { return time.Duration(n) * time.Millisecond }
	overrides := map[string]plugin.Override{}
	for name, o := range set.ByName {
		overrides[name] = plugin.Override{
			Timeout: ms(o.TimeoutMS), OnFailure: plugin.Failure(o.OnFailure), Disabled: !o.Enabled,
		}
	}
	return native.Options{
		Dir: s.pluginsDir(), Home: s.home, Context: s.agent.Context.Name(), Verbose: s.opts.verbose,
		Exec:  plugin.Exec{Env: s.pluginEnv, Stderr: s.screen.Stderr(), Terminal: s.stdin},
		Spool: s.cache().Spool, MaxToolOutput: int64(set.MaxToolOutputBytes),
		ProbeTimeout: ms(set.ProbeTimeoutMS), HookTimeout: ms(set.HookTimeoutMS), ToolTimeout: ms(set.ToolTimeoutMS),
		AllowLinks: set.AllowLinks, Overrides: overrides, Reserved: builtin.Names(),
	}
}

// cache is the cache of tool outputs of the session's context.
func (s *session) cache() *cache.Cache { return cache.Open(s.agent.Context.CacheFolder()) }

// userHome is the person's home folder, "" if there is none.
func userHome() string {
	home, _ := os.UserHomeDir()
	return home
}

// findTool finds a tool by its name, or by the name of the plugin that has it.
func (s *session) findTool(name string) (tools.Tool, error) {
	if tool, ok := s.agent.Tools.Lookup(name); ok {
		return tool, nil
	}
	for _, p := range s.loaded.Plugins {
		if p.Name == name && len(p.Tools) > 0 {
			return p.Tools[0], nil
		}
	}
	return nil, usage("there is no tool or plugin %q; chibi plugin list names them", name)
}

// detail prints a remark for a person who wants to know more.
func (s *session) detail(format string, args ...any) {
	if s.opts.verbose {
		s.screen.line("[" + fmt.Sprintf(format, args...) + "]")
	}
}

// notice prints a sentence for the person, once.
func (s *session) notice(text string) {
	if !s.said[text] {
		s.said[text] = true
		s.screen.notef("%s", text)
	}
}
