package cmdline

import (
	"encoding/json"
	"os"
	"slices"
	"testing"

	"github.com/chibi-host/chibi/internal/fuzztest"
	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

func TestReadInput(t *testing.T) {
	only := func(name string, values ...string) map[string]Given {
		return map[string]Given{name: {Times: 1, Values: values}, "json-output": {Times: 1}}
	}
	for _, test := range []struct {
		name, input string
		given       map[string]Given
		ignored     []string
		err         string
	}{
		{name: "a member that must be there", input: `{"command": {"ask": {"prompt": "hi"}}}`, given: only("ask", "hi")},
		{name: "nothing in it", input: `{"command": {"ask": {"prompt": ""}}}`, given: only("ask", "")},
		{name: "it is missing", input: `{"command": {"ask": {}}}`,
			err: `--json-config: the command "ask" needs "prompt", a string`},
		{name: "it is null", input: `{"command": {"ask": {"prompt": null}}}`,
			err: `--json-config: the command "ask" needs "prompt", a string`},
		{name: "just a name", input: `{"command": "compact"}`, given: only("compact-current-context")},
		{name: "an optional member", input: `{"command": {"compact": {"name": "work"}}}`,
			given: only("compact-context", "work")},
		{name: "an optional member without a text", input: `{"command": {"compact": {"name": ""}}}`,
			given: only("compact-current-context")},
		{name: "an optional member of a wrong type", input: `{"command": {"compact": {"name": 5}}}`,
			err: `--json-config: the command "compact" needs "name", a string`},
		{name: "a number", input: `{"command": {"log": {"count": -5}}}`, given: only("show-current-log", "-5")},
		{name: "a number and a context", input: `{"command": {"show_log": {"count": 0, "context": "work"}}}`,
			given: only("show-log", "work", "0")},
		{name: "no number", input: `{"command": {"log": {"count": "5"}}}`,
			err: `--json-config: the command "log" needs "count", an integer`},
		{name: "the rest of the line", input: `{"command": {"run_plugin": {"name": "dice", "args": ["a", 5]}}}`,
			given: map[string]Given{"plugin": {Times: 1, Values: []string{"dice"}, Rest: []string{"a", "5"}},
				"json-output": {Times: 1}}},
		{name: "no list", input: `{"command": {"run_plugin": {"name": "dice", "args": "a"}}}`,
			err: `--json-config: the command "run_plugin" needs "args", a list of strings`},
		{name: "no such command", input: `{"command": "dance"}`,
			err: `--json-config: there is no command "dance"; there are ask, compact, show_log, run_plugin, show_version`},
		{name: "flags", input: `{"command": "compact", "flags": {"verbose": true, "force_call_user": true,
			"json_output": false, "debug": ["all", {"destroy_at": 5}], "no_chibi": false, "odd": true}}`,
			given: map[string]Given{"compact-current-context": {Times: 1}, "verbose": {Times: 1}, "no-chibi": {Times: 1},
				"debug": {Times: 2, Values: []string{"all", "destroy_at=5"}}},
			ignored: []string{`--json-config: the flag "odd" is not known and ignored`}},
		{name: "a context for good", input: `{"command": "compact", "context": {"switch": {"name": "work"}}}`,
			given: map[string]Given{"compact-current-context": {Times: 1}, "json-output": {Times: 1},
				"switch-context": {Times: 1, Values: []string{"work"}}}},
		{name: "a context for this run", input: `{"command": "compact", "context": {"switch": {"name": "work",
			"persistent": false}}}`,
			given: map[string]Given{"compact-current-context": {Times: 1}, "json-output": {Times: 1},
				"transient-context": {Times: 1, Values: []string{"work"}}}},
		{name: "a context that is none", input: `{"command": "compact", "context": "work"}`,
			err: `--json-config: "context" is "current", {"switch": {"name": NAME}} or {"transient": {"name": NAME}}`},
		{name: "overrides", input: `{"command": "compact", "username_override": {"persistent": "Ada", "transient": "A",
			"ephemeral": "B"}}`,
			given: map[string]Given{"compact-current-context": {Times: 1}, "json-output": {Times: 1},
				"set-username":       {Times: 1, Values: []string{"Ada"}},
				"transient-username": {Times: 1, Values: []string{"B"}}}},
		{name: "an override that is none", input: `{"command": "compact", "username_override": "Ada"}`,
			err: `--json-config: "username_override" is {"persistent": TEXT} or {"transient": TEXT}`},
		{name: "unknown members", input: `{"command": "compact", "$schema": "x", "commands": 5}`,
			given:   only("compact-current-context"),
			ignored: []string{`--json-config: the member "commands" is not known and ignored`}},
		{name: "no object", input: `["compact"]`,
			err: "--json-config: the input is not an object; chibi --json-schema describes it"},
	} {
		t.Run(test.name, func(t *testing.T) {
			flags, _ := program()
			var ignored []string
			err := ReadInput(flags, []byte(test.input), func(what string) { ignored = append(ignored, what) })
			if errorText(err) != test.err {
				t.Fatalf("error = %v, want %q", err, test.err)
			} else if err != nil {
				return
			}
			if diff := cmp.Diff(test.given, givenBy(flags), cmpopts.EquateEmpty()); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			if !slices.Equal(ignored, test.ignored) {
				t.Errorf("ignored %q, want %q", ignored, test.ignored)
			}
		})
	}
}

func TestCopyKeepsWhatCountsBesideTheInput(t *testing.T) {
	line, _ := program()
	if err := parse(line, []string{"--set", "a=1", "--set", "b=2", "-v", "-z", "--json-output"}); err != nil {
		t.Fatal(err)
	}
	flags, _ := program()
	Copy(line, flags)
	want := map[string]Given{"set": {Times: 2, Values: []string{"a=1", "b=2"}}, "json-output": {Times: 1}}
	if diff := cmp.Diff(want, givenBy(flags), cmpopts.EquateEmpty()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestInputSchema(t *testing.T) {
	flags, _ := program()
	schema := InputSchema(flags, map[Kind]Definition{DebugKey: {"DebugKey", Schema{"type": "string"}}})
	got, err := json.MarshalIndent(schema, "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	want, err := os.ReadFile("testdata/schema.json")
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), string(got)+"\n"); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestHelp(t *testing.T) {
	flags, _ := program()
	const want = `   -C, -S, --transient-context NAME  use NAME for this run
   -z, --compact-current-context     make room
   -Z, --compact-context NAME
`
	if diff := cmp.Diff(want, Help(flags, "Contexts")); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestCommandTable(t *testing.T) {
	flags, _ := program()
	const want = "| command | its members | answers | `data` |\n" +
		"| --- | --- | --- | --- |\n" +
		"| `ask` | `prompt` | a result | |\n" +
		"| `compact` | `name`? | a result | `context` |\n" +
		"| `show_log`, `log` | `context`?, `count` | entries | |\n" +
		"| `run_plugin` | `name`, `args`? | a result | |\n" +
		"| `show_version` | | a result | `version` |\n"
	if diff := cmp.Diff(want, CommandTable(flags)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// FuzzReadInput holds that a run given as JSON is understood or refused.
func FuzzReadInput(f *testing.F) {
	f.Add(`{"command": {"ask": {"prompt": "hi"}}, "context": "work"}`)
	f.Add(`{"command": "compact", "username_override": "Ada"}`)
	f.Add(`{"command": {"show_log": {"count": -5, "context": []}}, "context": {"name": 7}}`)
	f.Fuzz(func(t *testing.T, text string) {
		fuzztest.Memory(t)
		flags, _ := program()
		if err := ReadInput(flags, []byte(text), func(string) {}); err == nil && len(givenBy(flags)) == 0 {
			t.Errorf("%s asks for nothing and is no error", text)
		}
	})
}
