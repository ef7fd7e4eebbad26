package archtest

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// Bounds of the code that somebody reads to understand how an event becomes an answer.
const (
	maxCallPathFiles = 6
	maxCallPathLines = 480
)

// TestTheCallPathOfAHookIsShort counts the functions, as a whole, that run from Fire
// to the merged answer of one native pre_tool event whose arguments a plugin changes.
// Package plugin/process, which supervises processes, is left out.
func TestTheCallPathOfAHookIsShort(t *testing.T) {
	page, err := os.ReadFile("../../docs/internals/ARCHITECTURE.md")
	if err != nil {
		t.Fatal(err)
	}
	files := map[string][]string{}
	lines := 0
	for path, blocks := range callPath(t) {
		for _, f := range functionsWith(t, path, blocks) {
			lines += f.lines
			files[path] = append(files[path], fmt.Sprintf("%s:%d", f.name, f.lines))
		}
		if !strings.Contains(string(page), "`"+path+"`") {
			t.Errorf("docs/internals/ARCHITECTURE.md does not name `%s`, through which a hook goes", path)
		}
	}
	if len(files) > maxCallPathFiles || lines > maxCallPathLines {
		t.Errorf("a hook goes through %d files and %d lines; want at most %d and %d", len(files), lines,
			maxCallPathFiles, maxCallPathLines)
		for _, path := range slices.Sorted(maps.Keys(files)) {
			t.Log(path, strings.Join(files[path], " "))
		}
	}
	if len(files) < 4 || lines < 200 {
		t.Errorf("only %d files and %d lines ran; is the count right?", len(files), lines)
	}
}

// maxEmbedder is how many lines a program needs at least that embeds the host.
const maxEmbedder = 25

func TestTheSmallestEmbedderIsSmall(t *testing.T) {
	text, err := os.ReadFile("../../plugin/example_smallest_test.go")
	if err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(string(text), "\n"); n > maxEmbedder {
		t.Errorf("the smallest embedder has %d lines; want at most %d", n, maxEmbedder)
	}
}

// callPath runs the event and returns where the blocks of code begin that ran, by file.
func callPath(t *testing.T) map[string][]int {
	t.Helper()
	dir := t.TempDir()
	program, profile := filepath.Join(dir, "onehook"), filepath.Join(dir, "profile")
	command(t, "go", "build", "-cover", "-covermode=atomic", "-coverpkg="+module+"...", "-o", program,
		"./testdata/onehook")
	command(t, program, dir)
	command(t, "go", "tool", "covdata", "textfmt", "-i="+dir, "-o="+profile)
	text, err := os.ReadFile(profile)
	if err != nil {
		t.Fatal(err)
	}
	ran := map[string][]int{}
	for line := range strings.Lines(string(text)) {
		path, block, _ := strings.Cut(strings.TrimPrefix(line, module), ":")
		var begin, column, end, endColumn, statements, count int
		fmt.Sscanf(block, "%d.%d,%d.%d %d %d", &begin, &column, &end, &endColumn, &statements, &count)
		if count > 0 && !strings.HasPrefix(path, "plugin/process/") && !strings.HasPrefix(path, "internal/archtest/") {
			ran[path] = append(ran[path], begin)
		}
	}
	return ran
}

// command runs a command that must succeed.
func command(t *testing.T, name string, args ...string) {
	t.Helper()
	cmd := exec.Command(name, args...)
	cmd.Env = append(os.Environ(), "GOCOVERDIR="+t.TempDir())
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%s %q: %v\n%s", name, args, err, out)
	}
}

// size is how long a function is.
type size struct {
	name  string
	lines int
}

// functionsWith lists the functions of a file that contain one of the lines.
func functionsWith(t *testing.T, path string, lines []int) (list []size) {
	t.Helper()
	fset := token.NewFileSet()
	syntax, err := parser.ParseFile(fset, filepath.Join("../..", path), nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	for _, decl := range syntax.Decls {
		begin, end := fset.Position(decl.Pos()).Line, fset.Position(decl.End()).Line
		f, ok := decl.(*ast.FuncDecl)
		if ok && slices.ContainsFunc(lines, func(line int) bool { return begin <= line && line <= end }) {
			list = append(list, size{f.Name.Name, end - begin + 1})
		}
	}
	return list
}
