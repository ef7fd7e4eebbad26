package tools

import "strings"

// Category is the kind of thing that a tool does. Permission rules, permission points and
// the hooks of other agents know tools by it. They leave out a tool without one.
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
func SameArgument(a, b string) bool { return PlainArgument(a) == PlainArgument(b) }

// PlainArgument returns what names of arguments have in common that differ in these at most.
func PlainArgument(name string) string {
	return strings.ToLower(strings.ToUpper(strings.NewReplacer("_", "", "-", "").Replace(name)))
}
