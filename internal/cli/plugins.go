package cli

import (
	"context"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/chibi-host/chibi/hookpoints"
	"github.com/chibi-host/chibi/internal/recipes"
	"github.com/chibi-host/chibi/internal/term"
	"github.com/chibi-host/chibi/internal/workbench/installed"
	"github.com/chibi-host/chibi/plugin"
	"github.com/chibi-host/chibi/plugin/kode"
	"github.com/chibi-host/chibi/plugin/kodelet"
	"github.com/chibi-host/chibi/plugin/native"
	"github.com/chibi-host/chibi/plugin/oneshot"
	"github.com/chibi-host/chibi/plugin/process"
	"github.com/chibi-host/chibi/tools/builtin"
	"github.com/google/uuid"
)

// pluginsDir is the folder of chibi's plugins.
func (s *session) pluginsDir() string {
	if s.pluginsFolder != "" {
		return s.pluginsFolder
	}
	return filepath.Join(s.home, "plugins")
}

// loadPlugins finds the plugins of all protocols. Their order is that in which
// they are asked: chibi's own, Kodelet's hooks, Kode's hooks, the handlers of
// the run's recipe and of the program.
func (s *session) loadPlugins(ctx context.Context) error {
	done := s.screen.waiting("plugins")
	defer done()
	asked, err := s.askAll(ctx)
	if err != nil {
		return err
	}
	handlers, err := s.loadHandlers()
	if err != nil {
		return err
	}
	s.loaded = plugin.Loaded{}
	for _, found := range append(asked, s.loadKode(), handlers) {
		s.loaded.Add(found)
	}
	s.agent.Host = &plugin.Host{
		Plugins: s.loaded.Plugins, MaxAnswers: int64(s.config.Limits.HookAnswersBytes),
		Trace:  s.record,
		Fired:  s.tracer.fired,
		Notify: func(n plugin.Notice) { s.notice(n.String()) },
		Waiting: func(point hookpoints.Name, name string) func() {
			return s.screen.waiting(fmt.Sprintf("%s (hook %s)", name, point))
		},
	}
	s.agent.Recipes = s.prepareRecipe
	return s.collectTools()
}

// loadNative asks the plugins of the home's folder for their schemas. With
// --no-hooks only their tools count.
func (s *session) loadNative(ctx context.Context, prober *oneshot.Prober) (plugin.Loaded, error) {
	if s.opts.noPlugins {
		return plugin.Loaded{}, nil
	}
	opts := s.nativeOptions()
	opts.Prober = prober
	loaded, err := native.Load(ctx, opts)
	if err != nil && ctx.Err() == nil {
		return loaded, s.unreadable(err)
	}
	loaded.Notices = append(loaded.Notices, s.changedPlugins()...)
	for i := range loaded.Plugins {
		if s.opts.noHooks {
			loaded.Plugins[i].Hooks = nil
		}
	}
	return loaded, err
}

// unreadable is the error of a run whose plugins folder cannot be read.
func (s *session) unreadable(err error) error {
	for name, set := range s.config.Plugins.ByName {
		if set.Enabled && isRequired(set) && !strings.Contains(name, ":") && s.expects(name) {
			return &guardsError{[]missingGuard{{name, err.Error()}}}
		}
	}
	return err
}

// changedPlugins tells of installed plugins that are not as they were.
func (s *session) changedPlugins() (notices []plugin.Notice) {
	list, err := installed.Read(s.home)
	if err != nil {
		s.notice(err.Error())
	}
	for _, name := range slices.Sorted(maps.Keys(list)) {
		if one := list[name]; !one.Link && changed(one, filepath.Join(s.pluginsDir(), name)) {
			notices = append(notices, plugin.Notice{Plugin: name,
				Text: "it has changed since it was installed; see chibi plugin show " + name})
		}
	}
	return notices
}

// foreign reports whether other programs' hooks are asked.
func (s *session) foreign() bool { return !s.opts.noPlugins && !s.opts.noHooks && !s.nativeOnly }

// loadKodelet finds Kodelet's hooks: those of the current folder that are
// approved, then the person's own.
func (s *session) loadKodelet(ctx context.Context, prober *oneshot.Prober) (plugin.Loaded, error) {
	if !s.foreign() {
		return plugin.Loaded{}, nil
	}
	set := s.config.Plugins
	return kodelet.Load(ctx, kodelet.Options{
		Dirs: s.hookFolders(), Runner: s.runner(), Prober: prober,
		Answers:      filepath.Join(s.toldHome(), "kodelet-events.json"),
		QueryTimeout: ms(set.ProbeTimeoutMS), HookTimeout: ms(set.HookTimeoutMS), Overrides: s.overrides(),
		Conversation: s.agent.Context.Name(), Dir: s.project.dir,
		AutoCompact: s.config.AutoCompact, Threshold: s.config.AutoCompactThreshold / 100,
	})
}

// loadKode takes Kode's hooks from the configuration.
func (s *session) loadKode() plugin.Loaded {
	if !s.foreign() {
		return plugin.Loaded{}
	}
	opts := kode.Options{
		Dir: s.home, UserHome: userHome(), WorkDir: s.project.dir, Session: uuid.NewString(), Runner: s.runner(),
		Overrides: s.overrides(),
		Idle:      s.idle,
	}
	for _, h := range s.config.Kode {
		opts.Hooks = append(opts.Hooks, kode.Hook{Event: h.Event, Exec: h.Exec, Args: h.Args, Timeout: ms(h.TimeoutMS)})
	}
	return kode.Load(opts)
}

