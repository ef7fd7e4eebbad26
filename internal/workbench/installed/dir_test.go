package installed_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chibi-host/chibi/internal/workbench/installed"
	"github.com/chibi-host/chibi/plugin/process"
)

// newDir is the plugins directory of a new home, and the path of an executable.
func newDir(t *testing.T) (dir installed.Dir, guard string) {
	t.Helper()
	home, src := t.TempDir(), t.TempDir()
	return installed.Dir{Path: filepath.Join(home, "plugins"), Home: home}, write(t, filepath.Join(src, "guard"), 0o755)
}

func write(t *testing.T, path string, mode os.FileMode) string {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte("#!/bin/sh\n"), mode); err != nil {
		t.Fatal(err)
	}
	return path
}

func fetch(t *testing.T, given string) installed.Source {
	t.Helper()
	source, err := installed.Fetch(context.Background(), process.Runner{}, given)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(source.Close)
	return source
}

// TestAnInstalledPluginIsRecordedUntilItIsRemoved copies it and links to it.
func TestAnInstalledPluginIsRecordedUntilItIsRemoved(t *testing.T) {
	for _, test := range []struct {
		name    string
		install func(installed.Dir, installed.Source) error
		link    bool
	}{
		{"copied", installed.Dir.Copy, false},
		{"linked", installed.Dir.Link, true},
	} {
		t.Run(test.name, func(t *testing.T) {
			dir, guard := newDir(t)
			if err := test.install(dir, fetch(t, guard)); err != nil {
				t.Fatal(err)
			}
			info, err := dir.Stat("guard")
			if err != nil || (info.Mode()&os.ModeSymlink != 0) != test.link {
				t.Fatalf("there is %v, %v", info, err)
			}
			list, err := installed.Read(dir.Home)
			one := list["guard"]
			if err != nil || one.Source != guard || one.Link != test.link || one.Changed(dir.File("guard")) {
				t.Errorf("recorded: %+v, %v", one, err)
			}
			if err := os.WriteFile(guard, []byte("#!/bin/bash\n"), 0o755); err != nil {
				t.Fatal(err)
			}
			if one.Changed(dir.File("guard")) != test.link {
				t.Error("a change of the source is one of a link, not of a copy")
			}
			if err := dir.Free("guard"); err == nil || dir.Copy(fetch(t, guard)) == nil {
				t.Error("its name counts as free")
			}
			if err := dir.Remove("guard"); err != nil || dir.Forget("guard") != nil {
				t.Fatal(err)
			}
			entries, err := os.ReadDir(dir.Path)
			if list, _ := installed.Read(dir.Home); err != nil || len(entries) != 0 || len(list) != 0 {
				t.Errorf("left: %v, %v, %v", entries, list, err)
			}
			if _, err := os.Stat(guard); err != nil {
				t.Error("the source is gone")
			}
		})
	}
}

// TestWhatIsNotAPluginIsRefused: a plugin is an executable file, or a directory with
// one of its name.
func TestWhatIsNotAPluginIsRefused(t *testing.T) {
	src := t.TempDir()
	for _, test := range []struct {
		path string // of the file that is written
		mode os.FileMode
		give string
		want string // the error; "": none
	}{
		{"a", 0o755, "a", ""},
		{"b", 0o644, "b", "b is not executable; run: chmod +x "},
		{"c/c", 0o755, "c", ""},
		{"d/d", 0o644, "d", "d/d is not executable"},
		{"e/other", 0o755, "e", "e is a directory without an executable e in it"},
	} {
		write(t, filepath.Join(src, test.path), test.mode)
		err := fetch(t, filepath.Join(src, test.give)).Check()
		if test.want == "" && err != nil || test.want != "" && (err == nil || !strings.Contains(err.Error(), test.want)) {
			t.Errorf("%s: %v, want %q", test.give, err, test.want)
		}
	}
	if _, err := installed.Fetch(context.Background(), process.Runner{}, filepath.Join(src, "nothing")); err == nil {
		t.Error("what is not there was fetched")
	}
}

// TestAPluginIsNamedByAFileName: no name leads out of the directory.
func TestAPluginIsNamedByAFileName(t *testing.T) {
	dir, _ := newDir(t)
	write(t, dir.File("guard"), 0o755)
	write(t, dir.File("off.disabled"), 0o755)
	write(t, dir.File(".disabled"), 0o755)
	for _, test := range []struct {
		name          string
		has, disabled bool
	}{
		{"guard", true, false}, {"off", false, true}, {"off.disabled", true, false}, {"other", false, false},
		{"", false, false}, {".", false, false}, {"..", false, false}, {"../plugins", false, false},
		{"../plugins/off", false, false},
	} {
		if has, disabled := dir.Has(test.name), dir.HasDisabled(test.name); has != test.has || disabled != test.disabled {
			t.Errorf("%q: there %v, disabled %v", test.name, has, disabled)
		}
	}
	if err := dir.Enable("off"); err != nil || !dir.Has("off") || dir.HasDisabled("off") {
		t.Errorf("off was not enabled: %v", err)
	}
}
