package archtest

import (
	"go/ast"
	"slices"
	"strings"
	"testing"
)

func TestOnlyTheProgramTouchesTheStandardStreams(t *testing.T) {
	for _, s := range sources(t) {
		if s.in(".", "internal/cli", "internal/childtest") {
			continue
		}
		s.uses(func(node ast.Node, pkg, name string) {
			streams := pkg == "os" && slices.Contains([]string{"Stdin", "Stdout", "Stderr", "Exit"}, name)
			prints := pkg == "fmt" && strings.HasPrefix(name, "Print")
			if streams || prints || pkg == "log" {
				t.Errorf("%s: %s.%s; only main and cli print, read standard input or exit", s.line(node), pkg, name)
			}
		})
	}
}

func TestProcessesStartInOnePlace(t *testing.T) {
	for _, s := range sources(t) {
		// The latter two have servers for tests.
		if s.in("plugin/process", "cluster/internal/natstest", "cluster/internal/pgtest") {
			continue
		}
		s.uses(func(node ast.Node, pkg, name string) {
			if pkg == "os/exec" || pkg == "os" && name == "StartProcess" || pkg == "syscall" && name == "ForkExec" {
				t.Errorf("%s: %s.%s; processes start in plugin/process", s.line(node), pkg, name)
			}
		})
	}
}

// writesFiles says which packages may write files by themselves, and why nothing of
// that has to survive a crash. All others write through internal/disk.
var writesFiles = map[string]string{
	"internal/disk":                "it is how the others write",
	"internal/cli":                 "files that a person asked for",
	"internal/keeper":              "its socket, and a directory for it",
	"internal/trace":               "traces",
	"internal/workbench/installed": "links to plugins",
	"internal/workbench/scratch":   "homes that are thrown away",
	"tools":                        "removes files with outputs that nobody needs",
	"cache/cachetest":              "for tests",
	"cluster/internal/natstest":    "for tests",
	"cluster/internal/pgtest":      "for tests",
	"internal/disk/disktest":       "for tests",
	"internal/terminaltest":        "for tests",
}

func TestFilesThatMustSurviveAreWrittenInOnePlace(t *testing.T) {
	writes := []string{
		"WriteFile", "Create", "CreateTemp", "OpenFile", "Rename", "Remove", "RemoveAll", "Mkdir", "MkdirAll", "MkdirTemp",
		"Truncate", "Symlink", "Link", "Chmod", "Chown", "Chtimes",
	}
	for _, s := range sources(t) {
		if writesFiles[s.pkg] != "" {
			continue
		}
		s.uses(func(node ast.Node, pkg, name string) {
			if pkg == "os" && slices.Contains(writes, name) {
				t.Errorf("%s: os.%s; files are written through internal/disk", s.line(node), name)
			}
		})
	}
}

func TestNothingHappensByImport(t *testing.T) {
	for _, s := range sources(t) {
		for _, decl := range s.syntax.Decls {
			switch decl := decl.(type) {
			case *ast.FuncDecl:
				if decl.Name.Name == "init" && decl.Recv == nil {
					t.Errorf("%s: an init function; do it where it is needed", s.line(decl))
				}
			case *ast.GenDecl:
				checkVariables(t, s, decl)
			}
		}
	}
}

// checkVariables refuses package variables, except those that nobody changes:
// errors, hook points, lists of constants and embedded files.
func checkVariables(t *testing.T, s source, decl *ast.GenDecl) {
	t.Helper()
	for _, spec := range decl.Specs {
		v, ok := spec.(*ast.ValueSpec)
		if !ok || decl.Tok.String() != "var" {
			continue
		}
		for i, name := range v.Names {
			if name.Name != "_" && (i >= len(v.Values) || !isFixed(v.Values[i])) && !isEmbedded(v) {
				t.Errorf("%s: the package variable %s can change; pass it instead", s.line(name), name.Name)
			}
		}
	}
}

func isFixed(value ast.Expr) bool {
	switch value := value.(type) {
	case *ast.SelectorExpr: // an error of another package
		return strings.HasPrefix(value.Sel.Name, "Err")
	case *ast.CallExpr:
		selector, ok := value.Fun.(*ast.SelectorExpr)
		return ok && selector.Sel.Name == "New"
	case *ast.CompositeLit:
		switch kind := value.Type.(type) {
		case *ast.IndexListExpr: // a hook point
			return true
		case *ast.ArrayType: // an array, not a slice
			return kind.Len != nil
		}
	}
	return false
}

func isEmbedded(v *ast.ValueSpec) bool {
	selector, ok := v.Type.(*ast.SelectorExpr)
	return ok && selector.Sel.Name == "FS"
}

func TestBadInputDoesNotPanic(t *testing.T) {
	for _, s := range sources(t) {
		ast.Inspect(s.syntax, func(node ast.Node) bool {
			if call, ok := node.(*ast.CallExpr); ok {
				if id, ok := call.Fun.(*ast.Ident); ok && id.Name == "panic" {
					t.Errorf("%s: panic; return an error", s.line(node))
				}
			}
			return true
		})
	}
}
