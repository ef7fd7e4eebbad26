package schemas_test

import (
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/chibi-host/chibi/internal/schemas"
	"github.com/chibi-host/chibi/plugin"
)

// guards is a plugin that says that its failure blocks.
const guards = `echo '{"name": "a", "hooks": ["pre_tool"], "on_failure": "block"}'`

// lacks fails unless these guards were missing at a start.
func (s started) lacks(t *testing.T, missing string) {
	t.Helper()
	if s.missing != missing {
		t.Errorf("missing %q, want %q: %+v", s.missing, missing, s)
	}
}

// damages are the ways in which the plugin a ends to say what it is.
func damages() map[string]func(h *home, path string) error {
	rewrite := func(line string) func(*home, string) error {
		return func(h *home, _ string) error { h.script("a", line); return nil }
	}
	replace := func(with func(path string) error) func(*home, string) error {
		return func(_ *home, path string) error { return errors.Join(os.Remove(path), with(path)) }
	}
	return map[string]func(h *home, path string) error{
		"it fails":              rewrite("exit 3"),
		"it is killed":          rewrite("kill -9 $$"),
		"it prints no schema":   rewrite("echo usage"),
		"it prints a wrong one": rewrite(`echo '{"name": "a", "hooks": ["pre_tool"], "on_failure": "blok"}'`),
		"it is slow": func(h *home, _ string) error {
			h.options.ProbeTimeout = 200 * time.Millisecond
			h.script("a", "exec sleep 1000")
			return nil
		},
		"its interpreter is gone": func(h *home, path string) error {
			return os.WriteFile(path, []byte("#!/no/such/interpreter\n"), 0o755)
		},
		"it is not executable": func(_ *home, path string) error { return os.Chmod(path, 0o644) },
		"it is a link to elsewhere": func(h *home, path string) error {
			return errors.Join(os.Rename(path, h.path("elsewhere")), os.Symlink(h.path("elsewhere"), path))
		},
		"it is a link to nowhere": replace(func(path string) error { return os.Symlink("nowhere", path) }),
		"it is a directory":       replace(func(path string) error { return os.Mkdir(path, 0o755) }),
		"another one has the name of its tool": func(h *home, _ string) error {
			h.script("0", prints)
			return nil
		},
	}
}

// TestAGuardThatDoesNotSayWhatItIsIsMissing: each start asks it, until it says that. Whether
// its answer may be used in place of asking does not matter.
func TestAGuardThatDoesNotSayWhatItIsIsMissing(t *testing.T) {
	for kind, change := range map[string]func(h *home){
		"a guard": func(h *home) { h.script("a", guards) },
		"one that was just written": func(h *home) {
			h.ahead = 0
			h.script("a", guards)
		},
		"one on NFS": func(h *home) {
			h.memory.Stable = func(string) bool { return false }
			h.script("a", guards)
		},
		"one that is never remembered": func(h *home) {
			h.script("a", strings.Replace(guards, "}", `, "cache": false}`, 1))
		},
	} {
		for how, damage := range damages() {
			t.Run(kind+", "+how, func(t *testing.T) {
				t.Parallel()
				h := newHome(t)
				change(h)
				h.start().lacks(t, "")
				if err := damage(h, h.path("plugins/a")); err != nil {
					t.Fatal(err)
				}
				h.start().lacks(t, "a")
				h.start().lacks(t, "a")
				if err := errors.Join(os.RemoveAll(h.path("plugins/a")), os.RemoveAll(h.path("plugins/0"))); err != nil {
					t.Fatal(err)
				}
				h.options.ProbeTimeout = time.Minute
				h.script("a", guards)
				if s := h.start(); s.missing != "" || s.skipped != "" {
					t.Errorf("mended: %+v", s)
				}
			})
		}
	}
}

// TestAGuardInADirectoryIsThatDirectory: it is gone when the directory is.
func TestAGuardInADirectoryIsThatDirectory(t *testing.T) {
	h := newHome(t)
	h.script("a/a", guards)
	h.start().lacks(t, "")
	if err := os.Remove(h.path("plugins/a/a")); err != nil {
		t.Fatal(err)
	}
	h.start().lacks(t, "a")
	if err := os.Remove(h.path("plugins/a")); err != nil {
		t.Fatal(err)
	}
	h.start().lacks(t, "")
}

