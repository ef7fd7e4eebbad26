//go:build unix

package baseline_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/chibi-host/chibi/internal/baseline"
)

// project is a directory in which a command may write.
type project struct {
	t    *testing.T
	root string
}

// files are those that each project has.
func files() map[string]string {
	return map[string]string{
		".git/HEAD": "ref: refs/heads/main\n", ".git/config": "[core]\n\tbare = false\n",
		".git/hooks/pre-push": "#!/bin/sh\n", ".git/hooks/pre-push.sample": "#!/bin/sh\n", ".git/hooks/lib/a": "a",
		".git/modules/lib/s/HEAD": "x", ".git/modules/lib/s/config": "[core]\n", ".git/modules/lib/s/hooks/post-commit": "x",
		".git/worktrees/w/commondir": "../..\n", ".git/objects/ab/cd": "object",
		".claude/settings.json": "{}", ".claude/worktrees/w/file": "x", ".chibi/recipes/r": "r", "src/main": "code",
	}
}

func newProject(t *testing.T) project {
	t.Helper()
	root, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	p := project{t, filepath.Join(root, "project")}
	for name, text := range files() {
		p.write(name, text)
	}
	return p
}

func (p project) path(name string) string { return filepath.Join(p.root, name) }

func (p project) write(name, text string) {
	p.t.Helper()
	path := p.path(name)
	if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, []byte(text), 0o644)); err != nil {
		p.t.Fatal(err)
	}
}

func (p project) must(errs ...error) {
	p.t.Helper()
	if err := errors.Join(errs...); err != nil {
		p.t.Fatal(err)
	}
}

