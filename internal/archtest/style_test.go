package archtest

import (
	"go/ast"
	"regexp"
	"strings"
	"testing"

	"github.com/chibi-host/chibi/hookpoints"
)

func TestEveryPackageSaysWhatItPromises(t *testing.T) {
	documented := map[string]bool{}
	for _, s := range sources(t) {
		documented[s.pkg] = documented[s.pkg] || s.syntax.Doc != nil
	}
	for pkg, ok := range documented {
		if !ok {
			t.Errorf("%s has no package comment", pkg)
		}
	}
}

func TestEveryExportedNameIsDocumented(t *testing.T) {
	for _, s := range sources(t) {
		for _, decl := range s.syntax.Decls {
			switch decl := decl.(type) {
			case *ast.FuncDecl:
				if decl.Doc == nil && isExported(decl) {
					t.Errorf("%s: %s has no comment", s.line(decl), decl.Name.Name)
				}
			case *ast.GenDecl:
				checkComments(t, s, decl)
			}
		}
	}
}

func checkComments(t *testing.T, s source, decl *ast.GenDecl) {
	t.Helper()
	for _, spec := range decl.Specs {
		switch spec := spec.(type) {
		case *ast.TypeSpec:
			if spec.Name.IsExported() && decl.Doc == nil && spec.Doc == nil {
				t.Errorf("%s: %s has no comment", s.line(spec), spec.Name.Name)
			}
		case *ast.ValueSpec:
			if spec.Names[0].IsExported() && decl.Doc == nil && spec.Doc == nil && spec.Comment == nil {
				t.Errorf("%s: %s has no comment", s.line(spec), spec.Names[0].Name)
			}
		}
	}
}

func TestContextsAreNotKept(t *testing.T) {
	for _, s := range sources(t) {
		ast.Inspect(s.syntax, func(node ast.Node) bool {
			structure, ok := node.(*ast.StructType)
			if !ok {
				return true
			}
			for _, f := range structure.Fields.List {
				if selector, ok := f.Type.(*ast.SelectorExpr); ok && selector.Sel.Name == "Context" {
					if id, ok := selector.X.(*ast.Ident); ok && s.imports[id.Name] == "context" {
						t.Errorf("%s: a context.Context in a struct; pass it first", s.line(f))
					}
				}
			}
			return true
		})
	}
}

// TestEveryPointFires checks that each hook point is fired by the program.
func TestEveryPointFires(t *testing.T) {
	fired := map[string]bool{}
	for _, s := range sources(t) {
		if s.in("agent", "internal/cli", "tools/builtin") {
			s.uses(func(_ ast.Node, pkg, name string) {
				if pkg == module+"hookpoints" {
					fired[snake(name)] = true
				}
			})
		}
	}
	for _, info := range hookpoints.All() {
		if !fired[string(info.Name)] {
			t.Errorf("%s is never fired", info.Name)
		}
	}
}

// snake turns PreAPITools into pre_api_tools.
func snake(name string) string {
	name = regexp.MustCompile(`([A-Z]+)([A-Z][a-z])`).ReplaceAllString(name, "${1}_$2")
	name = regexp.MustCompile(`([a-z])([A-Z])`).ReplaceAllString(name, "${1}_$2")
	return strings.ToLower(name)
}
