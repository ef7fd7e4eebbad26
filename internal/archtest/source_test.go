package archtest

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
)

const module = "github.com/chibi-host/chibi/"

// source is one Go file that is not a test.
type source struct {
	path    string // from the repository's root
	pkg     string // its package's directory, "." for main
	syntax  *ast.File
	fset    *token.FileSet
	imports map[string]string // local name -> path
}

// harnesses are packages of tests that several packages share and that drive programs as a
// person does: they start processes and write files as tests do. What is checked does not
// have them, so that no package of the program can import one.
var harnesses = []string{"internal/cli/clitest", "internal/systest"}

// sources parses every Go file of the module that is not a test. Programs that
// are made to be copied, those that run at build time, and harnesses are not chibi.
func sources(t *testing.T) []source {
	t.Helper()
	list, err := parsed()
	if err != nil {
		t.Fatal(err)
	}
	return list
}

// parsed parses them once for all tests, which only read them.
var parsed = sync.OnceValues(func() (list []source, err error) {
	root := os.DirFS("../..")
	err = fs.WalkDir(root, ".", func(name string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && (name == ".git" || name == ".ci" || name == "bench" ||
			strings.HasPrefix(name, "examples/plugins/") || slices.Contains(harnesses, name) ||
			d.Name() == "cmd" || d.Name() == "testdata"):
			return fs.SkipDir
		case d.IsDir() || !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go"):
			return nil
		}
		fset := token.NewFileSet()
		syntax, err := parser.ParseFile(fset, filepath.Join("../..", name), nil, parser.ParseComments)
		if err != nil {
			return err
		}
		list = append(list, source{path: name, pkg: path.Dir(name), syntax: syntax, fset: fset, imports: importsOf(syntax)})
		return nil
	})
	return list, err
})

func importsOf(file *ast.File) map[string]string {
	imports := map[string]string{}
	for _, spec := range file.Imports {
		target, _ := strconv.Unquote(spec.Path.Value)
		name := strings.TrimPrefix(path.Base(target), "go-")
		if spec.Name != nil {
			name = spec.Name.Name
		}
		imports[name] = target
	}
	return imports
}

// line is where a node stands, for messages.
func (s source) line(node ast.Node) string {
	return s.path + ":" + strconv.Itoa(s.fset.Position(node.Pos()).Line)
}

// uses calls each with every use of a package's name, such as "os", "Exit".
func (s source) uses(each func(node ast.Node, pkg, name string)) {
	ast.Inspect(s.syntax, func(node ast.Node) bool {
		if selector, ok := node.(*ast.SelectorExpr); ok {
			if pkg, imported := s.packageOf(selector); imported {
				each(node, pkg, selector.Sel.Name)
			}
		}
		return true
	})
}

// packageOf returns the path of the imported package that a selector selects from; false:
// it selects from a value.
func (s source) packageOf(selector *ast.SelectorExpr) (pkg string, imported bool) {
	if id, ok := selector.X.(*ast.Ident); ok && id.Obj == nil {
		pkg, imported = s.imports[id.Name]
	}
	return pkg, imported
}

// in reports whether a file's package is one of a list.
func (s source) in(packages ...string) bool { return slices.Contains(packages, s.pkg) }

// functions are the functions and methods of a file.
func (s source) functions() (list []*ast.FuncDecl) {
	for _, decl := range s.syntax.Decls {
		if f, ok := decl.(*ast.FuncDecl); ok {
			list = append(list, f)
		}
	}
	return list
}

// functionName is "Type.method" or "function".
func functionName(f *ast.FuncDecl) string {
	if f.Recv == nil {
		return f.Name.Name
	}
	return receiver(f) + "." + f.Name.Name
}

// isExported reports whether a function, or a method with its type, is exported.
func isExported(f *ast.FuncDecl) bool {
	return f.Name.IsExported() && (f.Recv == nil || ast.IsExported(receiver(f)))
}

// receiver is the name of the type that a method belongs to.
func receiver(f *ast.FuncDecl) string {
	kind := f.Recv.List[0].Type
	for {
		switch of := kind.(type) {
		case *ast.StarExpr:
			kind = of.X
		case *ast.IndexExpr:
			kind = of.X
		case *ast.IndexListExpr:
			kind = of.X
		case *ast.Ident:
			return of.Name
		default:
			return ""
		}
	}
}
