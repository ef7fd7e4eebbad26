package coding_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// source is a small project.
func source(t *testing.T) *project {
	return newProject(t, map[string]string{
		"a.go": "package a\n\nfunc A() {}\n", "a/b.go": "package b\n\nfunc B() {}\n", "a.txt": "text of a\n",
		"lib/x/c.go": "package c\n", "lib/x/c.ts": "export c\n", "lib/y.ts": "export y\n", ".hidden/h.go": "package h\n",
		".gitignore": "*.log\n/build/\n!keep.log\n", "x.log": "func log\n", "keep.log": "func keep\n",
		"build/o.go":     "func o\n",
		"lib/.gitignore": "x/*.ts\n", "lib/.ignore": "!x/c.ts\nz.go\n", "lib/z.go": "func z\n", ".git/config": "func git\n",
		"bin": "func \x00 binary\n", "lib/build/in.go": "package in\n",
	})
}

func TestGlobFiles(t *testing.T) {
	p := source(t)
	p.must(os.Symlink("a.go", p.at("link.go")))
	p.must(os.Symlink("lib", p.at("linked")))
	for _, test := range []struct {
		args arg
		want string
	}{
		{arg{"pattern": "*.go"}, "a.go\nlink.go\n"},
		{arg{"pattern": "**/*.go"}, ".hidden/h.go\na.go\na/b.go\nlib/build/in.go\nlib/x/c.go\nlink.go\n"},
		{arg{"pattern": "lib/**/*.{go,ts}"}, "lib/build/in.go\nlib/x/c.go\nlib/x/c.ts\nlib/y.ts\n"},
		{arg{"pattern": "**/*.ts", "path": "lib/x"}, "c.ts\n"},
		{arg{"pattern": "*.go", "path": "build"}, "o.go\n"},
		{arg{"pattern": "*.{log,git}"}, "keep.log\n"},
		{arg{"pattern": "**/*.go", "max_results": 2}, ".hidden/h.go\na.go\n" +
			"[there are more than 2; use a narrower pattern, or a larger max_results]\n"},
		{arg{"pattern": "a*/**"}, "a/b.go\n"},
		{arg{"pattern": "none"}, "[no file matches]\n"},
		{arg{"pattern": "*", "path": "none"}, "Error: there is no file or directory none"},
		{arg{"pattern": "*", "path": "a.go"}, "Error: a.go is not a directory"},
		{arg{"pattern": "*", "path": "linked/x"}, "c.go\nc.ts\n"},
		{arg{"pattern": "*", "path": "/proc/self"}, "Error: /proc/self is about a running process, whose environment and " +
			"memory can have keys; the file tools never use that"},
		{arg{"pattern": ""}, "invalid: pattern is empty; **/* finds all files"},
		{arg{"pattern": "[a"}, `invalid: "[a" is not a pattern: a bracket is not closed, or it ends with a backslash`},
		{arg{"pattern": "*", "max_results": 0}, "invalid: max_results is 0; it must be at least 1"},
	} {
		p.says("glob_files", test.args, test.want)
	}
	p.put("two\nlines", "")
	p.says("glob_files", arg{"pattern": "two*"}, "\"two\\nlines\"\n")
}

// TestIgnoreFilesAboveTheDirectoryHold, from the top of the repository on and no further.
func TestIgnoreFilesAboveTheDirectoryHold(t *testing.T) {
	p := newProject(t, map[string]string{"../.gitignore": "*", ".git/info/exclude": "*.private\n",
		".gitignore":     "*.log\n/sub/deep/no\n",
		"sub/.gitignore": "*.tmp\n!b.log\n", "sub/deep/a.go": "", "sub/deep/a.log": "", "sub/deep/b.log": "",
		"sub/deep/a.tmp": "",
		"sub/deep/no":    "", "sub/deep/a.private": ""})
	p.says("glob_files", arg{"pattern": "**", "path": "sub/deep"}, "a.go\nb.log\n")
	p.says("glob_files", arg{"pattern": "**", "path": "sub"}, ".gitignore\ndeep/a.go\ndeep/b.log\n")
	p.must(os.RemoveAll(p.at(".git")))
	p.says("glob_files", arg{"pattern": "**", "path": "sub/deep"}, "a.go\na.log\na.private\na.tmp\nb.log\nno\n")
}

