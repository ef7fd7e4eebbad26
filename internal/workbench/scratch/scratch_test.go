package scratch_test

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/chibi-host/chibi/internal/workbench/scratch"
	"github.com/google/go-cmp/cmp"
)

// person makes a home directory with files, by their paths, and sets the directory
// for temporary files.
func person(t *testing.T, files ...string) (user, temp string) {
	t.Helper()
	user, temp = filepath.Join(t.TempDir(), "ada"), t.TempDir()
	t.Setenv("TMPDIR", temp)
	for _, name := range files {
		path := filepath.Join(user, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(name), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return user, temp
}

func try(t *testing.T, real scratch.Real) *scratch.Home {
	t.Helper()
	h, err := scratch.Make("check", real)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(h.Remove)
	return h
}

// read is what a file says, "" if there is none.
func read(path string) string {
	data, _ := os.ReadFile(path)
	return string(data)
}

// names lists a directory.
func names(t *testing.T, dir string) (list []string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		list = append(list, e.Name())
	}
	return list
}

func TestAHomeLinksToEverythingButChibi(t *testing.T) {
	user, _ := person(t, ".chibi/config.toml", ".local/lib/python/site.py", "notes", ".netrc")
	h := try(t, scratch.Real{User: user, Chibi: filepath.Join(user, ".chibi")})
	if diff := cmp.Diff([]string{".chibi", ".local", ".netrc", "notes"}, names(t, h.User)); diff != "" {
		t.Error(diff)
	}
	if got := read(filepath.Join(h.User, ".local/lib/python/site.py")); got != ".local/lib/python/site.py" {
		t.Errorf("what is below a directory of the home is not there: %q", got)
	}
	if got := names(t, h.Chibi); h.Chibi != filepath.Join(h.User, ".chibi") || len(got) > 0 {
		t.Errorf("chibi's home is %s with %v", h.Chibi, got)
	}
}

// TestChibisHomeUnderAnyNameIsTheScratchOne has the home of chibi elsewhere.
func TestChibisHomeUnderAnyNameIsTheScratchOne(t *testing.T) {
	user, _ := person(t, "work-chibi/config.toml", "dotfiles/chibi/config.toml")
	if err := os.Symlink("dotfiles/chibi", filepath.Join(user, ".chibi")); err != nil {
		t.Fatal(err)
	}
	h := try(t, scratch.Real{User: user, Chibi: filepath.Join(user, "work-chibi")})
	for _, name := range []string{".chibi", "work-chibi"} {
		if got := names(t, filepath.Join(h.User, name)); len(got) > 0 {
			t.Errorf("%s holds %v", name, got)
		}
	}
}

func TestTheEnvironmentNamesTheScratchHome(t *testing.T) {
	user, _ := person(t, ".chibi/config.toml", ".config/x")
	h := try(t, scratch.Real{User: user, Chibi: filepath.Join(user, "elsewhere")})
	got := h.Environ([]string{
		"HOME=" + user, "CHIBI_HOME=" + user + "/elsewhere", "XDG_DATA_HOME=" + user + "/.chibi/data", "PATH=/bin",
		"XDG_CACHE_HOME=" + user + "/elsewhere", "XDG_CONFIG_HOME=" + user + "/.config", "XDG_STATE_HOME=",
		"CHIBI_STORE=nats://127.0.0.1",
	})
	want := []string{
		"XDG_DATA_HOME=" + h.Chibi + "/data", "PATH=/bin", "XDG_CACHE_HOME=" + h.Chibi,
		"XDG_CONFIG_HOME=" + user + "/.config", "XDG_STATE_HOME=", "HOME=" + h.User, "CHIBI_HOME=" + h.Chibi,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// TestRemovingKeepsWhatLinksLeadTo has links of every kind, and directories that a
// program has closed.
func TestRemovingKeepsWhatLinksLeadTo(t *testing.T) {
	user, temp := person(t, ".chibi/config.toml", "projects/deep/file", "notes")
	outside := filepath.Join(t.TempDir(), "kept")
	if err := os.WriteFile(outside, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	h := try(t, scratch.Real{User: user, Chibi: filepath.Join(user, ".chibi")})
	for link, target := range map[string]string{
		".chibi/all": user, ".chibi/parent": filepath.Dir(outside), "file": outside, ".chibi/circle": ".",
	} {
		if err := os.Symlink(target, filepath.Join(h.User, link)); err != nil {
			t.Fatal(err)
		}
	}
	closed := filepath.Join(h.User, "go/pkg")
	if err := os.MkdirAll(filepath.Join(closed, "mod"), 0o700); err != nil {
		t.Fatal(err)
	}
	for _, dir := range []string{closed, filepath.Dir(closed)} {
		if err := os.Chmod(dir, 0o500); err != nil {
			t.Fatal(err)
		}
	}
	h.Remove()
	if got := names(t, temp); len(got) > 0 {
		t.Errorf("left are %v", got)
	}
	for _, name := range []string{".chibi/config.toml", "projects/deep/file", "notes"} {
		if read(filepath.Join(user, name)) != name {
			t.Errorf("%s is gone", name)
		}
	}
	if _, err := os.Stat(outside); err != nil {
		t.Error(err)
	}
}

func TestARenewedHomeHasNothingOfTheTrialBefore(t *testing.T) {
	user, _ := person(t, ".chibi/config.toml", "notes")
	h := try(t, scratch.Real{User: user, Chibi: filepath.Join(user, ".chibi")})
	if err := os.Symlink(user, filepath.Join(h.User, "all")); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{".chibi/state/x", "new/file"} {
		if err := os.MkdirAll(filepath.Join(h.User, name), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	if err := h.Renew(); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{".chibi", "notes"}, names(t, h.User)); diff != "" {
		t.Error(diff)
	}
	if got := names(t, h.Chibi); len(got) > 0 || read(filepath.Join(user, "notes")) != "notes" {
		t.Errorf("chibi's home has %v", got)
	}
}

func TestWithoutAHomeDirectoryThereAreNoLinks(t *testing.T) {
	user, _ := person(t, "file")
	for _, real := range []scratch.Real{{}, {User: filepath.Join(user, "file")}, {User: filepath.Join(user, "none")}} {
		h := try(t, real)
		if got := names(t, h.User); len(got) != 1 || (h.Unlinked == nil) != (real.User == "") {
			t.Errorf("%+v: %v, %v", real, got, h.Unlinked)
		}
	}
}

func TestAHomeWithManyEntries(t *testing.T) {
	files := make([]string, 3000)
	for i := range files {
		files[i] = fmt.Sprintf("entry %d\n", i)
	}
	user, temp := person(t, files...)
	h := try(t, scratch.Real{User: user, Chibi: filepath.Join(user, ".chibi")})
	if got := names(t, h.User); len(got) != len(files)+1 {
		t.Errorf("%d entries", len(got))
	}
	h.Remove()
	if got := names(t, temp); len(got) > 0 {
		t.Errorf("left are %v", got)
	}
}
