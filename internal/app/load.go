package app

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/chibi-host/chibi/agent"
	"github.com/chibi-host/chibi/cache"
	"github.com/chibi-host/chibi/hookpoints"
	"github.com/chibi-host/chibi/internal/agents/engine"
	"github.com/chibi-host/chibi/internal/config"
	"github.com/chibi-host/chibi/internal/guards"
	"github.com/chibi-host/chibi/internal/project"
	"github.com/chibi-host/chibi/internal/recipes"
	"github.com/chibi-host/chibi/internal/term"
	"github.com/chibi-host/chibi/internal/trace"
	"github.com/chibi-host/chibi/permissions"
	"github.com/chibi-host/chibi/plugin"
	"github.com/chibi-host/chibi/tools"
	"github.com/chibi-host/chibi/tools/builtin"
)

// BuiltIn is the protocol of handlers that are part of the program.
const BuiltIn = "built in"

// Load loads the plugins of all protocols; a second call loads them again. They are
// asked in this order: chibi's own, Kodelet's hooks, Kode's hooks, the handlers of the
// recipe, those of the program.
func (s *Session) Load(ctx context.Context) error {
	s.Agent.Host.Join(ctx) // what earlier plugins still do
	defer s.person.waiting("plugins")()
	if s.isBorrowed {
		if err := openTrace(s); err != nil {
			return err
		}
	}
	renewResidents(s)
	found, err := probe(ctx, s)
	if err != nil {
		return err
	}
	handlers, err := loadHandlers(s)
	if err != nil {
		return err
	}
	s.Loaded = plugin.Loaded{}
	for _, some := range append(found, handlers) {
		s.Loaded.Add(some)
	}
	s.Agent.Host = newHost(s, s.tracer)
	host := s.Agent.Host
	s.closers = append(s.closers, closing(func() { host.Join(ctx) }))
	if err := openServers(ctx, s); err != nil {
		return err
	}
	if err := collectTools(s); err != nil {
		return err
	}
	s.Agent.Recipes = RecipesOf(s).byName
	return nil
}

// newHost returns a host of the session's plugins that traces to t.
func newHost(s *Session, t *trace.Tracer) *plugin.Host {
	host := &plugin.Host{
		Plugins: s.Loaded.Plugins, MaxAnswers: int64(s.Config.Limits.HookAnswersBytes),
		Parallel: s.Config.Plugins.Parallel,
		Trace:    t.Record,
		Fired:    t.Fired,
		Notify:   func(n plugin.Notice) { s.person.notice(n.String()) },
		Waiting: func(point hookpoints.Name, name string) func() {
			return s.person.waiting(fmt.Sprintf("%s (hook %s)", name, point))
		},
	}
	if s.opts.Bridge != nil {
		host.Plugins = plugin.Until(s.opts.Bridge.Until, host.Plugins)
	}
	return host
}

// closing is a function that is called at the end of a session.
type closing func()

// Close calls the function; its error is nil.
func (c closing) Close() error {
	c()
	return nil
}

// loadHandlers finds the session's recipe and makes its handlers and the built-in one
// that compacts.
func loadHandlers(s *Session) (loaded plugin.Loaded, err error) {
	full := s.Config.AutoCompactThreshold / 100
	if s.opts.Recipe != "" {
		if s.Recipe, err = RecipesOf(s).Find(s.opts.Recipe); err != nil {
			return loaded, UsageError{Err: err}
		}
		if loaded.Plugins, err = s.Recipe.Plugins(recipes.Handlers(full)); err != nil {
			return loaded, UsageError{Err: err}
		}
	}
	if s.Config.AutoCompact && s.opts.Bridge == nil {
		compact := plugin.New("chibi:compact", recipes.CompactAt(full, recipes.Hook{}))
		compact.Origin.Protocol = BuiltIn
		loaded.Plugins = append(loaded.Plugins, compact)
	}
	return loaded, nil
}

