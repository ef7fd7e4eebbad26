package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/chibi-host/chibi/agent"
	"github.com/chibi-host/chibi/cache"
	"github.com/chibi-host/chibi/contexts"
	"github.com/chibi-host/chibi/internal/config"
	"github.com/chibi-host/chibi/internal/disk"
	"github.com/chibi-host/chibi/internal/recipes"
	"github.com/chibi-host/chibi/internal/term"
	"github.com/chibi-host/chibi/plugin"
	"github.com/chibi-host/chibi/plugin/process"
	"github.com/chibi-host/chibi/tools"
	"github.com/chibi-host/chibi/tools/builtin"
)

// session is a home opened for one run: its context, configuration, plugins
// and the agent that holds the conversation.
type session struct {
	*program
	home    string
	store   *contexts.Store
	from    string // the context that was current before
	config  config.Config
	loaded  plugin.Loaded
	agent   *agent.Agent
	lender  *process.Lender
	recipe  *recipes.Recipe // what this run's prompt comes from; nil for none
	project project
	// systemPrompt is what -e says; nil: nothing.
	systemPrompt *string
	isNew        bool // the context's name was made for this run
	owned        bool // this session holds its context's lock
	closers      []io.Closer
	tracer       *tracer
	traceFile    io.Writer           // the file that --trace names, nil for none
	traceHook    func(plugin.Record) // also receives every record, if set
}

// open reads the home and loads the plugins. Nothing is written yet, but
// contexts whose time is over are removed.
func (p *program) open(ctx context.Context) (*session, error) {
	s := &session{program: p}
	for _, step := range []func(context.Context) error{s.openHome, s.readSystemPrompt, s.openContext, s.tidy,
		s.expire, s.openTrace, s.openProject, s.loadPlugins} {
		if err := step(ctx); err != nil {
			s.close()
			return nil, err
		}
	}
	return s, nil
}

// openWithoutPlugins opens what is needed to read a home, and asks no plugins.
func (p *program) openWithoutPlugins() (*session, error) {
	s := &session{program: p}
	for _, step := range []func(context.Context) error{s.openHome, s.openContext, s.openProject} {
		if err := step(context.Background()); err != nil {
			s.close()
			return nil, err
		}
	}
	return s, nil
}

// within opens a session for a command, which is a run with its own start and
// end, and neither asks the model nor calls a tool.
func (p *program) within(ctx context.Context, do func(*session) error) error {
	p.idle = true
	return p.working(ctx, do)
}

// working is within for a command that asks the model or calls a tool.
func (p *program) working(ctx context.Context, do func(*session) error) (err error) {
	s, err := p.open(ctx)
	if err != nil {
		return err
	}
	defer s.close()
	s.sayLeftOut()
	end, err := s.begin(ctx)
	defer func() { err = errors.Join(err, end(err)) }()
	if err != nil {
		return err
	}
	if err := s.enter(ctx); err != nil {
		return err
	}
	return do(s)
}

// begin starts a run: on_start fires. A run that asks the model or calls a tool
// does not start without the guards that it must have, nor if a plugin refuses
// it. end ends what was started.
func (s *session) begin(ctx context.Context) (end func(failure error) error, err error) {
	if !s.idle {
		if err := s.admit(); err != nil {
			return func(error) error { return nil }, err
		}
	}
	end = func(failure error) error { return s.agent.End(ctx, failure) }
	err = s.agent.Start(ctx)
	var stopped *plugin.StartError
	if s.idle && errors.As(err, &stopped) {
		s.notice(err.Error() + "; went on, as this run asks no model and calls no tool")
		err = nil
	}
	return end, err
}

// at is a session for another context, with its configuration, the plugins that
// are loaded and no lock yet.
func (s *session) at(name string) (*session, error) {
	t := &session{program: s.program, home: s.home, from: s.from, loaded: s.loaded, tracer: s.tracer, project: s.project}
	var err error
	if t.store, err = contexts.Open(s.home); err != nil {
		return nil, err
	}
	t.store.Report = s.store.Report
	t.agent = &agent.Agent{Host: s.agent.Host, Tools: s.agent.Tools, Recipes: s.agent.Recipes}
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
		s.tracer.writer.Context(name)
		defer s.tracer.writer.Context(s.agent.Context.Name())
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
	s.agent = &agent.Agent{Output: agent.Output{Notice: s.notice}}
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
	limits := s.config.Limits
	s.store.Limits = contexts.Limits{Note: limits.NoteBytes, Message: limits.MessageBytes, Inbox: limits.InboxBytes}
	s.agent.Settings = s.settings()
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

// tidy removes what runs that were killed have left.
func (s *session) tidy(context.Context) error {
	if err := s.store.Tidy(s.agent.Context.Name()); err != nil {
		s.notice(fmt.Sprintf("removing what is left of deleted contexts: %v", err))
	}
	for _, path := range disk.OwnTemps(time.Now().Add(-disk.StaleAge)) {
		disk.RemoveTemp(path)
	}
	return nil
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
		Files: builtin.Files{Cache: s.cache(), Allowed: s.config.FileToolsAllowedPaths,
			Home: userHome(), Private: s.home},
	})...)
}

// cache is the cache of tool outputs of the session's context.
func (s *session) cache() cache.Cache { return cache.Open(s.agent.Context.CacheFolder()) }

// findTool finds a tool by its name, or by the name of the plugin that has it.
func (s *session) findTool(name string) (tools.Tool, error) {
	if tool, ok := s.agent.Tools.Lookup(name); ok {
		return tool, nil
	}
	for _, p := range s.loaded.Plugins {
		switch {
		case p.Name == name && len(p.Tools) > 0:
			return p.Tools[0], nil
		case p.Name == name || slices.Contains(p.NotTools, name):
			return nil, hooksOnly(&p)
		}
	}
	return nil, usage("there is no tool or plugin %q; chibi plugin list names them", name)
}

// hooksOnly is the error of a call of a plugin that has no tool.
func hooksOnly(p *plugin.Plugin) error {
	if len(p.Hooks) == 0 {
		return usage("plugin %q offers no tool", p.Name)
	}
	var names []string
	for _, name := range p.Hooks {
		names = append(names, string(name))
	}
	return usage("plugin %q offers no tool, it only has hooks (%s); to try one: chibi hook fire %s --plugin %s", p.Name,
		strings.Join(names, ", "), names[0], term.ShellWord(p.Name))
}

// detail prints a remark for a person who wants to know more.
func (s *session) detail(format string, args ...any) {
	if s.opts.verbose {
		s.screen.line("[" + fmt.Sprintf(format, args...) + "]")
	}
}

// notice prints a sentence for the person, once.
func (p *program) notice(text string) {
	if !p.said[text] {
		p.said[text] = true
		p.screen.notef("%s", text)
	}
}
