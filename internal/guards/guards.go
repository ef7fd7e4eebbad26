// Package guards compares the plugins that should be there with the plugins that are.
//
// It promises that no plugin whose failure blocks, by the configuration or by its own last
// answer, is missing unnoticed: whoever answers a prompt or calls a tool asks
// [Guards.Admit] before.
package guards

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/chibi-host/chibi/hookpoints"
	"github.com/chibi-host/chibi/internal/project"
	"github.com/chibi-host/chibi/internal/strictjson"
	"github.com/chibi-host/chibi/internal/term"
	"github.com/chibi-host/chibi/internal/trust"
	"github.com/chibi-host/chibi/plugin"
	"github.com/chibi-host/chibi/plugin/kodelet"
	"github.com/chibi-host/chibi/plugin/native"
)

// Missing is a plugin that is not there although its failure blocks, according to the
// configuration or to its own last answer.
type Missing struct {
	Name, Why string
	// Shared says that a context that machines share requires it.
	Shared bool
	// Itself says that it requires itself, and the configuration does not.
	Itself bool
}

// Remedy says what to do about it.
func (m Missing) Remedy() string {
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
func (m Missing) saidBy() string {
	switch {
	case m.Itself:
		return `"on_failure": "block" in its last schema`
	case m.Shared:
		return fmt.Sprintf(`on_failure = "block" under [plugins.%s] of the context, which machines share,`, KeyText(m.Name))
	}
	return fmt.Sprintf(`on_failure = "block" under [plugins.%s]`, KeyText(m.Name))
}

// MissingError reports that no prompt is answered and no tool called without these
// guards.
type MissingError struct{ Missing []Missing }

// Error names each guard, why it is missing, what requires it, and what to do.
func (e *MissingError) Error() string {
	var lines []string
	for _, m := range e.Missing {
		remedy := m.Remedy()
		lines = append(lines, fmt.Sprintf("the guard %q is missing: %s", m.Name, m.Why),
			fmt.Sprintf("Without it chibi answers no prompt and calls no tool, as %s says.", m.saidBy()),
			strings.ToUpper(remedy[:1])+remedy[1:]+".")
	}
	return strings.Join(lines, "\n")
}

// Setting is what the configuration says about a plugin.
type Setting struct {
	Enabled bool
	// Blocks says that its failure blocks, BlocksAt at which points it does.
	Blocks   bool
	BlocksAt []hookpoints.Name
	// Required says that a context that machines share requires it.
	Required bool
}

// IsRequired reports whether the plugin's absence blocks.
func (s Setting) IsRequired() bool { return s.Blocks || len(s.BlocksAt) > 0 }

// Guards compares the plugins that should be there, as the configuration requires
// guards, with those that are.
type Guards struct {
	// Plugins are the settings of plugins, by their names.
	Plugins map[string]Setting
	// None says that no plugins are loaded, NoHooks that only their tools are, and Others that
	// the hooks of other programs are loaded too.
	None, NoHooks, Others bool
	// Loaded are the plugins that are there.
	Loaded  plugin.Loaded
	Project project.Project
	// ExpectsOf reports whether hooks of a coding agent should be there.
	ExpectsOf func(agent string) bool
}

// Admit returns an error while a guard is missing. It is called before the model is
// asked or a tool is called.
func (g Guards) Admit() error {
	if missing := g.Missing(); len(missing) > 0 {
		return &MissingError{missing}
	}
	return nil
}

// Missing lists the guards that the configuration requires and that are not there, whatever
// the reason, and those that require themselves and cannot be used as they are.
func (g Guards) Missing() (missing []Missing) {
	for _, name := range slices.Sorted(maps.Keys(g.Plugins)) {
		set := g.Plugins[name]
		if !g.requires(name, set) {
			continue
		}
		if why := g.whyMissing(name, set); why != "" {
			missing = append(missing, Missing{Name: name, Why: why, Shared: set.Required})
		}
	}
	for _, left := range g.Loaded.Skipped {
		if left.Required && !g.NoHooks && !g.requires(left.Name, g.Plugins[left.Name]) {
			missing = append(missing, Missing{Name: left.Name, Why: left.Reason, Itself: true})
		}
	}
	return missing
}

// Unreadable returns the error for a plugins directory that cannot be read. said are the
// plugins whose last answer says that their failure blocks.
func (g Guards) Unreadable(said []string, overrides map[string]plugin.Override, err error) error {
	for name, set := range g.Plugins {
		if !strings.Contains(name, ":") && g.requires(name, set) {
			return &MissingError{[]Missing{{Name: name, Why: err.Error(), Shared: set.Required}}}
		}
	}
	for _, name := range said {
		if set := overrides[name]; !g.NoHooks && !set.Disabled && set.OnFailure != plugin.Ignore {
			return &MissingError{[]Missing{{Name: name, Why: err.Error(), Itself: true}}}
		}
	}
	return err
}

// requires reports whether no prompt is answered without a plugin in this run. What a shared
// context requires counts also if the plugin is turned off here, or comes with a project or
// an agent that is not used here.
func (g Guards) requires(name string, set Setting) bool {
	if set.Required {
		return !g.None && !g.NoHooks && (g.Others || !strings.Contains(name, ":"))
	}
	return set.Enabled && set.IsRequired() && g.Expects(name)
}

// Expects reports whether a plugin of this name should be there in this run. A
// project's hook is expected where it exists or was approved.
func (g Guards) Expects(name string) bool {
	switch {
	case g.None || g.NoHooks:
		return false
	case strings.HasPrefix(name, "recipe:") || strings.HasPrefix(name, "chibi:"):
		return false // they come with a recipe or a setting
	case strings.HasPrefix(name, ProjectHook):
		return g.Others && (HasPlugin(g.Loaded, name) || wasApproved(g.Project, strings.TrimPrefix(name, ProjectHook)))
	case strings.HasPrefix(name, "kodelet:") || strings.HasPrefix(name, "kode:"):
		return g.Others
	}
	if agent, _, isOfAgent := strings.Cut(name, ":"); isOfAgent {
		return g.Others && g.ExpectsOf(agent)
	}
	return true
}

// whyMissing returns the reason why a plugin is not there, "" if it is there.
func (g Guards) whyMissing(name string, set Setting) string {
	left := g.whyLeftOut(name)
	p := plugin.Find(g.Loaded.Plugins, name)
	// The settings of an entry that is left out do not hold for another plugin with its name in a
	// schema, nor do settings of chibi's plugins for plugins of another protocol.
	if p != nil && (p.Name == name || left == "" && p.Origin.Protocol == native.Protocol) {
		if len(p.Hooks) == 0 {
			return "it is there, but names no hooks at which it wants to be asked"
		}
		for _, point := range set.BlocksAt {
			if !p.Subscribes(point) {
				return fmt.Sprintf("it does not say that it wants to be asked at %s", point)
			}
		}
		return ""
	}
	return cmp.Or(left, "there is no such plugin; chibi plugin list names them all")
}

// whyLeftOut returns why a plugin was left out, "" if it was not.
func (g Guards) whyLeftOut(name string) string {
	for _, left := range g.Loaded.Skipped {
		switch {
		case left.Untrusted && left.Name == name:
			return left.Reason + "; see chibi trust"
		case left.Name == name, slices.Contains(left.Called, name),
			left.Name == name+native.DisabledSuffix, left.Name == name+".disable":
			return left.Reason
		}
	}
	return ""
}

// ProjectHook is the prefix of the names of a project's hooks.
const ProjectHook = "kodelet:./"

// wasApproved reports whether a hook of the project was ever approved, even if it has
// changed since.
func wasApproved(p project.Project, hook string) bool {
	return slices.ContainsFunc(p.Stored.Files, func(f trust.File) bool {
		name, _ := kodelet.FindHook(f.Path)
		return name == hook
	})
}

// HasPlugin reports whether there is a plugin of this name, loaded or not.
func HasPlugin(loaded plugin.Loaded, name string) bool {
	isLeftOut := func(p plugin.SkippedPlugin) bool { return p.Name == name || slices.Contains(p.Called, name) }
	return plugin.Find(loaded.Plugins, name) != nil || slices.ContainsFunc(loaded.Skipped, isLeftOut)
}

// Meant returns the question for the plugin whose name is most like one that no plugin has, ""
// if there is none.
func Meant(loaded plugin.Loaded, name string) string {
	var known []string
	for i := range loaded.Plugins {
		known = append(known, loaded.Plugins[i].Name)
	}
	for i := range loaded.Skipped {
		known = append(known, loaded.Skipped[i].Name)
	}
	if near := strictjson.Nearest(name, known); near != "" {
		return fmt.Sprintf(" (did you mean %q?)", near)
	}
	return ""
}

// KeyText returns a name as a TOML key.
func KeyText(name string) string {
	if strings.ContainsAny(name, ":./ ") {
		return fmt.Sprintf("%q", name)
	}
	return name
}
