package app

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/chibi-host/chibi/hookpoints"
	"github.com/chibi-host/chibi/internal/agents/engine"
	"github.com/chibi-host/chibi/internal/agents/hooks"
	"github.com/chibi-host/chibi/internal/agents/theirs"
	"github.com/chibi-host/chibi/internal/config"
	"github.com/chibi-host/chibi/internal/project"
	"github.com/chibi-host/chibi/internal/within"
	"github.com/chibi-host/chibi/plugin"
	"github.com/chibi-host/chibi/plugin/native"
	"github.com/chibi-host/chibi/plugin/oneshot"
	"github.com/chibi-host/chibi/plugin/process"
	"github.com/chibi-host/chibi/plugin/resident"
	"golang.org/x/sync/errgroup"
)

// Loader finds the plugins of a session according to its configuration and options.
type Loader struct {
	home    string // chibi's
	told    string // the home that plugins get
	context string
	config  config.Config
	opts    Options
	project project.Project
	env     environment
	lender  *process.Lender
	stay    *resident.Group
	spool   func() (process.Spool, error)
	notice  func(string)
	// about tells hooks of coding agents what is known about the run.
	about func(context.Context) engine.Run
	// ways are how chibi asks hooks that are not commands.
	ways hooks.Ways
	// waiting shows what a hook says while it works.
	waiting func(string) func()
	// mark is what commands of the model get.
	mark func(tool string) within.Mark
	// left are the variables that hooks leave for later commands.
	left *theirs.Variables
	// atEnd has a function called at the end of the session.
	atEnd func(func())
}

// Loader returns a loader for the session's present configuration.
func (s *Session) Loader() *Loader {
	l := &Loader{
		home: s.Home, told: toldHome(s), context: s.Name(), config: s.Config, opts: s.opts, project: s.Project,
		env: newEnvironment(s.opts.Plugins.Environ, s.Config, s.place.URL), lender: terminalLender(s),
		stay:  s.residents,
		spool: func() (process.Spool, error) { return s.Cache().SpillFile() }, notice: s.person.notice,
		about: func(context.Context) engine.Run { return aboutRun(s) }, ways: waysOf(s),
		waiting: s.person.waiting, left: &s.left,
		mark:  func(tool string) within.Mark { return markFor(s, tool) },
		atEnd: func(do func()) { s.closers = append(s.closers, closing(do)) },
	}
	// Programs that are tried out may be the model's own.
	m := s.opts.Within
	l.env.marked = s.opts.Plugins.Environ != nil || s.opts.Purpose == ToRead ||
		m != nil && (m.Scratch || !project.IsSameFile(s.Home, m.Home))
	return l
}

// Dir returns the directory of chibi's plugins.
func (l *Loader) Dir() string { return pluginDir(l.opts.Plugins.Dir, l.home) }

// Runner runs the processes of plugins.
func (l *Loader) Runner() process.Runner {
	set := l.config.Plugins
	stderr := l.opts.Plugins.Stderr
	if set.RawStderr && l.opts.Plugins.RawStderr != nil {
		stderr = l.opts.Plugins.RawStderr
	}
	return process.Runner{
		Env: l.env.list(set.HideKey), Drop: native.PerCall(), Stderr: stderr, Terminal: l.opts.Plugins.Terminal,
		Lender: l.lender, NoTerminal: l.opts.Plugins.NoTerminal, MaxStderr: int64(l.config.Limits.PluginStderrBytes),
	}
}

// all finds the plugins of all protocols, in their order. The protocols are probed
// concurrently; the first error in that order is returned.
func (l *Loader) all(ctx context.Context, prober *oneshot.Prober) ([]plugin.Loaded, error) {
	foreign := func(context.Context, *oneshot.Prober) (plugin.Loaded, error) { return theirs.Load(l.hooks()), nil }
	loaders := []func(context.Context, *oneshot.Prober) (plugin.Loaded, error){l.native, l.kodelet, foreign}
	found, errs := make([]plugin.Loaded, len(loaders)), make([]error, len(loaders))
	var all errgroup.Group
	for i, load := range loaders {
		all.Go(func() error {
			found[i], errs[i] = load(ctx, prober)
			return nil
		})
	}
	all.Wait()
	for _, err := range errs {
		if err != nil {
			return nil, err
		}
	}
	return slices.Insert(found, 2, l.kode()), nil
}

// overrides returns the person's settings for single plugins.
func (l *Loader) overrides() map[string]plugin.Override {
	overrides := map[string]plugin.Override{}
	for name, o := range l.config.Plugins.ByName {
		override := plugin.Override{
			Timeout: ms(o.TimeoutMS), OnFailure: plugin.Failure(o.OnFailure), Disabled: !o.Enabled, Stdin: o.Stdin,
			Pure: o.Pure, Hooks: map[hookpoints.Name]plugin.HookOverride{},
		}
		if o.HideKey != nil {
			override.Env = l.env.list(*o.HideKey)
		}
		for _, point := range o.Guards {
			override.Guards = append(override.Guards, hookpoints.Name(point))
		}
		for point, hook := range o.Hooks {
			override.Hooks[point] = plugin.HookOverride{Timeout: ms(hook.TimeoutMS), OnFailure: plugin.Failure(hook.OnFailure)}
		}
		overrides[name] = override
	}
	return overrides
}

// KeyVariables lists the variables in the environment of plugins that hold the model's
// key or what opens the store.
func (l *Loader) KeyVariables() (names []string) {
	for _, pair := range l.env.list(false) {
		if name, value, _ := strings.Cut(pair, "="); value != "" && l.env.isKey(name, value) {
			names = append(names, name)
		}
	}
	return names
}

// hooks says which hooks of coding agents are loaded.
func (l *Loader) hooks() theirs.Options {
	var keeping func(string) *hooks.Keeping
	if l.opts.Bridge != nil {
		keeping = l.opts.Bridge.Keeping
	}
	return theirs.Options{Keeping: keeping, Home: l.home, Told: l.told, Version: l.opts.Version, Project: l.project,
		Agents: agentsOf(l.config, l.opts.inAgent()), In: l.opts.inAgent(), Off: !l.opts.Plugins.asksOthers(),
		Runner: l.Runner, Overrides: l.overrides, About: l.about, Ways: l.ways,
		Left: l.left, AtEnd: l.atEnd, Notice: l.notice, Waiting: l.waiting}
}

// HooksOf says which hooks of coding agents run in a session.
func HooksOf(s *Session) theirs.Options { return s.Loader().hooks() }

// HooksIn says which hooks of coding agents run in the sessions of another agent.
func (l *Loader) HooksIn(agent string) theirs.Options {
	o := l.hooks()
	o.In, o.Agents = agent, agentsOf(l.config, agent)
	return o
}

// aboutRun returns the facts about the session's run. The conversation comes with each event.
func aboutRun(s *Session) engine.Run {
	about := engine.Run{Cwd: s.Project.Dir, Home: s.Project.User, Model: s.Config.Model, Mode: "run",
		Trusted: s.opts.Permissions.TrustTools, Now: time.Now()}
	if effort := s.Config.API.Reasoning.Effort; effort != nil {
		about.Effort = *effort
	}
	return about
}
