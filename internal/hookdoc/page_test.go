package hookdoc_test

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"testing"

	"github.com/chibi-host/chibi/hookpoints"
	"github.com/chibi-host/chibi/internal/hookdoc"
	"github.com/google/go-cmp/cmp"
)

const page = "../../docs/HOOKS.md"

// script is a plugin that the page shows.
type script struct{ interpreter, path string }

var fence = regexp.MustCompile("(?s)\n```(sh|python)\n(#!.*?)```\n")

// scripts writes the plugins of the page to files and finds them by the name in
// their schema.
func scripts(t *testing.T) map[string]script {
	t.Helper()
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	found := map[string]script{}
	for _, m := range fence.FindAllSubmatch(text, -1) {
		s := script{map[string]string{"sh": "sh", "python": "python3"}[string(m[1])], filepath.Join(t.TempDir(), "plugin")}
		if err := os.WriteFile(s.path, m[2], 0o600); err != nil {
			t.Fatal(err)
		}
		found[s.schema(t).Name] = s
	}
	return found
}

type schema struct {
	Name          string
	Hooks, Guards []hookpoints.Name
}

func (s script) schema(t *testing.T) schema {
	t.Helper()
	var parsed schema
	out := s.run(t, exec.Command(s.interpreter, s.path, "--schema"))
	if err := json.Unmarshal(out, &parsed); err != nil || parsed.Name == "" {
		t.Fatalf("--schema printed %q: %v", out, err)
	}
	return parsed
}

// ask runs the plugin at a hook, as chibi does.
func (s script) ask(t *testing.T, point hookpoints.Name, payload string) string {
	t.Helper()
	cmd := exec.Command(s.interpreter, s.path)
	cmd.Stdin = bytes.NewBufferString(payload + "\n")
	cmd.Env = append(os.Environ(), "CHIBI_HOOK="+string(point), "CHIBI_HOOK_DATA="+payload,
		"CHIBI_CONTEXT=work", "CHIBI_HOME="+t.TempDir())
	return string(s.run(t, cmd))
}

func (s script) run(t *testing.T, cmd *exec.Cmd) []byte {
	t.Helper()
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v: %v\n%s", cmd.Args, err, stderr.String())
	}
	return bytes.TrimSpace(out)
}

// Every plugin of the page subscribes to hooks that exist and, asked with the
// example payload, answers nothing or fields that the hook has.
func TestPluginsOfThePageAnswerWhatTheHookKnows(t *testing.T) {
	for name, s := range scripts(t) {
		for _, point := range s.schema(t).Hooks {
			t.Run(name+" at "+string(point), func(t *testing.T) {
				info, ok := hookpoints.Find(point)
				if !ok {
					t.Fatal("there is no such hook")
				}
				answer := s.ask(t, point, string(hookdoc.Example(info)))
				for field := range object(t, answer) {
					if !slices.ContainsFunc(info.Fields, func(f hookpoints.AnswerField) bool { return f.Name == field }) {
						t.Errorf("answered %s, which has no meaning there", field)
					}
				}
			})
		}
	}
}

// The plugins of the page do what the page says of them.
func TestPluginsOfThePage(t *testing.T) {
	found := scripts(t)
	for _, tc := range []struct {
		name, plugin    string
		point           hookpoints.Name
		payload, answer string
	}{
		{"a rewrite", "polite", "pre_message", `{"prompt":"hi"}`, `{"prompt":"hi\n\nPlease be brief."}`},
		{"nothing to rewrite", "polite", "pre_message", `{"prompt":"Please, hi"}`, ``},
		{"a denial", "no_push", "pre_shell_exec", `{"command":"git -C x push"}`,
			`{"denied":true,"reason":"push it yourself"}`},
		{"no denial", "no_push", "pre_shell_exec", `{"command":"git status"}`, ``},
	} {
		t.Run(tc.name, func(t *testing.T) {
			s, ok := found[tc.plugin]
			if !ok {
				t.Fatalf("%s has no plugin %s", page, tc.plugin)
			}
			got := object(t, s.ask(t, tc.point, tc.payload))
			if diff := cmp.Diff(object(t, tc.answer), got); diff != "" {
				t.Errorf("answer (-want +got):\n%s", diff)
			}
		})
	}
}

// object parses an answer; none is an empty object.
func object(t *testing.T, text string) map[string]any {
	t.Helper()
	parsed := map[string]any{}
	if text == "" {
		return parsed
	}
	if err := json.Unmarshal([]byte(text), &parsed); err != nil {
		t.Fatalf("%q is not a JSON object: %v", text, err)
	}
	return parsed
}
