package archtest

import (
	"go/ast"
	"slices"
	"testing"
)

// The bounds of files and functions. Nine of ten must also be within the p90.
const (
	maxFunction   = 60
	p90Function   = 30
	maxFile       = 400
	p90File       = 230
	maxNesting    = 4
	maxParameters = 4
)

func TestSizes(t *testing.T) {
	var files, functions []int
	for _, s := range sources(t) {
		if ast.IsGenerated(s.syntax) {
			continue
		}
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
	if n := p90(files); n > p90File {
		t.Errorf("a tenth of the files has more than %d lines; want %d", n-1, p90File)
	}
	if n := p90(functions); n > p90Function {
		t.Errorf("a tenth of the functions has more than %d lines; want %d", n-1, p90Function)
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
