package agents_test

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/chibi-host/chibi/internal/agents"
	"github.com/chibi-host/chibi/internal/agents/engine"
	"github.com/google/go-cmp/cmp"
)

// TestPayloadsAreThoseOfThePrograms reads each line that a program wrote to a hook, and writes it
// again: what the table says must be there, in that order.
func TestPayloadsAreThoseOfThePrograms(t *testing.T) {
	files, _ := filepath.Glob("*/testdata/*.json")
	more, _ := filepath.Glob("*/testdata/*/*.json")
	for _, file := range append(files, more...) {
		parts := strings.Split(file, "/")
		d, ok := agents.ByName(parts[0])
		if !ok || d.Name == "claude" || d.Name == "qwen" {
			continue
		}
		name, _, _ := strings.Cut(filepath.Base(file), ".")
		t.Run(file, func(t *testing.T) {
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			text = bytes.ReplaceAll(bytes.ReplaceAll(text, []byte("CWD"), []byte("/cwd")), []byte("HOME"), []byte("/home"))
			e, ok := d.Event(name)
			if !ok {
				t.Fatalf("no event %s", name)
			}
			m, err := d.Moment(e, text)
			if err != nil {
				t.Fatal(err)
			}
			if m.Kind == engine.Never {
				return // chibi writes no such event
			}
			again, err := d.Payload(e, m)
			if err != nil || !bytes.Equal(bytes.TrimSpace(again), bytes.TrimSpace(text)) {
				var want, got any
				_ = json.Unmarshal(text, &want)
				_ = json.Unmarshal(again, &got)
				t.Errorf("%v\n%s%s\n%s", err, text, again, cmp.Diff(want, got))
			}
		})
	}
}

// TestVariablesAreThoseOfThePrograms compares the variables of each table with those that the
// program added for its hooks: scripts tell agents apart by them, so none may be too many.
func TestVariablesAreThoseOfThePrograms(t *testing.T) {
	leftOut := map[string]string{
		"COPILOT_CLI_RESOLVED_DIST_DIR":        "where Copilot itself is installed",
		"GIT_CONFIG_COUNT":                     "how Copilot's own git commands are configured",
		"GIT_CONFIG_KEY_0":                     "how Copilot's own git commands are configured",
		"GIT_CONFIG_VALUE_0":                   "how Copilot's own git commands are configured",
		"CODEX_MANAGED_BY_NPM":                 "how Codex itself is installed",
		"CODEX_MANAGED_PACKAGE_ROOT":           "where Codex itself is installed",
		"BUN_PTY_LIB":                          "Factory Droid's own library",
		"FACTORY_DISABLE_SETTINGS_PERSISTENCE": "a flag of the run that was captured",
		"FACTORY_EXEC_TARGET_AUTONOMY":         "a flag of the run that was captured",
		"FORCE_COLOR":                          "a flag of the run that was captured",
		"NODE_EXTRA_CA_CERTS":                  "Factory Droid's own certificates",
		"NODE_USE_SYSTEM_CA":                   "Factory Droid's own certificates",
		"GEMINI_CLI_NO_RELAUNCH":               "Gemini CLI's own restart",
		"GEMINI_CLI_TRUST_WORKSPACE":           "a flag of the run that was captured",
	}
	notThere := map[string]string{
		"CRUSH_TOOL_INPUT_FILE_PATH": "the captured call has no file",
	}
	for _, name := range []string{"codex", "copilot", "crush", "cursor", "droid", "gemini", "grok"} {
		t.Run(name, func(t *testing.T) {
			text, err := os.ReadFile(filepath.Join(name, "testdata", "environment.txt"))
			if err != nil {
				t.Fatal(err)
			}
			d, _ := agents.ByName(name)
			var ours, theirs []string
			for _, v := range d.Environment {
				if notThere[v.Name] == "" && !slices.Contains(ours, v.Name) {
					ours = append(ours, v.Name)
				}
			}
			for line := range strings.Lines(string(text)) {
				if name, _, _ := strings.Cut(line, "="); leftOut[name] == "" {
					theirs = append(theirs, name)
				}
			}
			slices.Sort(ours)
			slices.Sort(theirs)
			theirs = slices.Compact(theirs) // with another value for each event
			if diff := cmp.Diff(theirs, ours); diff != "" {
				t.Errorf("the variables are others than the program's:\n%s", diff)
			}
		})
	}
}
