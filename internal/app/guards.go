package app

import (
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/chibi-host/chibi/hookpoints"
	"github.com/chibi-host/chibi/internal/agents/engine"
	"github.com/chibi-host/chibi/internal/agents/hooks"
	"github.com/chibi-host/chibi/internal/config"
	"github.com/chibi-host/chibi/internal/project"
	"github.com/chibi-host/chibi/internal/term"
	"github.com/chibi-host/chibi/internal/trust"
	"github.com/chibi-host/chibi/plugin"
	"github.com/chibi-host/chibi/plugin/native"
)

// MissingGuard is a plugin that is not there although its failure blocks, according to the
// configuration or to what it said itself when it was asked last.
type MissingGuard struct {
	Name, Why string
	// Shared says that a context that machines share requires it.
	Shared bool
	// Itself says that it requires itself, and the configuration does not.
	Itself bool
}

// Remedy says what to do about it.
func (m MissingGuard) Remedy() string {
	name := term.ShellWord(m.Name)
	switch {
	case m.Itself:
		return fmt.Sprintf("mend it (chibi plugin check %s), or turn it off (chibi plugin disable %s), or delete it "+
			"(chibi plugin remove %s)", name, name, name)
	case m.Shared:
		return "install it and turn it on here, or use --no-hooks for this run"
	}
	return fmt.Sprintf("put it back, or write enabled = false under [plugins.%s], or use --no-hooks for this run",
		KeyText(m.Name))
}

// saidBy says what requires it.
func (m MissingGuard) saidBy() string {
	switch {
	case m.Itself:
		return `"on_failure": "block" in its last schema`
	case m.Shared:
		return fmt.Sprintf(`on_failure = "block" under [plugins.%s] of the context, which machines share,`, KeyText(m.Name))
	}
	return fmt.Sprintf(`on_failure = "block" under [plugins.%s]`, KeyText(m.Name))
}

// GuardsError reports that no prompt is answered and no tool called without these
// guards.
type GuardsError struct{ Missing []MissingGuard }

// Error names each guard, why it is missing, what requires it, and what to do.
func (e *GuardsError) Error() string {
	var lines []string
	for _, m := range e.Missing {
		remedy := m.Remedy()
		lines = append(lines, fmt.Sprintf("the guard %q is missing: %s", m.Name, m.Why),
			fmt.Sprintf("No prompt is answered and no tool is called without it, as %s says.", m.saidBy()),
			strings.ToUpper(remedy[:1])+remedy[1:]+".")
	}
	return strings.Join(lines, "\n")
}

// Guards compares the plugins that should be there, as the configuration requires
// guards, with those that are.
type Guards struct {
	plugins map[string]config.Plugin
	opts    PluginOptions
	loaded  plugin.Loaded
	project project.Project
	foreign config.Foreign
}

// GuardsOf returns the guards of a session with the plugins that are loaded now.
func GuardsOf(s *Session) Guards {
	return Guards{s.Config.Plugins.ByName, s.opts.Plugins, s.Loaded, s.Project, s.Config.Foreign}
}

// Admit returns an error while a guard is missing. It is called before the model is
// asked or a tool is called.
func (g Guards) Admit() error {
	if missing := g.Missing(); len(missing) > 0 {
		return &GuardsError{missing}
	}
	return nil
}

// Missing lists the guards that the configuration requires and that are not there, whatever
// the reason, and those that require themselves and cannot be used as they are.
func (g Guards) Missing() (missing []MissingGuard) {
	for _, name := range slices.Sorted(maps.Keys(g.plugins)) {
		set := g.plugins[name]
		if !g.requires(name, set) {
			continue
		}
		if why := g.whyMissing(name, set); why != "" {
			missing = append(missing, MissingGuard{Name: name, Why: why, Shared: set.Required})
		}
	}
	for _, left := range g.loaded.Skipped {
		if left.Required && !g.opts.NoHooks && !g.requires(left.Name, g.plugins[left.Name]) {
			missing = append(missing, MissingGuard{Name: left.Name, Why: left.Reason, Itself: true})
		}
	}
	return missing
}

