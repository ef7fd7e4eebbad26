package trust_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/chibi-host/chibi/internal/systest"
	"github.com/chibi-host/chibi/internal/trust"
)

func write(t *testing.T, path, text string, mode fs.FileMode) {
	t.Helper()
	if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, []byte(text), mode),
		os.Chmod(path, mode)); err != nil {
		t.Fatal(err)
	}
}

// approve approves the directory "hooks" of a project as it is.
func approve(t *testing.T, root string, data ...string) trust.Approval {
	t.Helper()
	a := trust.Approval{Project: root, Format: trust.Format, Data: data}
	files, err := trust.Tree(root, "hooks")
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range a.Pinned("hooks", files) {
		a.Files = append(a.Files, f.File)
	}
	return a
}

// project is a directory with a hook, a file that it loads, a link and a log, and
// the approval of it.
func project(t *testing.T) (root string, a trust.Approval) {
	t.Helper()
	root, err := trust.RealPath(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	write(t, root+"/hooks/hook", "#!/bin/sh\n. lib.sh\n", 0o755)
	write(t, root+"/hooks/lib/lib.sh", "true\n", 0o644)
	write(t, root+"/hooks/hook.log", "one\n", 0o644)
	write(t, root+"/elsewhere.sh", "true\n", 0o644)
	if err := os.Symlink("../elsewhere.sh", root+"/hooks/link.sh"); err != nil {
		t.Fatal(err)
	}
	return root, approve(t, root, "*.log")
}

// TestAnApprovalIsForAllThatLiesBesideAHook: what a hook loads from there is as
// much code as the hook itself.
func TestAnApprovalIsForAllThatLiesBesideAHook(t *testing.T) {
	for _, test := range []struct {
		name string
		do   func(root string) error
		want string // in the reason; "" for none
	}{
		{"as it was", func(string) error { return nil }, ""},
		{"touched", func(f string) error { return os.Chtimes(f+"/hooks/hook", time.Unix(1, 0), time.Unix(1, 0)) }, ""},
		{"the hook's content", func(f string) error {
			return os.WriteFile(f+"/hooks/hook", []byte("#!/bin/sh\nrm\n"),
				0o755)
		}, "its content has changed since"},
		{"the hook's mode", func(f string) error { return os.Chmod(f+"/hooks/hook", 0o700) },
			"its mode has changed since it was approved, from -rwxr-xr-x to -rwx------"},
		{"the hook is gone", func(f string) error { return os.Remove(f + "/hooks/hook") }, "it was removed"},
		{"the hook is a link to what it was", func(f string) error {
			return errors.Join(os.Rename(f+"/hooks/hook", f+"/moved"), os.Symlink("../moved", f+"/hooks/hook"))
		}, "its link has changed since it was approved, from none to ../moved"},
		{"what it sources", func(f string) error { return os.WriteFile(f+"/hooks/lib/lib.sh", []byte("rm\n"), 0o644) },
			"beside it, lib/lib.sh: content has changed"},
		{"what a link leads to", func(f string) error { return os.WriteFile(f+"/elsewhere.sh", []byte("rm\n"), 0o644) },
			"beside it, link.sh: content has changed"},
		{"a module that takes the place of Python's own",
			func(f string) error { return os.WriteFile(f+"/hooks/json.py", nil, 0o644) }, "beside it, json.py: it is new"},
		{"a name of two lines", func(f string) error { return os.WriteFile(f+"/hooks/a\nchibi: b", nil, 0o644) },
			`beside it, "a\nchibi: b": it is new`},
		{"what Python compiled", func(f string) error {
			return errors.Join(os.Mkdir(f+"/hooks/__pycache__", 0o755),
				os.WriteFile(f+"/hooks/__pycache__/lib.cpython-312.pyc", nil, 0o644))
		}, "__pycache__/lib.cpython-312.pyc: it is new"},
		{"a file is gone", func(f string) error { return os.Remove(f + "/hooks/lib/lib.sh") },
			"beside it, lib/lib.sh: it was removed"},
		{"data", func(f string) error { return os.WriteFile(f+"/hooks/hook.log", []byte("two\n"), 0o644) }, ""},
		{"new data in a new directory", func(f string) error {
			return errors.Join(os.Mkdir(f+"/hooks/logs", 0o755), os.WriteFile(f+"/hooks/logs/x.log", nil, 0o644))
		}, ""},
		{"data that can be executed", func(f string) error { return os.Chmod(f+"/hooks/hook.log", 0o755) },
			"hook.log: it is new"},
		{"data that is a link", func(f string) error { return os.Symlink("../elsewhere.sh", f+"/hooks/x.log") },
			"x.log: it is new"},
		{"others may change the hook", func(f string) error { return os.Chmod(f+"/hooks/hook", 0o757) },
			"everybody on this machine may change hooks/hook; run: chmod go-w hooks/hook"},
		{"others may change what lies beside it", func(f string) error { return os.Chmod(f+"/hooks/lib/lib.sh", 0o646) },
			"may change hooks/lib/lib.sh"},
		{"others may add files", func(f string) error { return os.Chmod(f+"/hooks/lib", 0o777) }, "may change hooks/lib"},
		{"a link to a directory", func(f string) error { return os.Symlink("/etc", f+"/hooks/etc") },
			"hooks/etc is a link to a directory, which cannot be pinned"},
		{"a pipe, which is not waited for", func(f string) error { return systest.Mkfifo(f + "/hooks/pipe") },
			"pipe is not a regular file"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel() // each look waits until the files have rested
			root, a := project(t)
			if err := test.do(root); err != nil {
				t.Fatal(err)
			}
			err := a.Look("hooks")(root + "/hooks/hook")
			if test.want == "" && err != nil || test.want != "" && (err == nil || !strings.Contains(err.Error(), test.want)) {
				t.Errorf("reason %v, want %q", err, test.want)
			}
		})
	}
}