// state describes all that is in a directory.
func state(t *testing.T, root string) (list []string) {
	t.Helper()
	err := filepath.WalkDir(root, func(path string, d os.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		text := ""
		switch {
		case info.Mode().IsRegular():
			var data []byte
			data, err = os.ReadFile(path)
			text = string(data)
		case info.Mode()&os.ModeSymlink != 0:
			text, err = os.Readlink(path)
		}
		rel, _ := filepath.Rel(root, path)
		list = append(list, fmt.Sprintf("%s %s %.40q", rel, info.Mode(), text))
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return list
}

func told(p project, changes []baseline.Change) (list []string) {
	for _, c := range changes {
		rel, _ := filepath.Rel(p.root, c.Path)
		what := c.What
		if c.Settings != nil {
			what = strings.Join(c.Settings, " ")
		}
		list = append(list, rel+": "+what)
	}
	return list
}

// putBack puts everything back, again as long as something differs.
func putBack(t *testing.T, w baseline.Watch, before *baseline.Baseline) {
	t.Helper()
	for range 20 {
		changes := before.Compare(w.Take(before))
		if len(changes) == 0 {
			return
		}
		for _, c := range changes {
			if err := before.PutBack(c); err != nil {
				t.Log(err)
			}
		}
	}
	t.Errorf("it still differs: %v", before.Compare(w.Take(before)))
}

// TestWhatACommandChanges is found and put back, so that all is as before; or it is left alone.
func TestWhatACommandChanges(t *testing.T) {
	for name, test := range map[string]struct {
		command func(p project)
		want    []string // nil: what was done is no concern
	}{
		"work": {func(p project) {
			p.write("src/main", "more")
			p.write(".git/objects/ef/gh", "object")
			p.write(".git/refs/heads/main", "id")
			p.write(".git/hooks/new.sample", "x")
			p.write(".claude/worktrees/w/more", "x")
			p.write(".git/worktrees/n/commondir", "../..\n")
			p.must(os.Chtimes(p.path(".git/hooks/pre-push"), time.Now(), time.Unix(1, 0)))
		}, nil},
		"settings that run nothing": {func(p project) {
			p.write(".git/config", "[core]\n\tbare = false\n[remote \"r\"]\n\turl = u\n[user]\n\tname = n\n")
			p.write(".git/modules/new/HEAD", "x")
			p.write(".git/modules/new/config", "[core]\n\tworktree = ../../../new\n")
		}, nil},
		"an empty directory": {func(p project) { p.must(os.Mkdir(p.path(".claude/empty"), 0o755)) },
			[]string{".claude/empty: new"}},
		"many empty directories": {func(p project) {
			for i := range baseline.MaxFiles + 500 {
				p.must(os.Mkdir(p.path(fmt.Sprintf(".git/hooks/%d", i)), 0o755))
			}
		}, []string{".git/hooks/"}},
		"settings that may not be written": {func(p project) {
			p.write(".git/config", "[core]\n\tbare = false\n\tfsmonitor = x\n")
			p.must(os.Chmod(p.path(".git/config"), 0o400), os.Chmod(p.path(".git"), 0o500))
		}, []string{".git: its permissions changed", ".git/config: core.fsmonitor"}},
		"a hook where nothing may be written": {func(p project) {
			p.write(".git/hooks/d/a", "x")
			p.must(os.Chmod(p.path(".git/hooks/d"), 0o500), os.Chmod(p.path(".git/hooks"), 0o500))
		}, []string{".git/hooks: its permissions changed", ".git/hooks/d/a: new"}},
		"a new hook": {func(p project) { p.write(".git/hooks/a", "x") }, []string{".git/hooks/a: new"}},
		"a new hook in a new directory": {func(p project) { p.write(".git/hooks/d/e/a", "x") },
			[]string{".git/hooks/d/e/a: new"}},
		"a changed hook": {func(p project) { p.write(".git/hooks/pre-push", "x") },
			[]string{".git/hooks/pre-push: changed"}},
		"a removed hook": {func(p project) { p.must(os.Remove(p.path(".git/hooks/pre-push"))) },
			[]string{".git/hooks/pre-push: removed"}},
		"a hook without rights": {func(p project) { p.must(os.Chmod(p.path(".git/hooks/pre-push"), 0o400)) },
			[]string{".git/hooks/pre-push: its permissions changed"}},
		"hooks that others write": {func(p project) { p.must(os.Chmod(p.path(".git/hooks"), 0o777)) },
			[]string{".git/hooks: its permissions changed"}},
		"a file that may not be read": {func(p project) { p.must(os.Chmod(p.path(".claude/settings.json"), 0)) },
			[]string{".claude/settings.json: "}},
		"a hook of the same length and time": {func(p project) {
			info, err := os.Stat(p.path(".git/hooks/pre-push"))
			p.write(".git/hooks/pre-push", "#!/bin/xx\n")
			p.must(err, os.Chtimes(p.path(".git/hooks/pre-push"), info.ModTime(), info.ModTime()))
		}, []string{".git/hooks/pre-push: changed"}},
		"a hook by its other name": {func(p project) {
			p.must(os.Link(p.path(".git/hooks/pre-push"), p.path("src/x")))
			p.write("src/x", "evil")
			p.must(os.Remove(p.path("src/x")))
		}, []string{".git/hooks/pre-push: changed"}},
		"removed hooks": {func(p project) { p.must(os.RemoveAll(p.path(".git/modules/lib/s/hooks"))) },
			[]string{".git/modules/lib/s/hooks/post-commit: removed"}},
		"a hook of a submodule": {func(p project) { p.write(".git/modules/lib/s/hooks/a", "x") },
			[]string{".git/modules/lib/s/hooks/a: new"}},
		"settings of a new submodule": {func(p project) {
			p.write(".git/modules/lib/n/config", "[core]\n\tfsmonitor = x\n")
		}, []string{".git/modules/lib/n/config: core.fsmonitor"}},
		"a monitor": {func(p project) { p.write(".git/config", "[core]\n\tbare = false\n\tfsmonitor = x\n") },
			[]string{".git/config: core.fsmonitor"}},
		"settings of a working tree": {func(p project) { p.write(".git/config.worktree", "[core]\n\thooksPath = x\n") },
			[]string{".git/config.worktree: core.hookspath"}},
		"settings that git cannot read": {func(p project) { p.write(".git/config", "[core") },
			[]string{".git/config: git cannot read it: line 1: want a subsection in quotes"}},
		"settings as a link": {func(p project) {
			p.write("src/config", "[core]\n\tfsmonitor = x\n")
			p.must(os.Remove(p.path(".git/config")), os.Symlink("../src/config", p.path(".git/config")),
				os.Remove(p.path("src/config")))
		}, []string{".git/config: is a link to ../src/config now"}},
		"settings as a directory": {func(p project) {
			p.must(os.Remove(p.path(".git/config")), os.MkdirAll(p.path(".git/config/x"), 0o755))
		}, []string{".git/config: is a directory now"}},
		"settings as a pipe": {func(p project) {
			p.must(os.Remove(p.path(".git/config")), syscall.Mkfifo(p.path(".git/config"), 0o644))
		}, []string{".git/config: is neither a file, a directory nor a link now"}},
		"a pipe": {func(p project) { p.must(syscall.Mkfifo(p.path(".mcp.json"), 0o644)) },
			[]string{".mcp.json: new"}},
		"a common directory": {func(p project) { p.write(".git/commondir", "../src") },
			[]string{".git/commondir: new"}},
		"a common directory of a working tree": {func(p project) { p.write(".git/worktrees/w/commondir", "../../../src") },
			[]string{".git/worktrees/w/commondir: changed"}},
		"servers":            {func(p project) { p.write(".mcp.json", "{}") }, []string{".mcp.json: new"}},
		"settings of agents": {func(p project) { p.write(".claude/a/b", "x") }, []string{".claude/a/b: new"}},
		"a directory as a link that leads out": {func(p project) {
			p.must(os.RemoveAll(p.path(".chibi")), os.Symlink("../outside", p.path(".chibi")))
		}, []string{".chibi: is a link to ../outside now"}},
		"a directory in one as a link that leads out": {func(p project) {
			p.must(os.RemoveAll(p.path(".git/hooks/lib")), os.Symlink("../../../outside", p.path(".git/hooks/lib")))
		}, []string{".git/hooks/lib: is a link to ../../../outside now"}},
		"a repository as a link": {func(p project) {
			p.must(os.Rename(p.path(".git"), p.path("src/git")), os.Symlink("src/git", p.path(".git")))
			p.must(os.RemoveAll(p.path("src/git/objects")), os.Remove(p.path("src/git/HEAD")))
			p.must(os.RemoveAll(p.path("src/git")))
		}, []string{".git: is a link to src/git now"}},
		"a link among them": {func(p project) { p.must(os.Symlink("/etc", p.path(".claude/etc"))) },
			[]string{".claude/etc: new"}},
		"a directory that is a file": {func(p project) {
			p.must(os.RemoveAll(p.path(".claude/worktrees")), os.RemoveAll(p.path(".chibi/recipes")))
			p.write(".chibi/recipes", "x")
			p.write(".claude/worktrees/w/file", "x")
		}, []string{".chibi/recipes: is a file now"}},
		"many files": {func(p project) {
			for i := range baseline.MaxFiles + 500 {
				p.write(fmt.Sprintf(".claude/new/%d", i), "")
			}
		}, []string{".claude/new: new"}},
		"many hooks": {func(p project) {
			for i := range baseline.MaxFiles + 500 {
				p.write(fmt.Sprintf(".git/hooks/%d", i), "")
			}
			p.write(".git/hooks/pre-push", "evil")
		}, []string{".git/hooks/pre-push: changed"}},
		"much before a hook": {func(p project) {
			p.write(".chibi/a", "x")
			p.write(".chibi/b", "x")
			p.must(os.Truncate(p.path(".chibi/a"), baseline.MaxBytes-1), os.Truncate(p.path(".chibi/b"), baseline.MaxBytes))
			p.write(".git/hooks/pre-push", "evil")
		}, []string{".chibi/a: new", ".chibi/b: new", ".git/hooks/pre-push: changed"}},
		"deep directories": {func(p project) { p.write(".claude/"+strings.Repeat("d/", 60)+"x", "x") },
			[]string{".claude/d/d/"}},
	} {
		t.Run(name, func(t *testing.T) {
			p := newProject(t)
			w := baseline.New(baseline.Options{Dirs: []string{p.root}, Projects: []string{p.root}})
			before := w.Take(nil)
			was, outside := state(t, p.root), filepath.Join(filepath.Dir(p.root), "outside")
			p.write("../outside/settings.json", "mine")
			p.write("../outside/a", "mine")
			untouched := state(t, outside)
			test.command(p)
			now := w.Take(before)
			changes := before.Compare(now)
			got := told(p, changes)
			if !begin(got, test.want) {
				t.Errorf("told %q, want %q", got, test.want)
			}
			for _, c := range changes {
				c.Diff()
			}
			putBack(t, w, before)
			if name == "a repository as a link" { // what is in it beside is gone
				is, err := os.Lstat(p.path(".git"))
				text, err2 := os.ReadFile(p.path(".git/hooks/pre-push"))
				if p.must(err, err2); !is.IsDir() || string(text) != files()[".git/hooks/pre-push"] {
					t.Errorf("%v, %q", is, text)
				}
				return
			}
			if is := state(t, p.root); test.want != nil && !slices.Equal(is, was) {
				t.Errorf("put back:\n%s\nwant:\n%s", strings.Join(is, "\n"), strings.Join(was, "\n"))
			}
			if is := state(t, outside); !slices.Equal(is, untouched) {
				t.Errorf("outside: %q", is)
			}
		})
	}
}

// begin reports whether each of some wanted texts begins one that is there, and nothing else is, but
// for a flood.
func begin(got, want []string) bool {
	for _, text := range want {
		if !slices.ContainsFunc(got, func(s string) bool { return strings.HasPrefix(s, text) }) {
			return false
		}
	}
	return len(got) == len(want) || len(got) > baseline.MaxFiles/2
}

// TestWhereItIsLookedAt: a repository is followed to where it is, its hooks to where its settings say,
// as long as commands may write there.
func TestWhereItIsLookedAt(t *testing.T) {
	p := newProject(t)
	p.write("wt/.git", "gitdir: ../.git/worktrees/w\n")
	p.write(".git/config", "[core]\n\thooksPath = tools/hooks\n")
	p.write("tools/hooks/pre-push", "x")
	p.write("home/.gitconfig", "[core]\n\thooksPath = githooks\n")
	p.write("bare/HEAD", "x")
	p.write("bare/objects/a", "x")
	p.write("bare/refs/a", "x")
	p.must(os.Symlink(p.path("src"), p.path("link")))
	p.write("other/.git/config", "[include]\n\tpath = ../shared\n")
	p.write("other/shared", "[include]\n\tpath = shared\n\tpath = more\n")
	p.write("other/more", "[a]\n")
	p.write("other/mcp.json", "{}")
	p.write("other/hooks/a", "x")
	p.must(os.Symlink("mcp.json", p.path("other/.mcp.json")), os.Symlink("../hooks", p.path("other/.git/hooks")))
	for name, test := range map[string]struct {
		options baseline.Options
		file    string
		want    []string
	}{
		"hooks elsewhere": {baseline.Options{Dirs: []string{p.root}}, "tools/hooks/post-commit",
			[]string{"tools/hooks/post-commit: new"}},
		"hooks of a working tree": {baseline.Options{Dirs: []string{p.path("wt"), p.path(".git")}}, ".git/hooks/a",
			[]string{".git/hooks/a: new"}},
		"hooks of a working tree that commands cannot write": {baseline.Options{Dirs: []string{p.path("wt")}},
			".git/hooks/a", nil},
		"where a working tree is": {baseline.Options{Dirs: []string{p.path("wt")}}, "wt/.git",
			[]string{"wt/.git: changed"}},
		"a repository without a working tree": {baseline.Options{Dirs: []string{p.path("bare")}}, "bare/hooks/a",
			[]string{"bare/hooks/a: new"}},
		"hooks of a repository that is in the project": {baseline.Options{Dirs: []string{p.root}}, "sub/.git/hooks/a", nil},
		"the current directory": {baseline.Options{Dirs: []string{p.root}, Projects: []string{p.path("src")}},
			"src/.mcp.json", []string{"src/.mcp.json: new"}},
		"a directory below": {baseline.Options{Dirs: []string{p.root}}, "src/.mcp.json", nil},
		"by a link":         {baseline.Options{Dirs: []string{p.path("link")}}, "src/.mcp.json", nil},
		"a directory of two names": {baseline.Options{Dirs: []string{p.path("src"), p.path("link")}}, "src/.mcp.json",
			[]string{"src/.mcp.json: new"}},
		"what is allowed": {baseline.Options{Dirs: []string{p.root}, Allowed: []string{".git/hooks"}}, ".git/hooks/a", nil},
		"beside what is allowed": {baseline.Options{Dirs: []string{p.root}, Allowed: []string{".git/hooks/a"}},
			".git/hooks/aa", []string{".git/hooks/aa: new"}},
		"where commands may write": {baseline.Options{Dirs: []string{p.root, p.path(".claude")},
			Allowed: []string{p.path(".claude")}},
			".claude/a", nil},
		"where commands may write more than agents": {baseline.Options{Dirs: []string{p.root}, Allowed: []string{p.root}},
			".claude/a", []string{".claude/a: new"}},
		"what a link leads to": {baseline.Options{Dirs: []string{p.path("other")}}, "other/mcp.json",
			[]string{"other/mcp.json: changed"}},
		"hooks that a link leads to": {baseline.Options{Dirs: []string{p.path("other")}}, "other/hooks/a",
			[]string{"other/hooks/a: changed"}},
		"settings that are included": {baseline.Options{Dirs: []string{p.path("other")}}, "other/more",
			[]string{"other/more: core.pager"}},
		"what is allowed by its whole path": {baseline.Options{Dirs: []string{p.root},
			Allowed: []string{p.path("tools/hooks")}}, "tools/hooks/a", nil},
		"what makes a directory a repository": {baseline.Options{Dirs: []string{p.root}}, "HEAD", []string{"HEAD: new"}},
		"the branch of a repository without a working tree": {baseline.Options{Dirs: []string{p.path("bare")}},
			"bare/HEAD", nil},
		"hooks of all repositories": {baseline.Options{Dirs: []string{p.path("other")}, Home: p.path("home")},
			"other/githooks/a", []string{"other/githooks/a: new"}},
		"a directory that is not there": {baseline.Options{Dirs: []string{p.path("none")}}, "none/.mcp.json", nil},
	} {
		t.Run(name, func(t *testing.T) {
			p := project{t, p.root}
			w := baseline.New(test.options)
			before, was := w.Take(nil), state(t, p.root)
			text, _ := os.ReadFile(p.path(test.file))
			p.write(test.file, string(text)+"[core]\n\tpager = x\n")
			got := told(p, before.Compare(w.Take(before)))
			if !slices.Equal(got, test.want) {
				t.Errorf("told %q, want %q", got, test.want)
			}
			putBack(t, w, before)
			if test.want != nil && !slices.Equal(state(t, p.root), was) {
				t.Error("it is not as it was")
			}
			if p.must(os.RemoveAll(p.path(test.file))); text != nil {
				p.write(test.file, string(text))
			}
		})
	}
}

// TestWhatIsTooMuchIsNamed, and the rest is looked at.
func TestWhatIsTooMuchIsNamed(t *testing.T) {
	p := newProject(t)
	for i := range baseline.MaxFiles {
		p.write(fmt.Sprintf(".claude/%d", i), "")
	}
	w := baseline.New(baseline.Options{Dirs: []string{p.root}})
	before := w.Take(nil)
	if want := []string{p.path(".claude") + " (more than 1000 files)"}; !slices.Equal(before.Skipped[:1], want) {
		t.Errorf("%q, want %q", before.Skipped, want)
	}
	p.write(".git/hooks/pre-push", "evil")
	p.write(".claude/new", "x")
	if got := told(p, before.Compare(w.Take(before))); !slices.Equal(got, []string{".git/hooks/pre-push: changed"}) {
		t.Errorf("told %q", got)
	}
}

// TestAHookBehindManySamples is found: what is not looked at hides nothing.
func TestAHookBehindManySamples(t *testing.T) {
	p := newProject(t)
	w := baseline.New(baseline.Options{Dirs: []string{p.root}})
	before := w.Take(nil)
	for i := range 20 * baseline.MaxFiles {
		p.must(os.Link(p.path("src/main"), p.path(fmt.Sprintf(".git/hooks/%d.sample", i))))
	}
	p.write(".git/hooks/post-merge", "evil")
	if got := told(p, before.Compare(w.Take(before))); !slices.Equal(got, []string{".git/hooks/post-merge: new"}) {
		t.Errorf("told %q", got)
	}
}

// BenchmarkTake is what one look costs, and one after that.
func BenchmarkTake(b *testing.B) {
	for _, n := range []int{0, 1000} {
		root := b.TempDir()
		write := func(name string) {
			path := filepath.Join(root, name)
			err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, make([]byte, 2000), 0o644))
			if err != nil {
				b.Fatal(err)
			}
		}
		for i := range 12 {
			write(fmt.Sprintf(".git/hooks/%d.sample", i))
		}
		for i := range n - 10 {
			write(fmt.Sprintf(".claude/%d/%d", i%20, i))
		}
		w := baseline.New(baseline.Options{Dirs: []string{root}, Projects: []string{root}})
		b.Run(fmt.Sprintf("first/%d", n), func(b *testing.B) {
			for b.Loop() {
				baseline.New(baseline.Options{Dirs: []string{root}, Projects: []string{root}}).Take(nil)
			}
		})
		before := w.Take(nil)
		time.Sleep(200 * time.Millisecond)
		before = w.Take(before)
		b.Run(fmt.Sprintf("again/%d", n), func(b *testing.B) {
			for b.Loop() {
				before.Compare(w.Take(before))
			}
		})
	}
}