// unreadable returns the error for a plugins directory whose plugins cannot be had. said are
// those that said when they were asked last that their failure blocks.
func unreadable(l *Loader, said []string, err error) error {
	g := Guards{plugins: l.config.Plugins.ByName, opts: l.opts.Plugins, project: l.project, foreign: l.config.Foreign}
	for name, set := range g.plugins {
		if !strings.Contains(name, ":") && g.requires(name, set) {
			return &GuardsError{[]MissingGuard{{Name: name, Why: err.Error(), Shared: set.Required}}}
		}
	}
	overrides := l.overrides()
	for _, name := range said {
		if set := overrides[name]; !g.opts.NoHooks && !set.Disabled && set.OnFailure != plugin.Ignore {
			return &GuardsError{[]MissingGuard{{Name: name, Why: err.Error(), Itself: true}}}
		}
	}
	return err
}

// requires reports whether no prompt is answered without a plugin in this run. What a shared
// context requires counts also if the plugin is turned off here, or comes with a project or
// an agent that is not used here.
func (g Guards) requires(name string, set config.Plugin) bool {
	if set.Required {
		return !g.opts.None && !g.opts.NoHooks && (g.opts.asksOthers() || !strings.Contains(name, ":"))
	}
	return set.Enabled && isRequired(set) && g.expects(name)
}

// isRequired reports whether a plugin's absence blocks.
func isRequired(set config.Plugin) bool { return set.OnFailure == "block" || len(requiredAt(set)) > 0 }

// requiredAt lists the points at which a plugin's failure blocks.
func requiredAt(set config.Plugin) (points []hookpoints.Name) {
	for _, point := range slices.Sorted(maps.Keys(set.Hooks)) {
		if set.Hooks[point].OnFailure == "block" {
			points = append(points, point)
		}
	}
	return points
}

// expects reports whether a plugin of this name should be there in this run. A
// project's hook is expected where it exists or was approved.
func (g Guards) expects(name string) bool {
	switch {
	case g.opts.None || g.opts.NoHooks:
		return false
	case strings.HasPrefix(name, "recipe:") || strings.HasPrefix(name, "chibi:"):
		return false // they come with a recipe or a setting
	case strings.HasPrefix(name, projectHook):
		return g.opts.asksOthers() && (HasPlugin(g.loaded, name) || wasApproved(g.project, strings.TrimPrefix(name, projectHook)))
	case strings.HasPrefix(name, "kodelet:") || strings.HasPrefix(name, "kode:"):
		return g.opts.asksOthers()
	}
	if agent, _, isOfAgent := strings.Cut(name, ":"); isOfAgent {
		return g.opts.asksOthers() && g.expectsOf(agent)
	}
	return true
}

// expectsOf reports whether hooks of an agent should be there. If only projects' hooks are
// turned on, they are expected where the project has settings of the agent or had some when it
// was approved.
func (g Guards) expectsOf(agent string) bool {
	d, ok := engine.ByName(agent)
	set := g.foreign.ByName[agent]
	if !ok || !set.IsOn() || set.User || len(set.Files) > 0 || len(set.Plugins) > 0 {
		return true
	}
	wasApproved := slices.ContainsFunc(g.project.Stored.Files, func(f trust.File) bool {
		return slices.ContainsFunc(d.Places, func(place engine.Place) bool {
			inProject := place.Scope == engine.ScopeProject || place.Scope == engine.ScopeLocal
			is, _ := filepath.Match(place.Path, f.Path)
			return inProject && is
		})
	})
	return wasApproved || len(hooks.FilesOf(g.project).Candidates(d)) > 0
}

// whyMissing returns the reason why a plugin is not there, "" if it is there.
func (g Guards) whyMissing(name string, set config.Plugin) string {
	i := slices.IndexFunc(g.loaded.Plugins, func(p plugin.Plugin) bool { return p.Name == name })
	if i >= 0 {
		if len(g.loaded.Plugins[i].Hooks) == 0 {
			return "it is there, but names no hooks at which it wants to be asked"
		}
		for _, point := range requiredAt(set) {
			if !g.loaded.Plugins[i].Subscribes(point) {
				return fmt.Sprintf("it does not say that it wants to be asked at %s", point)
			}
		}
		return ""
	}
	for _, left := range g.loaded.Skipped {
		switch left.Name {
		case name:
			if left.Untrusted {
				return left.Reason + "; see chibi trust"
			}
			return left.Reason
		case name + native.DisabledSuffix, name + ".disable":
			return left.Reason
		}
	}
	return "there is no such plugin; chibi plugin list names them all"
}