// collectTools puts all tools into one set, in the order of offering.
func collectTools(s *Session) error {
	s.Agent.Cache = s.Cache()
	s.Agent.Tools = &tools.Set{}
	for _, p := range s.Loaded.Plugins {
		if err := s.Agent.Tools.Add(p.Tools...); err != nil {
			return err
		}
	}
	if err := addServerTools(s); err != nil {
		return err
	}
	rules, err := addGate(s)
	if err != nil {
		return err
	}
	err = s.Agent.Tools.Add(builtinTools(s, rules, s.Agent, s.Cache())...)
	if err == nil && s.Config.Tools.Coding {
		err = addCoding(s, rules)
	}
	if err == nil && s.Config.Tools.Agents {
		err = addAgents(s, rules)
	}
	return err
}

// builtinTools lists the built-in tools of a session, made for the context of an agent. rules
// are those of the session; nil: there are none.
func builtinTools(s *Session, rules *permissions.Rules, a *agent.Agent, outputs cache.Cache) []tools.Tool {
	files := builtin.Files{Cache: outputs, Allowed: s.Config.FileToolsAllowedPaths, Home: project.UserHome(), Private: s.Home}
	if rules != nil {
		files.MayRead = rules.MayRead
	}
	return builtin.All(builtin.Config{
		Notes: a.Context, Post: a.Post, Files: files,
		Reflection: s.Config.ReflectionEnabled, ReflectionLimit: s.Config.ReflectionCharacterLimit,
	})
}

// ReportSkipped tells the person which plugins were skipped, and why.
func ReportSkipped(s *Session) {
	for _, skipped := range s.Loaded.Skipped {
		if skipped.Reportable && !skipped.Untrusted {
			s.person.notice(fmt.Sprintf("plugin %q left out: %s", skipped.Name, skipped.Reason))
		}
	}
	reportUntrusted(s)
	for _, n := range s.Loaded.Notices {
		s.person.notice(n.String())
	}
	for _, problem := range s.serverProblems {
		s.person.notice(problem.Error())
	}
	for _, about := range s.servers.UnknownTools() {
		s.person.notice(about)
	}
	g := GuardsOf(s)
	for _, name := range slices.Sorted(maps.Keys(g.Plugins)) {
		if s.opts.Purpose == ToWork && g.Plugins[name].IsRequired() {
			continue // Admit reports it
		}
		if g.Others && !guards.HasPlugin(s.Loaded, name) && (!strings.HasPrefix(name, guards.ProjectHook) || g.Expects(name)) {
			s.person.notice(fmt.Sprintf("the configuration has [plugins.%s], but there is no such plugin; chibi plugin "+
				"list names them all", guards.KeyText(name)))
		}
	}
}

// reportUntrusted reports in one line which hooks of the current directory are not run.
func reportUntrusted(s *Session) {
	var names []string
	for _, l := range s.Loaded.Skipped {
		if !l.Untrusted {
			continue
		}
		name := term.Name(strings.TrimPrefix(l.Name, guards.ProjectHook))
		if _, isAgents := engine.NameOf(l.Origin.Protocol); isAgents { // its hooks stand in one file
			name = term.Name(s.Project.Below(l.Origin.Path))
		}
		if why, changed := strings.CutPrefix(l.Reason, plugin.ErrUntrusted.Error()+": "); changed {
			name += " (" + why + ")"
		}
		if !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	if len(names) > 0 {
		s.person.notice(fmt.Sprintf("hooks that came with this directory are not run, as they are not approved: "+
			"%s; see what they are and approve them: chibi trust", strings.Join(names, ", ")))
	}
}

// GuardsOf returns the guards of a session with the plugins that are loaded now.
func GuardsOf(s *Session) guards.Guards {
	return guardsOf(s.Config, s.opts.Plugins, s.Project, s.Loaded)
}

func guardsOf(c config.Config, o PluginOptions, p project.Project, loaded plugin.Loaded) guards.Guards {
	g := guards.Guards{Plugins: map[string]guards.Setting{}, None: o.None, NoHooks: o.NoHooks, Others: o.asksOthers(),
		Loaded: loaded, Project: p, Agents: agentsOf(c.Foreign)}
	for name, set := range c.Plugins.ByName {
		one := guards.Setting{Enabled: set.Enabled, Required: set.Required, Blocks: set.OnFailure == "block"}
		for _, point := range slices.Sorted(maps.Keys(set.Hooks)) {
			if set.Hooks[point].OnFailure == "block" {
				one.BlocksAt = append(one.BlocksAt, point)
			}
		}
		g.Plugins[name] = one
	}
	return g
}
