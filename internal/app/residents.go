package app

import (
	"slices"
	"time"

	"github.com/chibi-host/chibi/hookpoints"
	"github.com/chibi-host/chibi/internal/keeper"
	"github.com/chibi-host/chibi/llm"
	"github.com/chibi-host/chibi/plugin"
	"github.com/chibi-host/chibi/plugin/resident"
	"github.com/chibi-host/chibi/tools"
)

// renewResidents ends the processes of resident plugins that an earlier Load has started,
// and prepares the processes of the next one, which end with the session.
func renewResidents(s *Session) {
	if s.opts.Plugins.Residents != nil {
		s.residents = s.opts.Plugins.Residents
		return
	}
	if s.residents != nil {
		s.residents.Close()
	}
	s.residents = &resident.Group{Notify: func(n plugin.Notice) { s.person.notice(n.String()) }}
	if client := keeperOf(s); client != nil {
		s.residents.Keeper = client
		s.closers = append(s.closers, client)
	}
	s.closers = append(s.closers, s.residents)
}

// keeperOf returns the way to the home's keeper, nil if the configuration has none.
func keeperOf(s *Session) *keeper.Client {
	keep := s.Config.Plugins.KeepFor()
	switch {
	case keep == 0 || toldHome(s) != s.Home: // what is tried out leaves nothing running
		return nil
	case !keeper.Offered:
		s.person.notice("plugins.keep has no effect on this system: no plugin is kept between runs")
		return nil
	}
	return &keeper.Client{Home: s.Home, Keep: keep, Secrets: s.Loader().KeyVariables(), Notify: s.person.notice}
}

// HostedFor returns how long a process that answers for a session of another agent stays after an
// event; 0: there is none, as no plugin would stay in it, or nothing is to stay.
func HostedFor(s *Session) time.Duration {
	stays := func(p plugin.Plugin) bool { return p.Resident && len(p.Hooks) > 0 }
	if !keeper.Offered || toldHome(s) != s.Home || !slices.ContainsFunc(s.Loaded.Plugins, stays) {
		return 0
	}
	return s.Config.Bridge.KeepFor()
}

// isAwaited reports whether chibi asks a plugin in every turn once the model has answered.
func isAwaited(p plugin.Plugin) bool {
	return hasHook(p, hookpoints.PostTurn.Name, hookpoints.PreStop.Name, hookpoints.PostMessage.Name,
		hookpoints.OnEnd.Name)
}

// isCalled returns a function that reports whether chibi asks a plugin about calls, or calls its tools.
func isCalled(calls []llm.ToolCall) func(plugin.Plugin) bool {
	runs := func(t tools.Tool) bool {
		return slices.ContainsFunc(calls, func(call llm.ToolCall) bool { return call.Name == t.Spec().Name })
	}
	return func(p plugin.Plugin) bool {
		return len(calls) > 0 && (slices.ContainsFunc(p.Tools, runs) || hasHook(p, hookpoints.PreTool.Name,
			hookpoints.PreToolOutput.Name, hookpoints.PostToolOutput.Name, hookpoints.PostTool.Name))
	}
}

// hasHook reports whether a plugin has a hook at one of these points.
func hasHook(p plugin.Plugin, points ...hookpoints.Name) bool {
	return slices.ContainsFunc(p.Hooks, func(name hookpoints.Name) bool { return slices.Contains(points, name) })
}

// residentsThat returns a function that starts those resident plugins of the session which do
// not run yet and for which need returns true. Nobody waits for them.
func (c waitingClient) residentsThat(need func(plugin.Plugin) bool) (start func()) {
	var names []string
	for _, p := range c.session.Loaded.Plugins {
		if p.Resident && need(p) {
			names = append(names, p.Name)
		}
	}
	group := c.session.residents
	return func() {
		if group != nil && len(names) > 0 {
			go group.Start(names...)
		}
	}
}
