package app

import (
	"context"
	"fmt"

	"github.com/chibi-host/chibi/hookpoints"
	"github.com/chibi-host/chibi/internal/recipes"
	"github.com/chibi-host/chibi/internal/trace"
	"github.com/chibi-host/chibi/plugin"
	"github.com/chibi-host/chibi/tools"
)

// Load loads the plugins of all protocols; a second call loads them again. They are
// asked in this order: chibi's own, Kodelet's hooks, Kode's hooks, the handlers of the recipe, the
// handlers of the program.
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
	s.Agent.Recipes = RecipesOf(s).ByName
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
	if err := s.Agent.Tools.Add(builtinTools(s, rules, s.Agent, s.Cache())...); err != nil {
		return err
	}
	if s.Config.Tools.Coding {
		if err := offer(s, codingTools(s, rules)...); err != nil {
			return err
		}
	}
	if s.Config.Tools.Agents {
		return addAgents(s, rules)
	}
	return nil
}