func TestAForeignGroupMayNotChangeAHook(t *testing.T) {
	if os.Getuid() != 0 {
		t.Skip("only root gives files to other groups")
	}
	root, a := project(t)
	path := root + "/hooks/hook"
	if err := errors.Join(os.Chown(path, -1, os.Getegid()+4711), os.Chmod(path, 0o775)); err != nil {
		t.Fatal(err)
	}
	if err := a.Look("hooks")(path); err == nil || !strings.Contains(err.Error(),
		"which is not yours, may change hooks/hook") {
		t.Errorf("reason %v", err)
	}
}

func TestWhatNobodyApprovedIsNotTrusted(t *testing.T) {
	root, a := project(t)
	hook := root + "/hooks/hook"
	old := a
	old.Format = 0
	for name, approval := range map[string]trust.Approval{"no approval": {Project: root},
		"one of an earlier version": old} {
		if err := approval.Look("hooks")(hook); !errors.Is(err, trust.ErrUntrusted) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if err := old.Look("hooks")(hook); !strings.Contains(err.Error(), "earlier version of chibi") {
		t.Errorf("an earlier version's approval is not explained: %v", err)
	}
	if err := a.Look("hooks")(root + "/hooks/other"); !errors.Is(err, trust.ErrUntrusted) {
		t.Errorf("a file that is not there: %v", err)
	}
}

// TestInterpreters: what runs a script must be the same program in every directory.
func TestInterpreters(t *testing.T) {
	root, err := trust.RealPath(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	write(t, root+"/own", "", 0o755)
	write(t, root+"/my own", "", 0o755)
	write(t, root+"/bash", "", 0o755)
	t.Chdir(root)
	for line, refused := range map[string]bool{
		"#!/bin/sh own": true, "#!/bin/sh my own": true, "#! /usr/bin/env -S sh own": true, "#!/usr/bin/awk -fown": true,
		"#!/usr/bin/env BASH_ENV=own bash": true,
		"#!/proc/self/cwd/own":             true, "#!/bin/sh /proc/self/cwd/own": true, "#!/bin/sh " + root + "/own": true,
		"#!/usr/bin/env bash": false, "#!/usr/bin/env -S deno run": false, "#!/bin/sh " + root + "/hooks/hook": false,
		"#!/bin/sh": false, "#! /usr/bin/env python3": false, "#!/usr/bin/env -S python3 -u": false, "no script": false,
		"#!/bin/bash -e":                    false,
		"#!/usr/bin/env -S/usr/bin/python3": false, "#!/usr/bin/env LANG=C python3": false, "#!" +
			root + "/hooks/run": false,
		"#!./x": true, "#!bin/x": true, "#!x": true, "#!/usr/bin/env ./x": true, "#!/usr/bin/env -S ./x -u": true,
		"#!/usr/bin/env -S../x": true,
		"#!/usr/bin/env bin/x":  true, "#!/usr/bin/env -S PATH=bin x": true,
		"#!/usr/bin/env -S PYTHONPATH=./lib python3": true,
		"#!/usr/bin/env -S --chdir=/tmp x":           true, "#!/usr/bin/env -C . x": true, "#!/usr/bin/perl -I./lib": true,
		"#!" + root + "/venv/bin/python": true,
	} {
		if strings.Contains(line, "/proc/") && runtime.GOOS != "linux" {
			continue
		}
		write(t, root+"/hooks/hook", line+"\n", 0o755)
		a := approve(t, root)
		err := a.Look("hooks")(root + "/hooks/hook")
		if refused != (err != nil) || err != nil && !strings.Contains(err.Error(), "its first line names") {
			t.Errorf("%s: %v, want refused %v", line, err, refused)
		}
	}
}

func TestDataIsNeverWhatCouldBeLoadedAsCode(t *testing.T) {
	for pattern, allowed := range map[string]bool{
		"*.log": true, "state/*.json": true, "seen.db": true, "*.sqlite3-wal": true,
		"": false, "*": false, "*.py": false, "*.sh": false, "lib": false, "*.so": false, "*.pyc": false, "*.js": false,
		"*.[l]og": false, "*.*": false,
		"package.json": false, "__pycache__/*.json": false, ".*.json": false, "/tmp/*.log": false, "[": false,
	} {
		if err := trust.CheckData(pattern); allowed != (err == nil) {
			t.Errorf("%q: %v, want allowed %v", pattern, err, allowed)
		}
	}
}

// TestARecipeIsApprovedByTheBytesThatWereRead, whatever the file holds by then.
func TestARecipeIsApprovedByTheBytesThatWereRead(t *testing.T) {
	root, err := trust.RealPath(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	path := root + "/recipes/r.md"
	write(t, path, "hello", 0o644)
	seen, err := trust.Read(root, "recipes/r.md")
	if err != nil {
		t.Fatal(err)
	}
	a := trust.Approval{Project: root, Format: trust.Format, Files: []trust.File{seen.File}}
	write(t, path, "changed", 0o644)
	for _, test := range []struct {
		name, path, text string
		mode             fs.FileMode
		approval         trust.Approval
		want             bool
	}{
		{"what was approved", path, "hello", 0o644, a, true},
		{"other bytes", path, "changed", 0o644, a, false},
		{"another mode", path, "hello", 0o600, a, false},
		{"another file", root + "/recipes/s.md", "hello", 0o644, a, false},
		{"an approval of an earlier version", path, "hello", 0o644, trust.Approval{Project: root, Files: a.Files}, false},
	} {
		if err := test.approval.Content(test.path, []byte(test.text), test.mode); (err == nil) != test.want || err != nil &&
			!errors.Is(err, trust.ErrUntrusted) {
			t.Errorf("%s: %v", test.name, err)
		}
	}
}

func TestState(t *testing.T) {
	_, a := project(t)
	now := a.Files[0]
	changed, mode, link := now, now, now
	changed.SHA256, mode.Mode, link.Link = "x", "-rwxrwxrwx", "/x"
	for want, f := range map[string]trust.File{
		"approved": now, "content changed, was " + now.SHA256[:12]: changed,
		"mode changed from -rwxr-xr-x": mode, "new": {Path: "other"},
		"link changed, was none": link,
	} {
		if got := a.State(f); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
	if got := (trust.Approval{}).State(now); got != "not approved" {
		t.Errorf("%q", got)
	}
	if got := (trust.Approval{Files: a.Files}).State(now); got != "approved for an earlier version of chibi" {
		t.Errorf("%q", got)
	}
}
