package archtest

import (
	"go/ast"
	"go/token"
	"go/types"
	"maps"
	"slices"
	"strings"
	"testing"
)

// maxOfType is how much code a type may carry: its methods, and the functions that take it first,
// which are methods in all but name.
const maxOfType = 40

// knownFull are types that carry more, and how much they may. They are to shrink, but a command is
// a function of Env and may open a Session, so those two have room for some.
var knownFull = map[string]int{
	"internal/cli/command.Env":       110,
	"internal/app.Session":           110,
	"internal/agents/engine.Dialect": 52,
	"hookpoints.Info":                46,
}

func TestTypesCarryFewFunctions(t *testing.T) {
	carried := map[string]int{}
	for _, s := range sources(t) {
		for _, f := range s.functions() {
			if name := carrier(s, f); name != "" {
				carried[name]++
			}
		}
	}
	for _, name := range slices.Sorted(maps.Keys(carried)) {
		n, known := carried[name], knownFull[name]
		switch {
		case known == 0 && n > maxOfType:
			t.Errorf("%s has %d methods and functions that take it first; split it by concept", name, n)
		case known != 0 && n > known:
			t.Errorf("%s has %d methods and functions that take it first, want at most %d; take what they need of it",
				name, n, known)
		case known != 0 && n <= maxOfType:
			t.Errorf("%s has only %d; remove it from the list", name, n)
		}
	}
	for name := range knownFull {
		if carried[name] == 0 {
			t.Errorf("%s is gone; remove it from the list", name)
		}
	}
}

// carrier is the type of ours that a function is a method of, or takes first: "package.Type".
func carrier(s source, f *ast.FuncDecl) string {
	if f.Recv != nil {
		return s.pkg + "." + receiver(f)
	}
	if len(f.Type.Params.List) == 0 {
		return ""
	}
	first := f.Type.Params.List[0].Type
	if pointer, ok := first.(*ast.StarExpr); ok {
		first = pointer.X
	}
	switch first := first.(type) {
	case *ast.Ident:
		if types.Universe.Lookup(first.Name) == nil {
			return s.pkg + "." + first.Name
		}
	case *ast.SelectorExpr:
		if pkg, imported := s.packageOf(first); imported && strings.HasPrefix(pkg, module) {
			return strings.TrimPrefix(pkg, module) + "." + first.Sel.Name
		}
	}
	return ""
}

// Bounds that sink as the code does: how many interfaces there are, how many methods one may have,
// and how often a function goes on only if there is no error yet, where an early return is plainer.
const (
	maxInterfaces       = 59
	maxInterfaceMethods = 6
	maxChains           = 97
)

// largeInterfaces may have more methods, for a reason.
var largeInterfaces = map[string]string{
	"internal/disk.FS":                 "the operations of a disk, each of which a test lets fail",
	"contexts.Conversation":            "the entries and the window made of them; the agent, who takes it, takes all",
	"contexts/internal/parts.Registry": "what is recorded of contexts; the rules, which take it, take all",
}

func TestInterfacesAreFewAndSmall(t *testing.T) {
	n := 0
	for _, s := range sources(t) {
		ast.Inspect(s.syntax, func(node ast.Node) bool {
			spec, ok := node.(*ast.TypeSpec)
			if !ok {
				return true
			}
			list, ok := spec.Type.(*ast.InterfaceType)
			if !ok {
				return true
			}
			n++
			if m := declared(list); m > maxInterfaceMethods && largeInterfaces[s.pkg+"."+spec.Name.Name] == "" {
				t.Errorf("%s: %s declares %d methods; users take what they use", s.line(spec), spec.Name.Name, m)
			}
			return true
		})
	}
	if n > maxInterfaces {
		t.Errorf("there are %d interfaces, want at most %d; is there one with a single implementation?", n, maxInterfaces)
	}
}

// declared counts the methods of an interface without those of interfaces that it embeds.
func declared(list *ast.InterfaceType) (n int) {
	for _, m := range list.Methods.List {
		n += len(m.Names)
	}
	return n
}

func TestErrorsReturnEarly(t *testing.T) {
	n := 0
	for _, s := range sources(t) {
		ast.Inspect(s.syntax, func(node ast.Node) bool {
			if check, ok := node.(*ast.IfStmt); ok && check.Init == nil && comparesErrWithNil(check.Cond) {
				n++
			}
			return true
		})
	}
	if n > maxChains {
		t.Errorf("there are %d statements that begin \"if err == nil\", want at most %d; return early", n, maxChains)
	}
}

func comparesErrWithNil(cond ast.Expr) bool {
	b, ok := cond.(*ast.BinaryExpr)
	if !ok || b.Op != token.EQL {
		return false
	}
	x, isName := b.X.(*ast.Ident)
	y, isNil := b.Y.(*ast.Ident)
	return isName && isNil && x.Name == "err" && y.Name == "nil"
}

// TestFamiliesOfCommandsStandAlone: a package of commands is one that has the
// function Commands, and no such package imports another one, nor the command line
// that puts them together.
func TestFamiliesOfCommandsStandAlone(t *testing.T) {
	families := map[string]bool{}
	for _, s := range sources(t) {
		for _, f := range s.functions() {
			if f.Recv == nil && f.Name.Name == "Commands" && strings.HasPrefix(s.pkg, "internal/cli/") {
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
