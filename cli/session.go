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
	"time"

	"github.com/chibi-host/chibi/agent"
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
	loaded    native.Loaded
	agent     *agent.Agent
	closers   []io.Closer
	tracer    *tracer
	traceHook func(plugin.Record) // also receives every record, if set
}

// open reads the home and loads the plugins. Nothing is written yet.
func (p *program) open(ctx context.Context) (*session, error) {
	s := &session{program: p}
	for _, step := range []func(context.Context) error{s.openHome, s.openContext, s.openTrace, s.loadPlugins} {
		if err := step(ctx); err != nil {
			s.close()
			return nil, err
		}
	}
	return s, nil
}

// close ends what the session started.
func (s *session) close() {
	for _, c := range s.closers {
		c.Close()
	}
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
	s.config, err = config.Load(config.Sources{Home: s.home, Context: name, Set: s.opts.set, Env: os.Getenv})
	if err != nil {
		return usageError{err}
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
	wanted := s.opts.transient
	if wanted == "" {
		wanted = s.opts.switchTo
	}
	switch wanted {
	case "":
		return s.from, nil
	case "-":
		if state.Previous == "" {
			return "", errors.New("there is no previous context; use -c NAME to switch to one")
		}
		return state.Previous, nil
	}
	return wanted, nil
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
	for _, skipped := range s.loaded.Skipped {
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
		slices.ContainsFunc(s.loaded.Skipped, func(p native.Skipped) bool { return p.Name == name })
}

func (s *session) record(r plugin.Record) {
	s.tracer.record(r)
	if s.traceHook != nil {
		s.traceHook(r)
	}
}

// collectTools puts all tools into one set, in the order of offering.
func (s *session) collectTools() error {
	s.agent.Tools = &tools.Set{}
	for _, p := range s.loaded.Plugins {
		if err := s.agent.Tools.Add(p.Tools...); err != nil {
			return err
		}
	}
	return s.agent.Tools.Add(builtin.All()...)
}

func (s *session) nativeOptions() native.Options {
	set := s.config.Plugins
	ms := func(n int) time.Duration { return time.Duration(n) * time.Millisecond }
	overrides := map[string]native.Override{}
	for name, o := range set.ByName {
		overrides[name] = native.Override{
			Timeout: ms(o.TimeoutMS), OnFailure: plugin.Failure(o.OnFailure), Disabled: !o.Enabled,
		}
	}
	return native.Options{
		Dir: s.pluginsDir(), Home: s.home, Context: s.agent.Context.Name(), Verbose: s.opts.verbose,
		Exec:         plugin.Exec{Env: s.pluginEnv, Stderr: s.screen.Stderr(), Terminal: s.stdin},
		ProbeTimeout: ms(set.ProbeTimeoutMS), HookTimeout: ms(set.HookTimeoutMS), ToolTimeout: ms(set.ToolTimeoutMS),
		AllowLinks: set.AllowLinks, Overrides: overrides, Reserved: builtin.Names(),
	}
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

// notice prints a sentence for the person, once.
func (s *session) notice(text string) {
	if !s.said[text] {
		s.said[text] = true
		s.screen.notef("%s", text)
	}
}
