package tools

import (
	"context"
	"encoding/json"
	"net/netip"
)

// Access describes a call's effect: rules, hooks and the person judge it. Which fields
// are set depends on the category of the tool.
type Access struct {
	// Command is the command line that a shell would run, and Dir the absolute path of
	// its working directory.
	Command, Dir string
	// Stdin is the standard input that the command would get; "" if there is none.
	Stdin string
	// Path is the file or directory that would be read, written or searched: absolute and
	// cleaned, as the call named it. Real is the same with all links resolved, as far as
	// it exists; it is what the call will use.
	Path, Real string
	// Operation says what an edit does, as in the call; Content is the whole text that
	// would be written, nil if the call only has a part of it.
	Operation string
	Content   *string
	// Exists says that the file to write exists already.
	Exists bool
	// Diff is the change as a unified diff of at most 64 KiB, "" if it is not known.
	Diff string
	// URL is the URL to fetch.
	URL string
	// Addresses are the addresses of the URL's host, nil if they were not looked up, empty if it
	// has none. Resolve looks them up when it is called first, in a few seconds at most;
	// nil if the host is an address, or if the fetcher does not say. It is not called for a call
	// that is denied anyway, because a look-up tells the owner of the name.
	Addresses []netip.Addr
	Resolve   func(context.Context) []netip.Addr
}

// Varied is a Tool whose calls are not all of one category: the effect of a call depends on its
// arguments.
type Varied interface {
	Tool
	// SpecFor returns the description of the tool with the category and the subject of a call
	// with these arguments, which may be invalid. It has no effect and looks at nothing else,
	// so that hooks, rules and the call itself agree.
	SpecFor(arguments json.RawMessage) Spec
}

// SpecFor returns the description of a call of a tool with these arguments.
func SpecFor(tool Tool, arguments json.RawMessage) Spec {
	if varied, ok := tool.(Varied); ok {
		return varied.SpecFor(arguments)
	}
	return tool.Spec()
}

// Planner is a Tool whose calls can be examined before they do anything. A plan holds the
// opened file or directory, not its path, so the call uses the things that the rules saw.
type Planner interface {
	Tool
	// Plan prepares a call without any effect. An error means that the arguments are
	// invalid; everything else that prevents the call is reported by Run, so that a refused
	// call does not reveal which files exist. The caller closes the plan.
	Plan(ctx context.Context, call Call) (Plan, error)
}

// Plan is a call that is prepared. It is used by one goroutine.
type Plan interface {
	// Access describes what Run will do.
	Access() Access
	// Run does it, once. Errors are as in [Tool.Call].
	Run(ctx context.Context) (Result, error)
	// Close releases what the plan holds. It can be called more than once.
	Close()
}
