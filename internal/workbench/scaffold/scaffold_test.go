package scaffold_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/chibi-host/chibi/hookpoints"
	"github.com/chibi-host/chibi/internal/systest"
	"github.com/chibi-host/chibi/internal/workbench/check"
	"github.com/chibi-host/chibi/internal/workbench/scaffold"
	"github.com/chibi-host/chibi/plugin"
	"github.com/chibi-host/chibi/plugin/native"
	"github.com/chibi-host/chibi/plugin/process"
	"github.com/chibi-host/chibi/plugin/resident"
	"github.com/chibi-host/chibi/tools"
)

func TestMain(m *testing.M) { os.Exit(systest.Processes{M: m}.Run()) }

// TestWhatIsWrittenPassesTheCheck writes a plugin for every hook in every
// language, with a tool and without. The one that is resident has every hook, as the check
// starts it for each event too; with CHIBI_TEST_ALL=1 the others have them too.
func TestWhatIsWrittenPassesTheCheck(t *testing.T) {
	some := hookpoints.All()[:3]
	if systest.All() {
		some = hookpoints.All()
	}
	for _, lang := range scaffold.Languages() {
		t.Run(lang, func(t *testing.T) {
			t.Parallel()
			skipWithout(t, lang)
			for _, plan := range []scaffold.Plan{{Hooks: some, Tool: true},
				{Hooks: some}, {Tool: true}, {Tool: true, Category: tools.CategoryShell},
				{Tool: true, Category: tools.CategoryAgent}, {Hooks: hookpoints.All(), Tool: true, Resident: true},
				{Hooks: hookpoints.All()[:3], Resident: true}} {
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
	env := append(os.Environ(), "GOFLAGS=-mod=mod", "GOCACHE="+gocache(t), "XDG_CACHE_HOME="+t.TempDir())
	opts := native.Options{Dir: dir,
		Home: t.TempDir(), Runner: process.Runner{Env: env}, ProbeTimeout: 3 * time.Minute, HookTimeout: 3 * time.Minute,
	}
	loaded, err := check.Load(t.Context(), opts)
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
	if plan.Resident && plan.Tool {
		stays(t, opts)
	}
	if left, err := filepath.Glob(filepath.Join(dir, "my-plugin", ".*")); err != nil || len(left) > 0 {
		t.Errorf("it was built among its sources: %q, %v", left, err)
	}
	if strings.Contains(files[0].Text, "parameters") != plan.Tool {
		t.Errorf("what it writes of parameters:\n%s", files[0].Text)
	}
	if strings.Contains(files[0].Text, "no rule and no guard sees its calls") != (plan.Tool && plan.Category == "") {
		t.Errorf("a tool without a category has a comment about it:\n%s", files[0].Text)
	}
}

// stays calls the tool of a resident plugin, and a hook after that.
func stays(t *testing.T, opts native.Options) {
	t.Helper()
	group := &resident.Group{}
	defer group.Close()
	opts.Residents = group
	loaded, err := native.Load(t.Context(), opts)
	if err != nil || len(loaded.Plugins) != 1 || !loaded.Plugins[0].Resident {
		t.Fatalf("loaded %+v, %v", loaded, err)
	}
	call := tools.Call{Arguments: []byte(`{"text":"with \"quotes\""}`)}
	result, err := loaded.Plugins[0].Tools[0].Call(t.Context(), call)
	if err != nil || result.Failed || result.How != "resident, started for it" ||
		!strings.HasPrefix(result.Text, "my-plugin was called with ") || !strings.Contains(result.Text, "quotes") {
		t.Errorf("the call answered %+v, %v", result, err)
	}
	var how []string
	host := &plugin.Host{Plugins: loaded.Plugins, Trace: func(r plugin.Record) { how = append(how, r.How) }}
	long := hookpoints.PostMessagePayload{Prompt: "two\nlines\u2028and \"payload\": {}",
		Response: strings.Repeat("x", 100_000)}
	if _, err := plugin.Fire(t.Context(), host, hookpoints.PostMessage, long); err != nil || how[0] != "resident" {
		t.Errorf("the hook: %q, %v", how, err)
	}
}

// TestHelpersAreTheSameEverywhere: the functions that generated plugins, the examples and
// the page for authors have.
func TestHelpersAreTheSameEverywhere(t *testing.T) {
	const root = "../../../"
	for helper, files := range map[string][]string{
		"serve.py":     {"examples/plugins/temperature-resident", "docs/PLUGINS.md"},
		"serve.js":     {"examples/plugins/plain-output"},
		"serve.sh":     {"examples/plugins/logger-resident"},
		"serve.go.txt": {"examples/plugins/word_count/main.go"},
	} {
		want, err := scaffold.Helper(helper)
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range files {
			text, err := os.ReadFile(root + file)
			if err != nil || !strings.Contains(string(text), "\n"+want+"\n") {
				t.Errorf("%s does not have the text of %s: %v", file, helper, err)
			}
		}
	}
}

// TestSetEHoldsInAResidentScript: a guard that relies on set -e fails, whether it says so at
// its top or in answer, and goes on to answer.
func TestSetEHoldsInAResidentScript(t *testing.T) {
	for _, shell := range []string{"sh", "bash"} {
		for place, script := range map[string]string{"at its top": "set -e\nanswer() { false; true; }",
			"in answer": "answer() { set -e; false; true; }"} {
			var got []string
			host := guard(t, shell, script, &resident.Group{})
			host.Trace = func(r plugin.Record) { got = append(got, string(r.Result)+", "+r.Why+", "+r.How) }
			for range 2 {
				if _, err := plugin.Fire(t.Context(), host, hookpoints.PreTool, hookpoints.PreToolPayload{}); err != nil {
					t.Fatal(err)
				}
			}
			want := []string{"failed, it answered with an error: it failed, resident, started for it",
				"failed, it answered with an error: it failed, resident"}
			if !slices.Equal(got, want) {
				t.Errorf("%s, %s: %q", shell, place, got)
			}
		}
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
