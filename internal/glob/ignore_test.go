package glob_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/chibi-host/chibi/internal/glob"
)

// isIgnored asks like a walk: a directory that is ignored hides what is in it.
func isIgnored(g *glob.Ignore, path string, isFolder bool) bool {
	names := strings.Split(path, "/")
	for i, name := range names {
		isLast := i == len(names)-1
		if ignored, _ := g.Match(glob.Entry{Path: strings.Join(names[:i+1], "/"), Name: name,
			IsFolder: !isLast || isFolder}); ignored {
			return true
		}
	}
	return false
}

// TestIgnoreIsAsInGit compares with git check-ignore: each list of rules for each path.
func TestIgnoreIsAsInGit(t *testing.T) {
	git, err := exec.LookPath("git")
	if err != nil {
		t.Skip("there is no git")
	}
	lists := []string{
		"*.o\n!keep.o", "build/", "/build", "build", "a/b", "/a/*\n!/a/b", "**/x", "a/**", "a/**/x", "**/a/x", "a/**/b/**/x",
		"# comment\n\\#x\n\\!x", "x \ny\\ \n", "x\t", "*", "*\n!*/\n!x", "[ab]x", "[!ab]x", "[^ab]x", "[[:digit:]]", "[a",
		"a\\",
		"a?", "/", "//", "a//b", "./x", "x/", "x/*", "!x\nx", "x\n!x", "**", "a**", "**a", "a/**b", "*/x", "*/", "**/",
		"/**/x",
		"\\*", "x\r\ny\r", "  x", "!", "!/", "[", "[]", "[]]", "[]a]x", "[!]a]x", "[a-]", "[-a]", "[z-a]", "a[/]b",
		"{a,b}", "\\a", "\\a/b",
		"a/./b", "../x", "***", "a/***/x", "***/x", "?", "*.*", ".*", "é", "?é", "[é]x", "A",
	}
	paths := []string{"x", "y", "a", "b", "a/x", "a/b", "a/b/x", "a/b/c/x", "b/a/x", "build", "build/x", "src/build/x",
		"keep.o", "x.o",
		"src/x.o", "src/keep.o", "#x", "!x", "y ", "x ", "x\t", "  x", "ax", "bx", "cx", "]x", "1", "ab", "a\\", "*",
		"[a", "[", "x/y", ".a", "é", "xé", "éx",
		"{a,b}", "-", "]", "z", "a**", "ba", "A", "a.b"}
	for _, rules := range lists {
		dir := t.TempDir()
		var listed []string
		listed = append(listed, paths...)
		if err := os.WriteFile(filepath.Join(dir, ".gitignore"), []byte(rules), 0o600); err != nil {
			t.Fatal(err)
		}
		run := exec.Command(git, "init", "-q", dir)
		if out, err := run.CombinedOutput(); err != nil {
			t.Skipf("git init: %v %s", err, out)
		}
		ask := exec.Command(git, "-C", dir, "-c", "core.excludesFile=", "check-ignore", "-z", "--stdin", "--no-index")
		ask.Stdin = strings.NewReader(strings.Join(listed, "\x00") + "\x00")
		out, err := ask.Output()
		if exit, ok := err.(*exec.ExitError); err != nil && (!ok || exit.ExitCode() != 1) {
			t.Fatal(err)
		}
		ignored := strings.Split(string(out), "\x00")
		var g glob.Ignore
		g.Add(rules)
		for _, path := range listed {
			if isUnicode(rules + path) {
				continue // git compares bytes: its "?" is half of an "é"
			}
			if want, got := slices.Contains(ignored, path), isIgnored(&g, path, false); got != want {
				t.Errorf("rules %q: %q is ignored: %v, git says %v", rules, path, got, want)
			}
		}
	}
}

func TestIgnoreOfFolders(t *testing.T) {
	var g glob.Ignore
	g.Add("\ufeffbuild/\n*.d/\n!keep.d/\n")
	for path, want := range map[string]bool{"build": true, "a/build": true, "x.d": true, "keep.d": false, "src": false} {
		if got := isIgnored(&g, path, true); got != want {
			t.Errorf("%s: %v", path, got)
		}
		if isIgnored(&g, path, false) {
			t.Errorf("the file %s is ignored", path)
		}
	}
}

func isUnicode(text string) bool { return len(text) != utf8.RuneCountInString(text) }
