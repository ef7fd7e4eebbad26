package doctor

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestDoctorFindsWhatOthersMayChange holds that each finding's command corrects it.
func TestDoctorFindsWhatOthersMayChange(t *testing.T) {
	mode := func(mode os.FileMode) func(string) error {
		return func(path string) error { return os.Chmod(path, mode) }
	}
	group := func(mode os.FileMode) func(string) error {
		return func(path string) error { return errors.Join(os.Chown(path, -1, 12345), os.Chmod(path, mode)) }
	}
	owner := func(path string) error { return os.Chown(path, 12345, -1) }
	for _, tt := range []struct {
		name, path string
		spoil      func(path string) error
		found      string
	}{
		{"config.toml of the group", ".chibi/config.toml", group(0o664), "others may change"},
		{"config.toml of everybody", ".chibi/config.toml", mode(0o646), "others may change"},
		{"models.toml", ".chibi/models.toml", mode(0o666), "others may change"},
		{"what is trusted", ".chibi/trust.json", mode(0o666), "others may change"},
		{"the home", ".chibi", mode(0o777), "others may change"},
		{"a directory above the home", ".", mode(0o777), "others may change"},
		{"the configuration of a context", ".chibi/contexts/work/local.toml", group(0o664), "others may change"},
		{"a context", ".chibi/contexts/work", group(0o775), "others may change"},
		{"the plugins directory", ".chibi/plugins", mode(0o777), "others may change"},
		{"a plugin", ".chibi/plugins/guard", mode(0o757), "others may change"},
		{"what lies beside a plugin", ".chibi/plugins/big/lib.sh", mode(0o666), "others may change"},
		{"what a link leads to", "elsewhere/tool", mode(0o777), "others may change"},
		{"the directory of what a link leads to", "elsewhere", mode(0o777), "others may change"},
		{"a name that is a command", ".chibi/plugins/日本 $(touch PWNED)'; \x1b[2Jx", mode(0o777), "others may change"},
		{"Kodelet's hooks", ".kodelet/hooks", mode(0o777), "others may change"},
		{"a hook of Kodelet's", ".kodelet/hooks/hook", mode(0o777), "others may change"},
		{"a recipe", ".chibi/recipes/one.md", mode(0o666), "others may change"},
		{"a recipe of Kodelet's", ".kodelet/recipes/sub/two.md", mode(0o666), "others may change"},
		{"the owner of config.toml", ".chibi/config.toml", owner, "belongs to another user (12345)"},
		{"the owner of a plugin", ".chibi/plugins/guard", owner, "belongs to another user (12345)"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			home := filepath.Join(t.TempDir(), "a home")
			makeHome(t, home)
			t.Setenv("HOME", home)
			if found := foundBy(t, home); len(found) > 0 {
				t.Fatalf("before, it finds %v", found)
			}
			path := filepath.Join(home, tt.path)
			if _, err := os.Lstat(path); err != nil {
				if err := os.WriteFile(path, nil, 0o600); err != nil {
					t.Fatal(err)
				}
			}
			if err := tt.spoil(path); errors.Is(err, os.ErrPermission) {
				t.Skip("only root may give a file away")
			} else if err != nil {
				t.Fatal(err)
			}
			found := foundBy(t, home)
			if len(found) != 1 || !strings.Contains(found[0].Text, tt.found) || found[0].Level != levelError {
				t.Fatalf("it finds %q", found)
			}
			command := found[0].Fix[max(0, strings.LastIndex(found[0].Fix, "sudo ")):]
			sh := exec.Command("bash", "-c", strings.TrimPrefix(command, "sudo "))
			sh.Dir = t.TempDir()
			if out, err := sh.CombinedOutput(); err != nil {
				t.Errorf("%s: %v: %s", command, err, out)
			}
			if found := foundBy(t, home); len(found) > 0 {
				t.Errorf("after %s it finds %q", command, found)
			}
			if left, _ := os.ReadDir(sh.Dir); len(left) > 0 {
				t.Errorf("%s made %v", command, left)
			}
		})
	}
}

func TestDoctorReportsManyFilesOfOneDirectoryAsOne(t *testing.T) {
	home := filepath.Join(t.TempDir(), "home")
	makeHome(t, home)
	t.Setenv("HOME", home)
	for _, name := range []string{"a", "b", "c", "d", "e"} {
		path := filepath.Join(home, ".chibi/plugins/big", name)
		if err := os.WriteFile(path, nil, 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Chmod(path, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	found := foundBy(t, home)
	if len(found) != 1 || !strings.Contains(found[0].Text, "others may change 5 files and directories in "+home) {
		t.Fatalf("it finds %q", found)
	}
	if out, err := exec.Command("sh", "-c", found[0].Fix).CombinedOutput(); err != nil || len(foundBy(t, home)) > 0 {
		t.Errorf("after %s: %v: %s, it finds %q", found[0].Fix, err, out, foundBy(t, home))
	}
}

// TestDoctorKnowsWhoCannotChangeAFile holds that the group that is the person's
// alone, and files in a directory that nobody else can enter, are no findings.
func TestDoctorKnowsWhoCannotChangeAFile(t *testing.T) {
	for name, spoil := range map[string]func(home, plugin string) error{
		"the person's own group": func(_, plugin string) error {
			return errors.Join(os.Chown(plugin, -1, os.Geteuid()), os.Chmod(plugin, 0o775))
		},
		"a closed home": func(home, plugin string) error {
			return errors.Join(os.Chmod(home, 0o700), os.Chmod(plugin, 0o777))
		},
	} {
		t.Run(name, func(t *testing.T) {
			home := filepath.Join(t.TempDir(), "home")
			makeHome(t, home)
			t.Setenv("HOME", home)
			err := spoil(filepath.Join(home, ".chibi"), filepath.Join(home, ".chibi/plugins/guard"))
			if errors.Is(err, os.ErrPermission) {
				t.Skip("there is no group that is this person's alone")
			} else if err != nil {
				t.Fatal(err)
			}
			if found := foundBy(t, home); len(found) > 0 {
				t.Errorf("it finds %q", found)
			}
		})
	}
}

// makeHome makes a person's home with something of each kind in it, that nobody
// else may write.
func makeHome(t *testing.T, home string) {
	t.Helper()
	if err := os.Chmod(filepath.Dir(t.TempDir()), 0o755); err != nil { // go test closes it to others
		t.Fatal(err)
	}
	for _, path := range []string{
		".chibi/config.toml", ".chibi/models.toml", ".chibi/contexts/work/local.toml", ".chibi/plugins/guard",
		".chibi/plugins/big/big",
		".chibi/plugins/big/lib.sh", ".chibi/recipes/one.md", ".kodelet/hooks/hook",
		".kodelet/recipes/sub/two.md", "elsewhere/tool",
	} {
		path = filepath.Join(home, path)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, nil, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink("../../elsewhere/tool", filepath.Join(home, ".chibi/plugins/linked")); err != nil {
		t.Fatal(err)
	}
	// as they are under any umask
	filepath.WalkDir(home, func(path string, d os.DirEntry, _ error) error {
		if d.Type().IsRegular() {
			return os.Chmod(path, 0o644)
		} else if d.IsDir() {
			return os.Chmod(path, 0o755)
		}
		return nil
	})
}

// foundBy is what doctor finds about who may change what.
func foundBy(t *testing.T, home string) []finding {
	t.Helper()
	found := writableByOthers(filepath.Join(home, ".chibi"), nil)
	return slices.DeleteFunc(found, func(f finding) bool { return !strings.Contains(f.Text, home) })
}