func TestGrepFiles(t *testing.T) {
	p := source(t)
	p.put("many", strings.Repeat("line\n", 99)+"the hit\r\n"+strings.Repeat("line\n", 99))
	p.put("wide", strings.Repeat("a", 3000)+"needle"+strings.Repeat("b", 3000)+"\n")
	const binary = "[1 binary file was not searched]\n"
	for _, test := range []struct {
		args arg
		want string
	}{
		{arg{"pattern": `func \w+\(`}, "a.go:3:func A() {}\na/b.go:3:func B() {}\n" + binary},
		{arg{"pattern": "func", "output": "files"}, "a.go\na/b.go\nkeep.log\n" + binary},
		{arg{"pattern": "line", "output": "count", "file_pattern": "m*"}, "many:198\n"},
		{arg{"pattern": "PACKAGE", "ignore_case": true, "file_pattern": "lib/**/*.go"},
			"lib/build/in.go:1:package in\nlib/x/c.go:1:package c\n"},
		{arg{"pattern": "hit$", "context_lines": 1}, "many-99-line\nmany:100:the hit\nmany-101-line\n" + binary},
		{arg{"pattern": "^(func|text)", "context_lines": 2, "file_pattern": "a*"},
			"a.go-1-package a\na.go-2-\na.go:3:func A() {}\n--\na.txt:1:text of a\n"},
		{arg{"pattern": "line", "max_results": 2}, "many:1:line\nmany:2:line\n" +
			"[there are more than 2; use a narrower pattern or path, or a larger max_results]\n" + binary},
		{arg{"pattern": "line", "path": "many", "max_results": 1}, "many:1:line\n" +
			"[there are more than 1; use a narrower pattern or path, or a larger max_results]\n"},
		{arg{"pattern": "needle", "file_pattern": "wide"}, "wide:1:[2875 bytes] " + strings.Repeat("a", 125) + "needle" +
			strings.Repeat("b", 369) + " [2631 more bytes]\n"},
		{arg{"pattern": "binary", "path": "bin"}, "bin:1:func \ufffd binary\n"},
		{arg{"pattern": "func", "path": "x.log"}, "x.log:1:func log\n"},
		{arg{"pattern": "func", "path": "build"}, "o.go:1:func o\n"},
		{arg{"pattern": "git", "path": ".git"}, "config:1:func git\n"},
		{arg{"pattern": "nowhere", "path": "lib"}, "[no line matches in 6 files]\n"},
		{arg{"pattern": "nowhere", "path": "a.go"}, "[no line matches in 1 file]\n"},
		{arg{"pattern": "x", "path": "none"}, "Error: there is no file or directory none"},
		{arg{"pattern": "x", "path": "a.go/x"}, "Error: cannot read a.go/x: a part of the path is not a directory"},
		{arg{"pattern": "("}, "invalid: pattern is not a regular expression (RE2): error parsing regexp: missing closing " +
			"): `(`"},
		{arg{"pattern": ""}, "invalid: pattern is empty; it would match every line"},
		{arg{"pattern": "a\nb"}, "invalid: pattern has a newline in it; lines are searched one by one"},
		{arg{"pattern": "x", "output": "json"}, `invalid: output is "json"; it can be content, files or count`},
		{arg{"pattern": "x", "context_lines": 51}, "invalid: context_lines is 51; it must be 0 to 50"},
		{arg{"pattern": "x", "file_pattern": "[a"},
			`invalid: file_pattern: "**/[a" is not a pattern: a bracket is not closed, or it ends with a backslash`},
	} {
		p.says("grep_files", test.args, test.want)
	}
}