// builtIn is the protocol of handlers that are part of the program.
const builtIn = "built in"

// loadHandlers finds the run's recipe and makes its handlers, and the program's
// own one that compacts.
func (s *session) loadHandlers() (loaded plugin.Loaded, err error) {
	full := s.config.AutoCompactThreshold / 100
	if s.opts.recipe != nil {
		if s.recipe, err = s.library().Find(s.opts.recipe[0]); err != nil {
			return loaded, usageError{err}
		}
		if loaded.Plugins, err = s.recipe.Plugins(recipes.Handlers(full)); err != nil {
			return loaded, usageError{err}
		}
	}
	if s.config.AutoCompact {
		handlers := recipes.CompactAt(full, false)
		loaded.Plugins = append(loaded.Plugins, plugin.Plugin{
			Name: "chibi:compact", Origin: plugin.Origin{Protocol: builtIn}, Hooks: handlers.Hooks(), Handler: handlers,
		})
	}
	return loaded, nil
}

// sayLeftOut tells the person which plugins they miss, and why.
func (s *session) sayLeftOut() {
	for _, skipped := range s.loaded.LeftOut {
		if skipped.Meant && !skipped.Untrusted {
			s.notice(fmt.Sprintf("plugin %q left out: %s", skipped.Name, skipped.Reason))
		}
	}
	s.sayUntrusted()
	for _, n := range s.loaded.Notices {
		s.notice(n.String())
	}
	for _, name := range slices.Sorted(maps.Keys(s.config.Plugins.ByName)) {
		if !s.idle && isRequired(s.config.Plugins.ByName[name]) {
			continue // admit says so
		}
		if s.foreign() && !s.hasPlugin(name) && (!strings.HasPrefix(name, projectHook) || s.expects(name)) {
			s.notice(fmt.Sprintf("the configuration has [plugins.%s], but there is no such plugin; chibi plugin list names "+
				"them all", keyText(name)))
		}
	}
}

// keyText is a name as a key of TOML.
func keyText(name string) string {
	if strings.ContainsAny(name, ":./ ") {
		return fmt.Sprintf("%q", name)
	}
	return name
}

// sayUntrusted says in one line what came with the current folder and is not
// run.
func (s *session) sayUntrusted() {
	var names []string
	for _, l := range s.loaded.LeftOut {
		if !l.Untrusted {
			continue
		}
		name := term.Name(strings.TrimPrefix(l.Name, projectHook))
		if why, changed := strings.CutPrefix(l.Reason, plugin.ErrUntrusted.Error()+": "); changed {
			name += " (" + why + ")"
		}
		names = append(names, name)
	}
	if len(names) > 0 {
		s.notice(fmt.Sprintf("hooks that came with this folder are not run, as they are not approved: %s; see what they "+
			"are and approve them: chibi trust", strings.Join(names, ", ")))
	}
}

// hasPlugin reports whether there is a plugin of this name, loaded or not.
func (s *session) hasPlugin(name string) bool {
	return slices.ContainsFunc(s.loaded.Plugins, func(p plugin.Plugin) bool { return p.Name == name }) ||
		slices.ContainsFunc(s.loaded.LeftOut, func(p plugin.LeftOut) bool { return p.Name == name })
}

// runner runs the processes of plugins. There is one terminal to lend to them.
func (s *session) runner() process.Runner {
	set := s.config.Plugins
	if s.lender == nil {
		s.lender = process.NewLender(ms(set.AskTimeoutMS), s.screen.pause)
	}
	return process.Runner{
		Env: s.environment(set.HideKey), Drop: native.PerCall(), Stderr: s.screen.Plugins(set.RawStderr),
		Terminal: s.stdin, Lender: s.lender,
		MaxStderr: int64(s.config.Limits.PluginStderrBytes),
	}
}

func ms(n int) time.Duration { return time.Duration(n) * time.Millisecond }

// overrides are the person's settings for single plugins.
func (s *session) overrides() map[string]plugin.Override {
	overrides := map[string]plugin.Override{}
	for name, o := range s.config.Plugins.ByName {
		override := plugin.Override{
			Timeout: ms(o.TimeoutMS), OnFailure: plugin.Failure(o.OnFailure), Disabled: !o.Enabled, Stdin: o.Stdin,
			Hooks: map[hookpoints.Name]plugin.HookOverride{},
		}
		if o.HideKey != nil {
			override.Env = s.environment(*o.HideKey)
		}
		for point, hook := range o.Hooks {
			override.Hooks[point] = plugin.HookOverride{Timeout: ms(hook.TimeoutMS), OnFailure: plugin.Failure(hook.OnFailure)}
		}
		overrides[name] = override
	}
	return overrides
}

func (s *session) nativeOptions() native.Options {
	set := s.config.Plugins
	return native.Options{
		Dir: s.pluginsDir(), Home: s.toldHome(), Context: s.agent.Context.Name(), Verbose: s.opts.verbose,
		Runner: s.runner(), Spool: s.cache().SpillFile, MaxToolOutput: int64(set.MaxToolOutputBytes),
		ProbeTimeout: ms(set.ProbeTimeoutMS), HookTimeout: ms(set.HookTimeoutMS), ToolTimeout: ms(set.ToolTimeoutMS),
		AllowLinks: set.AllowLinks, Overrides: s.overrides(), Reserved: builtin.Names(),
	}
}
