package archtest

import (
	"go/ast"
	"maps"
	"slices"
	"testing"
)

// What files, functions and packages may measure: nine of ten at most the first number, all at most the
// second one.
const (
	p90Function, maxFunction = 30, 60
	p90File, maxFile         = 230, 400
	p90Package, maxPackage   = 25, 40
	maxNesting               = 4
	maxParameters            = 4
)

func TestSizes(t *testing.T) {
	var files, functions []int
	packages := map[string]int{}
	for _, s := range sources(t) {
		if ast.IsGenerated(s.syntax) {
			continue
		}
		packages[s.pkg]++
		lines := s.fset.Position(s.syntax.End()).Line
		files = append(files, lines)
		if lines > maxFile {
			t.Errorf("%s has %d lines; split it into one concept a file", s.path, lines)
		}
		for _, f := range s.functions() {
			n := s.fset.Position(f.End()).Line - s.fset.Position(f.Pos()).Line + 1
			functions = append(functions, n)
			if n > maxFunction {
				t.Errorf("%s: %s has %d lines; make it a list of steps", s.line(f), functionName(f), n)
			}
		}
	}
	for pkg, n := range packages {
		if n > maxPackage {
			t.Errorf("%s has %d files, want at most %d; nobody finds something in it", pkg, n, maxPackage)
		}
	}
	for _, m := range []struct {
		what  string
		list  []int
		bound int
	}{
		{"files have more lines", files, p90File}, {"functions have more lines", functions, p90Function},
		{"packages have more files", slices.Collect(maps.Values(packages)), p90Package},
	} {
		if n := p90(m.list); n > m.bound {
			t.Errorf("a tenth of the %s than %d; want %d", m.what, n-1, m.bound)
		}
	}
}

// p90 is the number that nine tenths of a list do not exceed.
func p90(list []int) int {
	slices.Sort(list)
	return list[len(list)*9/10]
}

func TestFunctionsAreCalledWithoutCounting(t *testing.T) {
	for _, s := range sources(t) {
		for _, f := range s.functions() {
			name := s.pkg + "." + functionName(f)
			if n := parameters(f.Type); n > maxParameters {
				t.Errorf("%s: %s has %d parameters; make a type of those that belong together", s.line(f), name, n)
			}
			if isExported(f) && takesBool(f.Type) {
				t.Errorf("%s: %s takes a bare bool; nobody knows at a call what true means", s.line(f), name)
			}
		}
	}
}

// parameters counts a function's parameters, but for a list at the end, which most
// calls leave out.
func parameters(f *ast.FuncType) int {
	n := f.Params.NumFields()
	if n > 0 {
		if _, list := f.Params.List[len(f.Params.List)-1].Type.(*ast.Ellipsis); list {
			n--
		}
	}
	return n
}

func takesBool(f *ast.FuncType) bool {
	return slices.ContainsFunc(f.Params.List, func(p *ast.Field) bool {
		id, ok := p.Type.(*ast.Ident)
		return ok && id.Name == "bool"
	})
}

func TestCodeIsNotNestedDeep(t *testing.T) {
	for _, s := range sources(t) {
		for _, f := range s.functions() {
			if n := nesting(f.Body); n > maxNesting {
				t.Errorf("%s: %s nests %d deep; make a function of what is inside", s.line(f), functionName(f), n)
			}
		}
	}
}

// nesting is how many conditions, loops and choices stand in each other. An else and a
// case are as deep as their if and switch.
func nesting(node ast.Node) (deepest int) {
	if node == nil {
		return 0
	}
	ast.Inspect(node, func(inner ast.Node) bool {
		below := 0
		switch inner := inner.(type) {
		case *ast.IfStmt:
			below = 1 + nesting(inner.Body)
			if otherwise, ok := inner.Else.(*ast.IfStmt); ok {
				below = max(below, nesting(otherwise))
			} else if inner.Else != nil {
				below = max(below, 1+nesting(inner.Else))
			}
		case *ast.ForStmt:
			below = 1 + nesting(inner.Body)
		case *ast.RangeStmt:
			below = 1 + nesting(inner.Body)
		case *ast.SwitchStmt:
			below = 1 + nesting(inner.Body)
		case *ast.TypeSwitchStmt:
			below = 1 + nesting(inner.Body)
		case *ast.SelectStmt:
			below = 1 + nesting(inner.Body)
		default:
			return true
		}
		deepest = max(deepest, below)
		return false
	})
	return deepest
}
