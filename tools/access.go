package tools

import (
	"context"
	"encoding/json"
	"net/netip"
	"strings"
)

// Category is the kind of thing that a tool does. Permission rules, permission points and
// the hooks of other agents know tools by it. A tool without one is no concern of theirs.
type Category string

// The categories.
const (
	CategoryShell  Category = "shell"  // runs commands
	CategoryRead   Category = "read"   // reads a file
	CategoryWrite  Category = "write"  // writes a file as a whole
	CategoryEdit   Category = "edit"   // changes a part of a file
	CategorySearch Category = "search" // lists or searches files
	CategoryFetch  Category = "fetch"  // reads a URL
	CategoryAgent  Category = "agent"  // runs an agent
	CategoryMCP    Category = "mcp"    // belongs to an MCP server
)

// Categories lists all categories, in the order of the documentation.
func Categories() []Category {
	return []Category{CategoryShell, CategoryRead, CategoryWrite, CategoryEdit, CategorySearch, CategoryFetch,
		CategoryAgent, CategoryMCP}
}

// UsualSubjects lists the usual names of the argument that tools of a category are about.
func UsualSubjects(c Category) []string {
	switch c {
	case CategoryShell:
		return []string{"command", "cmd", "script"}
	case CategoryRead, CategoryWrite, CategoryEdit, CategorySearch:
		return []string{"path", "file_path", "filename", "file"}
	case CategoryFetch:
		return []string{"url", "uri"}
	}
	return nil
}

// SameArgument reports whether two names of arguments differ in letters' case, "-" and "_" at most.
func SameArgument(a, b string) bool {
	plain := strings.NewReplacer("_", "", "-", "")
	return strings.EqualFold(plain.Replace(a), plain.Replace(b))
}

// Access is what a call would do: what rules, hooks and the person judge. Which fields
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
	// Exists says that the file that would be written is there already.
	Exists bool
	// Diff is the change as a unified diff of at most 64 KiB, "" if it is not known.
	Diff string
	// URL is what would be fetched.
	URL string
	// Addresses are those of the URL's host, nil if they were not looked up, empty if it
	// has none. Resolve looks them up when it is called first, in a few seconds at most;
	// nil if the host is an address, or if whoever fetches does not say. It is not called
	// for what is denied anyway, because a name that is looked up tells its owner.
	Addresses []netip.Addr
	Resolve   func(context.Context) []netip.Addr
}

// Varied is a Tool whose calls are not all of one category: what a call does depends on its
// arguments.
type Varied interface {
	Tool
	// SpecFor returns the description of the tool with the category and the subject of a call
	// with these arguments, which may be invalid. It has no effect and looks at nothing else,
	// so that hooks, rules and the call itself agree.
	SpecFor(arguments json.RawMessage) Spec
}

// SpecFor returns what describes a call of a tool with these arguments.
func SpecFor(tool Tool, arguments json.RawMessage) Spec {
	if varied, ok := tool.(Varied); ok {
		return varied.SpecFor(arguments)
	}
	return tool.Spec()
}

// Planner is a Tool whose calls can be examined before they do anything. What is then
// judged is what is used: a plan holds the opened file or directory, not its path.
type Planner interface {
	Tool
	// Plan prepares a call without any effect. An error means that the arguments are
	// invalid; everything else that prevents the call is reported by Run, so that a
	// refused call does not tell what exists. The caller closes the plan.
	Plan(ctx context.Context, call Call) (Plan, error)
}

// Plan is a call that is prepared. It is used by one goroutine.
type Plan interface {
	// Access describes what Run will do.
	Access() Access
	// Run does it, once. Errors are those of [Tool.Call].
	Run(ctx context.Context) (Result, error)
	// Close releases what the plan holds. It can be called more than once.
	Close()
}
