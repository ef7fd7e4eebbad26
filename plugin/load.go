package plugin

import (
	"errors"
	"time"

	"github.com/chibi-host/chibi/hookpoints"
)

// Override is what a person sets for one plugin; it beats what the plugin says
// of itself.
type Override struct {
	// Timeout bounds its hooks and tools; 0: not overridden.
	Timeout time.Duration
	// OnFailure is what its failure means; "": not overridden.
	OnFailure Failure
	// Disabled leaves the plugin out.
	Disabled bool
	// Stdin is what its processes get as standard input: "data", or "inherit" for
	// the terminal instead; "": not overridden.
	Stdin string
	// Env is the environment that its processes start from; nil: as all others.
	Env []string
	// Hooks beats the above at single points.
	Hooks map[hookpoints.Name]HookOverride
}

// HookOverride is what a person sets for one plugin at one point.
type HookOverride struct {
	// Timeout bounds it; 0: not overridden.
	Timeout time.Duration
	// OnFailure is what its failure means there; "": not overridden.
	OnFailure Failure
}

// Required reports whether the person said that the plugin's failure blocks: then
// so does its absence.
func (o Override) Required() bool {
	for _, hook := range o.Hooks {
		if hook.OnFailure == Block {
			return true
		}
	}
	return o.OnFailure == Block
}

// NoStdin is the notice that Stdin means nothing for the plugins of a protocol
// whose payload is on standard input alone.
func (o Override) NoStdin(name string) []Notice {
	if o.Stdin == "" {
		return nil
	}
	return []Notice{{Plugin: name, Text: "stdin in its table of the configuration means nothing: " +
		"only chibi's own plugins find their payload elsewhere than on standard input"}}
}

// Failure puts what was set about failures into a plugin.
func (o Override) Failure(p *Plugin) {
	if o.OnFailure != "" {
		p.OnFailure = o.OnFailure
	}
	for point, hook := range o.Hooks {
		if hook.OnFailure != "" {
			if p.OnFailureAt == nil {
				p.OnFailureAt = map[hookpoints.Name]Failure{}
			}
			p.OnFailureAt[point] = hook.OnFailure
		}
	}
}

// Timeouts lists the bounds that were set for single points.
func (o Override) Timeouts() map[hookpoints.Name]time.Duration {
	timeouts := map[hookpoints.Name]time.Duration{}
	for point, hook := range o.Hooks {
		if hook.Timeout > 0 {
			timeouts[point] = hook.Timeout
		}
	}
	return timeouts
}

// Loaded is what a protocol found.
type Loaded struct {
	// Plugins are ready to be asked, in order.
	Plugins []Plugin
	// LeftOut are those that are not, and why.
	LeftOut []LeftOut
	// Notices are remarks about plugins that were loaded.
	Notices []Notice
	// Taken are tools that were left out as their names were taken.
	Taken []TakenTool
}

// Add appends what another protocol found.
func (l *Loaded) Add(more Loaded) {
	l.Plugins = append(l.Plugins, more.Plugins...)
	l.LeftOut = append(l.LeftOut, more.LeftOut...)
	l.Notices = append(l.Notices, more.Notices...)
	l.Taken = append(l.Taken, more.Taken...)
}

// BuiltIn reports whether a plugin has tools of which the host has its own, which
// are used instead, and no other ones were taken from it.
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

// TakenTool is a tool of a plugin that was left out: something that comes first has
// one of that name.
type TakenTool struct {
	// Tool is the name.
	Tool string
	// By is the plugin that has it; "" if it is built in.
	By string
	// From is the plugin whose tool was left out.
	From string
}

// LeftOut is something that was left out.
type LeftOut struct {
	// Name is the plugin's name.
	Name string
	// Origin says where it was found.
	Origin Origin
	// Reason says why it was left out, and what to do about it.
	Reason string
	// Meant is true if it looks like a plugin that its owner expects to work,
	// so that a person should be told; false for a disabled plugin, a README
	// and the like.
	Meant bool
	// Disabled is true if a person has disabled it.
	Disabled bool
	// Untrusted is true if it was left out because nobody approved it.
	Untrusted bool
}

// ErrUntrusted says that a file came with a folder and nobody approved it as it
// is now.
var ErrUntrusted = errors.New("not approved")
