package app

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/chibi-host/chibi/internal/agents"
	"github.com/chibi-host/chibi/internal/agents/theirs"
	"github.com/chibi-host/chibi/internal/config"
	"github.com/chibi-host/chibi/internal/guards"
	"github.com/chibi-host/chibi/internal/project"
	"github.com/chibi-host/chibi/internal/term"
	"github.com/chibi-host/chibi/internal/trust"
	"github.com/chibi-host/chibi/plugin"
)

// agentsOf says the hooks of which agents a configuration turns on.
func agentsOf(c config.Foreign) map[string]theirs.Agent {
	agents := map[string]theirs.Agent{}
	for name, set := range c.ByName {
		agents[name] = theirs.Agent{User: set.User, Project: set.Project, Files: set.Files, Plugins: set.Plugins,
			Version: set.Version}
	}
	return agents
}

func guardsOf(c config.Config, o PluginOptions, p project.Project, loaded plugin.Loaded) guards.Guards {
	g := guards.Guards{Plugins: map[string]guards.Setting{}, None: o.None, NoHooks: o.NoHooks, Others: o.asksOthers(),
		Loaded: loaded, Project: p, ExpectsOf: func(agent string) bool {
			return theirs.FilesOf(p).Expects(agent, agentsOf(c.Foreign)[agent])
		}}
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

// GuardsOf returns the guards of a session with the plugins that are loaded now.
func GuardsOf(s *Session) guards.Guards {
	return guardsOf(s.Config, s.opts.Plugins, s.Project, s.Loaded)
}

// ReportSkipped tells the person which plugins were skipped, and why.
func ReportSkipped(s *Session) {
	var once []string
	for _, skipped := range s.Loaded.Skipped {
		text := fmt.Sprintf("plugin %q left out: %s", skipped.Name, skipped.Reason)
		switch {
		case s.Loaded.BuiltIn(skipped.Name) && !skipped.Required:
			once = append(once, text)
		case skipped.Reportable && !skipped.Untrusted:
			s.person.notice(text)
		}
	}
	reportUntrusted(s)
	for _, n := range s.Loaded.Notices {
		if n.Once {
			once = append(once, n.String())
			continue
		}
		s.person.notice(n.String())
	}
	noticeOnce(s.person, s.Home, once)
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
		if g.Others && !guards.HasPlugin(s.Loaded, name) &&
			(!strings.HasPrefix(name, guards.ProjectHook) || g.Expects(name)) {
			s.person.notice(fmt.Sprintf("the configuration has [plugins.%s], but there is no such plugin%s; chibi plugin "+
				"list names them all", guards.KeyText(name), guards.Meant(s.Loaded, name)))
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
		if _, isAgents := agents.NameOf(l.Origin.Protocol); isAgents { // its hooks stand in one file
			name = term.Name(s.Project.Below(l.Origin.Path))
		}
		if why, changed := strings.CutPrefix(l.Reason, trust.ErrUntrusted.Error()+": "); changed {
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
