package plugin

import (
	"fmt"
	"slices"
	"time"

	"github.com/chibi-host/chibi/hookpoints"
)

// Override holds a person's settings for one plugin, which override the settings of the plugin
// itself.
type Override struct {
	// Timeout bounds its hooks and tools; 0: not overridden.
	Timeout time.Duration
	// OnFailure is what its failure means; "": not overridden.
	OnFailure Failure
	// Disabled disables the plugin.
	Disabled bool
	// Stdin is what its processes get as standard input: "data", or "inherit" for
	// the terminal instead; "": not overridden.
	Stdin string
	// Guards are points at which it only ever blocks, besides those that it names itself.
	Guards []hookpoints.Name
	// Pure says that a question in vain or a second one has no effect on it; nil: not overridden.
	Pure *bool
	// Env is the environment that its processes start from; nil: as all others.
	Env []string
	// Hooks overrides the above at single points.
	Hooks map[hookpoints.Name]HookOverride
}

// HookOverride holds a person's settings for one plugin at one point.
type HookOverride struct {
	// Timeout bounds it; 0: not overridden.
	Timeout time.Duration
	// OnFailure is what its failure means there; "": not overridden.
	OnFailure Failure
}

// Required reports whether the person set that the plugin's failure blocks: then its
// absence blocks too.
func (o Override) Required() bool {
	for _, hook := range o.Hooks {
		if hook.OnFailure == Block {
			return true
		}
	}
	return o.OnFailure == Block
}

// NoStdin returns the notice that Stdin has no effect for plugins of a protocol that passes
// the payload on standard input only.
func (o Override) NoStdin(name string) []Notice {
	if o.Stdin == "" {
		return nil
	}
	return []Notice{{Plugin: name, Text: fmt.Sprintf("stdin in [plugins.%q] of the configuration has no effect: "+
		"its payload is on standard input only; remove the key", name)}}
}

// Apply applies the settings about failures, guards and purity to a plugin whose Hooks are
// set. The notices are about settings that have no effect.
func (o Override) Apply(p *Plugin) (notices []Notice) {
	if o.OnFailure != "" {
		p.OnFailure = o.OnFailure
	}
	if o.Pure != nil {
		p.Pure = *o.Pure
	}
	for _, point := range o.Guards {
		switch {
		case !slices.Contains(p.Hooks, point):
			notices = append(notices, Notice{Plugin: p.Name, Text: fmt.Sprintf("guards in [plugins.%q] of the "+
				"configuration names %s, where it has no hook", p.Name, point)})
		case !p.GuardsAt(point):
			p.Guards = append(p.Guards, point)
		}
	}
	for point, hook := range o.Hooks {
		if hook.OnFailure != "" {
			if p.OnFailureAt == nil {
				p.OnFailureAt = map[hookpoints.Name]Failure{}
			}
			p.OnFailureAt[point] = hook.OnFailure
		}
	}
	return notices
}

// Timeouts returns the time limits that are set for single points.
func (o Override) Timeouts() map[hookpoints.Name]time.Duration {
	timeouts := map[hookpoints.Name]time.Duration{}
	for point, hook := range o.Hooks {
		if hook.Timeout > 0 {
			timeouts[point] = hook.Timeout
		}
	}
	return timeouts
}

// Loaded is the result of loading the plugins of a protocol.
type Loaded struct {
	// Plugins are ready to be asked, in order.
	Plugins []Plugin
	// Skipped are the skipped plugins, with reasons.
	Skipped []SkippedPlugin
	// Notices are notices about loaded plugins.
	Notices []Notice
	// Taken are tools that were skipped because their names are taken.
	Taken []TakenTool
}

// Add appends the plugins of another protocol.
func (l *Loaded) Add(more Loaded) {
	l.Plugins = append(l.Plugins, more.Plugins...)
	l.Skipped = append(l.Skipped, more.Skipped...)
	l.Notices = append(l.Notices, more.Notices...)
	l.Taken = append(l.Taken, more.Taken...)
}

// BuiltIn reports whether tools of a plugin were skipped because the host has built-in
// tools of the same names, and for no other reason.
func (l *Loaded) BuiltIn(name string) bool {
	found := false
	for _, t := range l.Taken {
		if t.From == name && t.By != "" {
			return false
		}
		found = found || t.From == name
	}
	return found
}

// TakenTool is a tool of a plugin that was skipped because its name is taken.
type TakenTool struct {
	// Tool is the name.
	Tool string
	// By is the plugin that has it; "" if it is built in.
	By string
	// From is the plugin whose tool was skipped.
	From string
}

// SkippedPlugin is an entry that was skipped.
type SkippedPlugin struct {
	// Name is the plugin's name.
	Name string
	// Called are the names in its schema, if chibi skipped it because of one of them.
	Called []string
	// Origin is where it was found.
	Origin Origin
	// Reason says why it was skipped, and what to do about it.
	Reason string
	// Note is a note about the entry for lists; empty: none.
	Note string
	// Reportable is true if it looks like a plugin that its owner expects to work,
	// so that a person should know; false for a disabled plugin, a README
	// and the like.
	Reportable bool
	// Disabled is true if a person has disabled it.
	Disabled bool
	// Untrusted is true if it was skipped because it is not approved.
	Untrusted bool
	// Required is true if nothing may go on without it: its failure blocks, as a person set,
	// or as its own last answer says.
	Required bool
}
