package scaffold_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/chibi-host/chibi/hookpoints"
	"github.com/chibi-host/chibi/internal/workbench/check"
	"github.com/chibi-host/chibi/internal/workbench/scaffold"
	"github.com/chibi-host/chibi/plugin/native"
	"github.com/chibi-host/chibi/plugin/process"
)

// TestWhatIsWrittenPassesTheCheck writes a plugin for every hook in every
// language, with a tool and without.
func TestWhatIsWrittenPassesTheCheck(t *testing.T) {
	for _, lang := range scaffold.Languages() {
		t.Run(lang, func(t *testing.T) {
			program, needed := map[string]string{"node": "node", "bash": "bash", "python": "python3"}[lang]
			if _, err := exec.LookPath(program); needed && err != nil {
				t.Skip(err)
			}
			for _, plan := range []scaffold.Plan{{Hooks: hookpoints.All(), Tool: true},
				{Hooks: hookpoints.All()}, {Tool: true}} {
				plan.Name, plan.Lang = "my-plugin", lang
				passes(t, plan)
			}
		})
	}
}

// passes writes a plugin, checks it, and reads whether it is a tool.
func passes(t *testing.T, plan scaffold.Plan) {
	t.Helper()
	files, err := plan.Files()
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	for _, f := range files {
		path := filepath.Join(dir, f.Path)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(f.Text), f.Mode); err != nil {
			t.Fatal(err)
		}
	}
	gocache, err := exec.Command("go", "env", "GOCACHE").Output()
	if err != nil {
		t.Fatal(err)
	}
	env := append(os.Environ(), "GOFLAGS=-mod=mod", "GOCACHE="+strings.TrimSpace(string(gocache)),
		"XDG_CACHE_HOME="+t.TempDir())
	loaded, err := check.Load(t.Context(), native.Options{Dir: dir,
		Home: t.TempDir(), Runner: process.Runner{Env: env}, ProbeTimeout: 3 * time.Minute, HookTimeout: 3 * time.Minute,
	})
	if err != nil {
		t.Fatal(err)
	}
	r := loaded.Check(t.Context(), "my-plugin")
	for _, f := range r.Findings {
		if f.Level == check.Error || !strings.Contains(f.Text, " took ") {
			t.Errorf("%s: %s", f.Where, f.Text)
		}
	}
	if len(r.Hooks) != len(plan.Hooks) || (len(r.Tools) == 1) != plan.Tool {
		t.Errorf("it has %d hooks and %d tools", len(r.Hooks), len(r.Tools))
	}
	if left, err := filepath.Glob(filepath.Join(dir, "my-plugin", ".*")); err != nil || len(left) > 0 {
		t.Errorf("it was built among its sources: %q, %v", left, err)
	}
	if strings.Contains(files[0].Text, "parameters") != plan.Tool {
		t.Errorf("what it writes of parameters:\n%s", files[0].Text)
	}
}

func TestPlansThatMakeNoSense(t *testing.T) {
	hooks := hookpoints.All()[:1]
	for want, plan := range map[string]scaffold.Plan{
		`"a b" is not a valid plugin name`:      {Name: "a b", Lang: "sh", Hooks: hooks},
		`unknown language "perl"`:               {Name: "a", Lang: "perl", Hooks: hooks},
		"it would do nothing; add --hook POINT": {Name: "a", Lang: "sh"},
	} {
		if _, err := plan.Files(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
}