// TestWhatIsNoMissingGuard: a plugin of which nobody said that its failure blocks, or says it
// any more, is skipped like any other.
func TestWhatIsNoMissingGuard(t *testing.T) {
	for name, test := range map[string]struct {
		line   string
		change func(h *home, path string) error // nil: none
	}{
		"one that never said what it is":  {line: "exit 3 # on_failure"},
		"one that does not block":         {line: prints},
		"one that ignores its failure":    {line: strings.Replace(guards, "block", "ignore", 1)},
		"one with no hook that can block": {line: strings.Replace(guards, "pre_tool", "post_tool", 1)},
		"one that said later that it does not block": {guards, func(h *home, _ string) error {
			h.script("a", prints)
			h.start().holds(t, "a", "a:1")
			return nil
		}},
		"another one of the same name": {guards, func(h *home, path string) error {
			h.script(".b", prints)
			err := os.Rename(h.path("plugins/.b"), path)
			h.start()
			return err
		}},
		"one that was deleted before": {guards, func(h *home, path string) error {
			err := os.Remove(path)
			h.start().lacks(t, "")
			return err
		}},
		"one that was renamed": {guards, func(h *home, path string) error {
			err := os.Rename(path, path+".disabled")
			h.start().lacks(t, "")
			return err
		}},
		"one whose failure the person ignores": {guards, func(h *home, _ string) error {
			h.options.Overrides = map[string]plugin.Override{"a": {OnFailure: plugin.Ignore}}
			return nil
		}},
		"one that the person disabled": {guards, func(h *home, _ string) error {
			h.options.Overrides = map[string]plugin.Override{"a": {Disabled: true}}
			return nil
		}},
		"one where nothing is remembered": {guards, func(h *home, _ string) error {
			h.memory.Use = schemas.Off
			return nil
		}},
		"one of which nothing is remembered any more": {guards, func(h *home, _ string) error {
			return os.WriteFile(h.path("schemas.json"), []byte("{"), 0o600)
		}},
	} {
		t.Run(name, func(t *testing.T) {
			h := newHome(t)
			h.script("a", test.line)
			h.start()
			if test.change != nil {
				if err := test.change(h, h.path("plugins/a")); err != nil {
					t.Fatal(err)
				}
			}
			h.script("a", "exit 3")
			h.start().lacks(t, "")
		})
	}
}

// TestWhatHoldsForOneRunForgetsNoGuard: it is missing again in the next one.
func TestWhatHoldsForOneRunForgetsNoGuard(t *testing.T) {
	override := func(set plugin.Override) func(h *home) {
		return func(h *home) { h.options.Overrides = map[string]plugin.Override{"a": set} }
	}
	for name, change := range map[string]func(h *home){
		"it is disabled":               override(plugin.Override{Disabled: true}),
		"its failure is ignored":       override(plugin.Override{OnFailure: plugin.Ignore}),
		"nothing is remembered":        func(h *home) { h.memory.Use = schemas.Off },
		"another home is told":         func(h *home) { h.memory.Elsewhere = true },
		"only one plugin is looked at": func(h *home) { h.options.Only = []string{"b"} },
		"another file is in its place": func(h *home) {
			h.write("other", "#!/bin/sh\n"+prints)
			h.options.Placed = map[string]string{"a": h.path("other")}
		},
	} {
		h := newHome(t)
		h.script("a", guards)
		h.start()
		memory, options := h.memory, h.options
		change(h)
		h.script("a", "exit 3")
		h.script("b", strings.Replace(prints, `"a"`, `"b"`, 1)) // so that something is written
		h.start()
		h.memory, h.options = memory, options
		if s := h.start(); s.missing != "a" {
			t.Errorf("%s: %+v", name, s)
		}
	}
}

// TestAGuardOfAnEarlierVersionIsKnownFromItsNextStart: that version did not note guards, and
// their answers are used without asking them.
func TestAGuardOfAnEarlierVersionIsKnownFromItsNextStart(t *testing.T) {
	h := newHome(t)
	h.script("a", guards)
	for range 5 {
		h.start()
	}
	now := h.stored()
	earlier := regexp.MustCompile(`,"guards":\{[^}]*\}`).ReplaceAllString(now, "")
	if err := os.WriteFile(h.path("schemas.json"), []byte(earlier), 0o600); err != nil || earlier == now {
		t.Fatalf("%v; stored is %s", err, earlier)
	}
	if s := h.start(); s.asked != "" {
		t.Errorf("%+v", s)
	}
	h.script("a", "exit 3")
	h.start().lacks(t, "a")
}

// TestAHomeThatIsNamedOtherwiseHasTheSameGuards: an agent may know it by another path.
func TestAHomeThatIsNamedOtherwiseHasTheSameGuards(t *testing.T) {
	h := newHome(t)
	h.script("a", guards)
	h.start()
	h.script("a", "exit 3")
	alias := filepath.Join(t.TempDir(), "alias")
	if err := os.Symlink(h.dir, alias); err != nil {
		t.Fatal(err)
	}
	h.dir, h.options.Dir, h.options.Home = alias, filepath.Join(alias, "plugins"), alias
	h.start().lacks(t, "a")
}

// TestNoRunLosesTheGuardsOfAnother: each one read the memory before any of them wrote.
func TestNoRunLosesTheGuardsOfAnother(t *testing.T) {
	h := newHome(t)
	h.script("a", guards)
	h.start()
	var runs []*schemas.Memory
	for range 3 {
		runs = append(runs, schemas.Open(h.dir, h.memory))
	}
	h.write("others/b", "")
	runs[0].KeepGuards(h.options.Dir, []string{"a", "b"})
	runs[1].KeepGuards(h.options.Dir, nil) // a was deleted meanwhile
	runs[2].KeepGuards(h.path("others"), []string{"c"})
	for _, run := range runs {
		if err := run.Save(""); err != nil {
			t.Fatal(err)
		}
	}
	now := schemas.Open(h.dir, h.memory)
	here, there := now.Guards(h.options.Dir), now.Guards(h.path("others"))
	if !slices.Equal(here, []string{"b"}) || !slices.Equal(there, []string{"c"}) {
		t.Errorf("here %q, there %q", here, there)
	}
}