// TestASearchSaysWhatItLeftOut, and reads nothing that it must not.
func TestASearchSaysWhatItLeftOut(t *testing.T) {
	p := newProject(t, map[string]string{"a": "key", "b/secret": "key", "b/open": "key", "private/x": "key",
		"large":                 "key",
		"../.chibi/config.toml": "the key"})
	p.must(errors.Join(os.Truncate(p.at("large"), 11<<20), os.Link(p.at("../.chibi/config.toml"), p.at("hard")),
		os.Symlink("../../.chibi/config.toml", p.at("b/link"))))
	p.config.MayRead = func(real string) bool {
		return filepath.Base(real) != "secret" && filepath.Base(real) != "private"
	}
	p.open()
	p.says("grep_files", arg{"pattern": "key"}, "a:1:key\nb/open:1:key\n"+
		"[2 files or directories are not shown: permissions deny reading them]\n"+
		"[1 of chibi's own files with keys, settings or approvals was not searched]\n"+
		"[1 file over 10 MiB was not searched; name it as path to search it]\n")
	p.says("glob_files", arg{"pattern": "**"}, "a\nb/link\nb/open\nhard\nlarge\n"+
		"[2 files or directories are not shown: permissions deny reading them]\n")
	p.says("dir_list", arg{"depth": 2}, "b/\n  link -> ../../.chibi/config.toml\n  open (3 B)\na (3 B)\nhard (7 B)\n"+
		"large (11 MiB)\n[2 files or directories are not shown: permissions deny reading them]\n")
	p.mentions("grep_files", arg{"pattern": "key", "path": "large"}, "large:1:key")
	p.mentions("grep_files", arg{"pattern": "key", "path": "hard"}, "one of chibi's own files")
	p.says("grep_files", arg{"pattern": "key", "path": "~/.chibi"}, "[no line matches in 0 files]\n"+
		"[1 of chibi's own files with keys, settings or approvals was not searched]\n")
}

// TestASearchIsComplete over more files than are searched at a time, in their order.
func TestASearchIsComplete(t *testing.T) {
	p := newProject(t, nil)
	var want strings.Builder
	for i := range 300 {
		name := fmt.Sprintf("d%d/f%03d", i/70, i)
		p.put(name, fmt.Sprintf("number %d\n", i))
		fmt.Fprintf(&want, "%s:1:number %d\n", name, i)
	}
	p.says("grep_files", arg{"pattern": "number", "max_results": 1000}, want.String())
	p.mentions("grep_files", arg{"pattern": "number 2..", "max_results": 10},
		"d2/f209:1:number 209\n[there are more than 10;")
}

func TestDirList(t *testing.T) {
	p := source(t)
	p.put("sub/file", strings.Repeat("x", 2048))
	p.must(os.Symlink("a.go", p.at("link")))
	for _, test := range []struct {
		args arg
		want string
	}{
		{arg{"path": "lib"}, "build/\nx/\ny.ts (9 B)\nz.go (7 B)\n[2 hidden; show_hidden shows what begins with a dot]\n"},
		{arg{"path": "lib", "depth": 2, "show_hidden": true}, "build/\n  in.go (11 B)\nx/\n  c.go (10 B)\n  c.ts (9 B)\n" +
			".gitignore (7 B)\n.ignore (13 B)\ny.ts (9 B)\nz.go (7 B)\n"},
		{arg{"path": "sub"}, "file (2.0 KiB)\n"},
		{arg{"path": "a.go"}, "Error: a.go is not a directory"},
		{arg{"path": "none"}, "Error: there is no file or directory none"},
		{arg{"depth": 0}, "invalid: depth is 0; it must be at least 1"},
	} {
		p.says("dir_list", test.args, test.want)
	}
	p.mentions("dir_list", arg{}, "\nlink -> a.go\n")
	p.put("empty", "/")
	p.says("dir_list", arg{"path": "empty"}, "[there is nothing to show]\n")
	for i := range 1100 {
		p.put(fmt.Sprintf("full/%04d", i), "")
	}
	p.mentions("dir_list", arg{"path": "full"}, "\n0999 (0 B)\n[100 more; list a smaller directory, or fewer levels]\n")
}
