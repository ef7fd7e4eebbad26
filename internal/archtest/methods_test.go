package archtest

import (
	"go/ast"
	"strings"
	"testing"
)

// maxMethods is how many methods a type may have, exported or not.
const maxMethods = 15

// TestTypesHaveFewMethods: a type with many holds several concepts.
func TestTypesHaveFewMethods(t *testing.T) {
	counts := map[string]int{}
	for _, s := range sources(t) {
		for _, decl := range s.syntax.Decls {
			if f, ok := decl.(*ast.FuncDecl); ok && f.Recv != nil {
				counts[s.pkg+"."+receiver(f)]++
			}
		}
	}
	for name, n := range counts {
		if n > maxMethods {
			t.Errorf("%s has %d methods; split it by concept", name, n)
		}
	}
}

// TestFamiliesOfCommandsStandAlone: a package of commands is one that has the
// function Commands, and no such package imports another one, nor the command line
// that puts them together.
func TestFamiliesOfCommandsStandAlone(t *testing.T) {
	families := map[string]bool{}
	for _, s := range sources(t) {
		for _, decl := range s.syntax.Decls {
			f, ok := decl.(*ast.FuncDecl)
			if ok && f.Recv == nil && f.Name.Name == "Commands" && strings.HasPrefix(s.pkg, "internal/cli/") {
				families[s.pkg] = true
			}
		}
	}
	if len(families) == 0 {
		t.Error("no family of commands was found")
	}
	for _, s := range sources(t) {
		if !families[s.pkg] {
			continue
		}
		for _, target := range s.imports {
			ours := strings.TrimPrefix(target, module)
			if families[ours] || ours == "internal/cli" {
				t.Errorf("%s imports %s; what two families share belongs below both", s.path, ours)
			}
		}
	}
}
