package plugin

import (
	"errors"
	"time"
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
}

// Loaded is what a protocol found.
type Loaded struct {
	// Plugins are ready to be asked, in order.
	Plugins []Plugin
	// LeftOut are those that are not, and why.
	LeftOut []LeftOut
	// Notices are remarks about plugins that were loaded.
	Notices []Notice
}

// Add appends what another protocol found.
func (l *Loaded) Add(more Loaded) {
	l.Plugins = append(l.Plugins, more.Plugins...)
	l.LeftOut = append(l.LeftOut, more.LeftOut...)
	l.Notices = append(l.Notices, more.Notices...)
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
	// Untrusted is true if it was left out because nobody approved it.
	Untrusted bool
}

// ErrUntrusted says that a file came with a folder and nobody approved it as it
// is now.
var ErrUntrusted = errors.New("not approved")
