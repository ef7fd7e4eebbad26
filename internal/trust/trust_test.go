package trust_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/chibi-host/chibi/internal/trust"
	"github.com/chibi-host/chibi/plugin"
)

// project is a folder with one executable, and its approval.
func project(t *testing.T) (folder string, a trust.Approval) {
	t.Helper()
	folder, err := trust.Folder(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(folder, "hook"), []byte("#!/bin/sh\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	now, err := trust.Fingerprint(folder, "hook")
	if err != nil {
		t.Fatal(err)
	}
	return folder, trust.Approval{Folder: folder, Files: []trust.File{now}}
}

func TestCheck(t *testing.T) {
	for _, test := range []struct {
		name string
		do   func(path string) error
		want string // in the error; "" for none
	}{
		{"as it was", func(string) error { return nil }, ""},
		{"touched", func(path string) error { return os.Chtimes(path, time.Unix(1, 0), time.Unix(1, 0)) }, ""},
		{"other content", func(path string) error { return os.WriteFile(path, []byte("#!/bin/sh\nrm\n"), 0o755) }, "its content has changed"},
		{"another mode", func(path string) error { return os.Chmod(path, 0o777) }, "its mode has changed since it was approved, from -rwxr-xr-x to -rwxrwxrwx"},
		{"gone", os.Remove, "no such file"},
		{"a link to something else", func(path string) error {
			return errors.Join(os.Remove(path), os.Symlink("/bin/sh", path))
		}, "its content has changed"},
		{"a folder", func(path string) error { return errors.Join(os.Remove(path), os.Mkdir(path, 0o755)) }, "not a regular file"},
	} {
		t.Run(test.name, func(t *testing.T) {
			folder, a := project(t)
			path := filepath.Join(folder, "hook")
			if err := test.do(path); err != nil {
				t.Fatal(err)
			}
			err := a.Check(path)
			if test.want == "" && err != nil || test.want != "" && (!errors.Is(err, plugin.ErrUntrusted) || !strings.Contains(err.Error(), test.want)) {
				t.Errorf("error %v, want %q", err, test.want)
			}
		})
	}
	folder, a := project(t)
	if err := a.Check(filepath.Join(folder, "other")); !errors.Is(err, plugin.ErrUntrusted) {
		t.Errorf("a file that nobody approved: %v", err)
	}
	if err := (trust.Approval{Folder: folder}).Check(filepath.Join(folder, "hook")); !errors.Is(err, plugin.ErrUntrusted) {
		t.Errorf("no approval at all: %v", err)
	}
}

func TestApprovalsAreKept(t *testing.T) {
	store := trust.Open(filepath.Join(t.TempDir(), "home"))
	folder, a := project(t)
	if got, err := store.Find(folder); err != nil || len(got.Files) != 0 {
		t.Errorf("before: %+v, %v", got, err)
	}
	if err := store.Approve(a); err != nil {
		t.Fatal(err)
	}
	got, err := store.Find(folder)
	if err != nil || got.Check(filepath.Join(folder, "hook")) != nil {
		t.Errorf("approved: %+v, %v", got, err)
	}
	if found, err := store.Revoke(folder); !found || err != nil {
		t.Errorf("revoked: %v, %v", found, err)
	}
	if found, err := store.Revoke(folder); found || err != nil {
		t.Errorf("revoked twice: %v, %v", found, err)
	}
	if got, _ := store.Find(folder); len(got.Files) != 0 {
		t.Errorf("after: %+v", got)
	}
}

func TestADamagedListApprovesNothingAndIsNotOverwritten(t *testing.T) {
	home := t.TempDir()
	path := filepath.Join(home, "trust.json")
	if err := os.WriteFile(path, []byte(`[{"folder": `), 0o600); err != nil {
		t.Fatal(err)
	}
	store := trust.Open(home)
	folder, a := project(t)
	if got, err := store.Find(folder); err == nil || len(got.Files) != 0 {
		t.Errorf("found %+v, %v", got, err)
	}
	if err := store.Approve(a); err != nil {
		t.Error(err)
	}
	if kept, _ := filepath.Glob(path + ".damaged-*"); len(kept) != 1 {
		t.Errorf("the damaged list was overwritten; kept aside: %v", kept)
	}
}

func TestApprovalsOfManyAtOnceAreAllKept(t *testing.T) {
	store := trust.Open(t.TempDir())
	var wg sync.WaitGroup
	for i := range 20 {
		wg.Go(func() {
			if err := store.Approve(trust.Approval{Folder: strings.Repeat("x", i+1)}); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	if all, err := store.List(); len(all) != 20 || err != nil {
		t.Errorf("%d kept, %v", len(all), err)
	}
}

func TestState(t *testing.T) {
	_, a := project(t)
	now := a.Files[0]
	changed, mode := now, now
	changed.SHA256, mode.Mode = "x", "-rwxrwxrwx"
	for want, f := range map[string]trust.File{
		"approved": now, "content changed, was " + now.SHA256[:12]: changed, "mode changed from -rwxr-xr-x": mode, "new": {Path: "other"},
	} {
		if got := a.State(f); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
	if got := (trust.Approval{}).State(now); got != "not approved" {
		t.Errorf("%q", got)
	}
}

// TestAPipeIsNotWaitedFor: a pipe instead of a file would block whoever opens it.
func TestAPipeIsNotWaitedFor(t *testing.T) {
	folder := t.TempDir()
	if err := syscall.Mkfifo(filepath.Join(folder, "pipe"), 0o644); err != nil {
		t.Skip(err)
	}
	if _, err := trust.Fingerprint(folder, "pipe"); err == nil {
		t.Error("a pipe has a fingerprint")
	}
}
