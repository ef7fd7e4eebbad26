package archtest

import (
	"go/ast"
	"go/token"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/chibi-host/chibi/internal/disk"
)

// TestTemporaryDirectoriesAreFound: a run finds, and removes later, each temporary directory that a killed run leaves.
func TestTemporaryDirectoriesAreFound(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	var made []string
	for _, s := range sources(t) {
		ast.Inspect(s.syntax, func(n ast.Node) bool {
			call, ok := n.(*ast.CallExpr)
			if !ok || len(call.Args) != 1 {
				return true
			}
			callee, isSelector := call.Fun.(*ast.SelectorExpr)
			lit, isLit := call.Args[0].(*ast.BasicLit)
			if isSelector && callee.Sel.Name == "MkdirTemp" && isLit && lit.Kind == token.STRING {
				pattern, _ := strconv.Unquote(lit.Value) // it was parsed
				made = append(made, filepath.Join(os.TempDir(), strings.TrimSuffix(pattern, "*")+"1"))
			}
			return true
		})
	}
	for _, dir := range made {
		if err := os.Mkdir(dir, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	found := disk.OwnTemps(time.Now().Add(time.Minute))
	for _, dir := range made {
		if !slices.Contains(found, dir) {
			t.Errorf("a killed run leaves %s for good; add its name to tempNames of internal/disk", filepath.Base(dir))
		}
	}
	if len(made) < 5 {
		t.Errorf("only %d kinds of directories found", len(made))
	}
}
