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

// agentsOf says the hooks of which agents a configuration turns on in the sessions of another agent;
// "": in chibi's own.
func agentsOf(c config.Config, in string) map[string]theirs.Agent {
	all := map[string]theirs.Agent{}
	for name, set := range c.Foreign.ByName {
		all[name] = theirs.Agent{User: set.User, Project: set.Project, Files: set.Files, Plugins: set.Plugins,
			Version: set.Version}
	}
	if in == "" || c.Bridge.Foreign == nil {
		return all
	}
	named := map[string]theirs.Agent{}
	for _, name := range c.Bridge.Foreign {
		set := all[name]
		if !set.IsOn() {
			set.User, set.Project = true, true
		}
		named[name] = set
	}
	return named
}

// expectsOf reports whether hooks of an agent should be there in a run, in the sessions of another
// agent or in chibi's own: not those that this one runs by itself, nor those that [bridge] foreign
// leaves out, or names for other agents only.
func expectsOf(c config.Config, p project.Project, in, agent string) bool {
	set, isNamed := agentsOf(c, in)[agent]
	switch {
	case in == "" && !set.IsOn() && slices.Contains(c.Bridge.Foreign, agent):
		return false
	case in != "" && (agent == in || c.Bridge.Foreign != nil && !isNamed):
		return false
	}
	return theirs.FilesOf(p).Expects(agent, set)
}

func guardsOf(c config.Config, o Options, p project.Project, loaded plugin.Loaded) guards.Guards {
	g := guards.Guards{Plugins: map[string]guards.Setting{}, None: o.Plugins.None, NoHooks: o.Plugins.NoHooks,
		Others: o.Plugins.asksOthers(), Loaded: loaded, Project: p,
		ExpectsOf: func(agent string) bool { return expectsOf(c, p, o.inAgent(), agent) }}
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
	return guardsOf(s.Config, s.opts, s.Project, s.Loaded)
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
		agent, _, _ := strings.Cut(name, ":")
		_, isAgents := agents.NameOf(agent)
		isElsewhere := strings.HasPrefix(name, guards.ProjectHook) ||
			isAgents && (s.opts.inAgent() != "" || slices.Contains(s.Config.Bridge.Foreign, agent))
		if g.Others && !guards.HasPlugin(s.Loaded, name) && (!isElsewhere || g.Expects(name)) {
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
