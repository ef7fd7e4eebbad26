package check_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/chibi-host/chibi/internal/workbench/check"
	"github.com/chibi-host/chibi/plugin"
	"github.com/chibi-host/chibi/plugin/native"
	"github.com/google/go-cmp/cmp"
)

// schema begins a script for sh with this schema.
func schema(text string) string {
	return "#!/bin/sh\n[ \"$1\" = --schema ] && { echo '" + text + "'; exit; }\n"
}

// checked checks a script and lists what was found.
func checked(t *testing.T, script string, mode os.FileMode) []string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "p")
	if err := os.WriteFile(path, []byte(script), mode); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(path, mode); err != nil {
		t.Fatal(err)
	}
	loaded, err := check.Load(t.Context(), native.Options{Dir: filepath.Dir(path), Home: t.TempDir(),
		ProbeTimeout: time.Minute, HookTimeout: time.Second})
	if err != nil {
		t.Fatal(err)
	}
	r := loaded.Check(t.Context(), "p")
	var found []string
	for _, f := range r.Findings {
		found = append(found, string(f.Level)+" "+f.Where+": "+strings.ReplaceAll(f.Text, path, "PATH"))
	}
	if r.Passed() != (len(found) == 0 || !strings.Contains(strings.Join(found, "\n"), "error ")) {
		t.Errorf("Passed() = %v with %q", r.Passed(), found)
	}
	return found
}

// TestBrokenPlugins breaks a plugin in many ways; each time the check says why.
func TestBrokenPlugins(t *testing.T) {
	const fields = `"arguments", "block", "decision", "reason", "halt", "message", "context", "system_message"`
	guard := schema(`{"name":"p","tool":false,"hooks":["pre_tool"]}`)
	for _, test := range []struct {
		name, script string
		mode         os.FileMode
		want         []string
	}{
		{"a good one", schema(`{"name":"p","description":"d","hooks":["pre_tool","on_start"]}`) + "exit 0", 0o755, nil},
		{"not executable", guard, 0o644, []string{"error file: not executable; to use it, run: chmod +x PATH"}},
		{"everybody may change it", guard + "exit 0", 0o757,
			[]string{"warning file: everybody may change it, and chibi runs it as you; run: chmod o-w PATH"}},
		{"its interpreter is missing", "#!/usr/bin/env no-such-interpreter\n", 0o755, []string{
			`error file: its interpreter "no-such-interpreter" is not installed; install it, or write the plugin in another ` +
				`language`,
			"error schema: --schema: exit status 127 (",
		}},
		{"a syntax error", "#!/bin/sh\necho wrong >&2\nexit 2\n", 0o755,
			[]string{"error schema: --schema: exit status 2 (wrong); to see its whole output, run: PATH --schema"}},
		{"a wrong interpreter", "#!/no/such/shell\n", 0o755,
			[]string{`error schema: --schema: could not be started: its interpreter "/no/such/shell" (first line) was ` +
				`not found`}},
		{"CR LF", "#!/bin/sh\r\necho\r\n", 0o755, []string{"error schema: --schema: could not be started: its lines end in " +
			"CR LF"}},
		{"no schema", "#!/bin/sh\n", 0o755, []string{"error schema: --schema did not print JSON; it printed nothing"}},
		{"a log line before the schema", "#!/bin/sh\necho loading\necho '{\"name\":\"p\"}'\n", 0o755,
			[]string{`error schema: --schema did not print JSON; it begins "loading"`}},
		{"no name", schema(`{"hooks":["pre_tool"]}`), 0o755, []string{`error schema: --schema: it has no "name"`}},
		{"a hook that does not exist", schema(`{"name":"p","description":"d","hooks":["PreToolUse"]}`), 0o755,
			[]string{`warning schema: hook "PreToolUse" does not exist; did you mean "pre_tool"?`}},
		{"a key that means nothing", schema(`{"name":"p","description":"d","hook":["pre_tool"]}`), 0o755, []string{
			`warning schema: its --schema has an unknown key "hook"; did you mean "hooks"?`}},
		{"parameters that are no schema", schema(`{"name":"p","description":"d","parameters":{"type":"strin"}}`),
			0o755, []string{
				`error tool p: parameters.type: unknown type "strin"; want one of object, array, string, number, integer, ` +
					`boolean, null`}},
		{"parameters that are no object", schema(`{"name":"p","description":"d","parameters":{"type":"string"}}`),
			0o755, []string{
				`error tool p: its parameters are not a usable JSON Schema: its type is "string", want "object"`}},
		{"a tool that nobody will call", schema(`{"name":"p"}`), 0o755,
			[]string{"warning tool p: it has no description; the model does not know when to call it"}},
		{"a tool that is none", schema(`{"name":"p","hooks":["on_end"]}`) + "exit 0", 0o755, []string{
			`warning tool p: the model sees it as a tool without a description; if it is not meant to be called, write ` +
				`"tool": false into its --schema`}},
		{"neither a tool nor a hook", schema(`{"name":"p","tool":false}`), 0o755,
			[]string{`error schema: --schema: it has "tool": false and no hooks, so it does nothing`}},
		{"a text for tool", schema(`{"name":"p","tool":"false","hooks":["on_end"]}`), 0o755,
			[]string{`error schema: --schema: tool: must be a boolean, is a string`}},
		{"a command without a category", schema(`{"name":"p","description":"d",` +
			`"parameters":{"type":"object","properties":{"cmd":{"type":"string"}}}}`), 0o755, []string{
			`warning tool p: it takes "cmd" and has no category: guards, rules and questions about shell do not see its ` +
				`calls; add "category": "shell", "subject": "cmd" to its --schema, or "category": "none" if it runs no commands`}},
		{"a URL without a category, beside a guard", schema(`{"name":"p","description":"d","hooks":["pre_fetch_url"],`+
			`"parameters":{"type":"object","properties":{"url":{"type":"string"}}}}`) + "exit 0", 0o755, []string{
			`error tool p: it takes "url" and has no category: plugin "p" does not see its calls; ` +
				`add "category": "fetch", "subject": "url" to its --schema, or "category": "none" if it fetches nothing`}},
		{"parameters of no tool", schema(`{"name":"p","tool":false,"parameters":{},"hooks":["on_end"]}`) + "exit 0", 0o755,
			[]string{`warning schema: its --schema has "parameters" beside "tool": false, which has no effect there`}},
		{"a key that is nearly tool", schema(`{"name":"p","description":"d","tools":false,"hooks":["on_end"]}`) + "exit 0",
			0o755, []string{`warning schema: its --schema has an unknown key "tools"; did you mean "tool"?`}},
		{"it fails", guard + "echo oops >&2; exit 3", 0o755,
			[]string{"error pre_tool: it failed on an example payload: exit status 3 (oops); to see the payload, " +
				"run: chibi hook fire pre_tool --plugin p"}},
		{"it hangs", guard + "exec sleep 600", 0o755, []string{"error pre_tool: it failed on an example payload: no answer " +
			"after 1s; to see the payload, run: chibi hook fire pre_tool --plugin p"}},
		{"a log line before the answer", guard + "echo checking\necho '{\"block\": true}'", 0o755, []string{
			`error pre_tool: its answer is not JSON; it begins "checking"; an answer follows that text: print what is not the ` +
				`answer to standard error`}},
		{"a text as answer", guard + "echo no", 0o755, []string{`error pre_tool: its answer is not JSON; it begins "no"`}},
		{"a field of another type", guard + `echo '{"block": "yes"}'`, 0o755,
			[]string{`error pre_tool: its answer has a field of the wrong type: block: must be a boolean, is a string`}},
		{"a field of another hook", guard + `echo '{"inject": "x"}'`, 0o755,
			[]string{`warning pre_tool: pre_tool has no field "inject"; it has ` + fields}},
		{"Claude Code's answer", guard + `echo '{"permissionDecision": "deny"}'`, 0o755, []string{
			`warning pre_tool: pre_tool has no field "permissionDecision", which is how answers for Claude Code are written; ` +
				`it has ` + fields + `; to block, answer {"block": true, "message": "why"}`}},
		{"Kodelet's answer", guard + `echo '{"blocked": true}'`, 0o755, []string{
			`warning pre_tool: pre_tool has no field "blocked", which is how answers for Kodelet are written; it has ` +
				fields + `; to block, answer {"block": true, "message": "why"}`}},
		{"Kode's answer", schema(`{"name":"p","tool":false,"hooks":["pre_message"]}`) + `echo '{"replace_prompt": "x"}'`,
			0o755, []string{
				`warning pre_message: pre_message has no field "replace_prompt", which is how answers for Kode are written; it ` +
					`has "prompt", "block", "halt", "message", "context", "system_message"; to block, answer ` +
					`{"block": true, "message": "why"}`}},
		{"an observer that wants to change", schema(`{"name":"p","tool":false,"hooks":["post_tool"]}`) +
			`echo '{"block": true}'`, 0o755, []string{
			`error post_tool: post_tool is only observed, an answer of "block" changes nothing`}},
		{"a guard that allows", schema(`{"name":"p","tool":false,"hooks":["pre_tool"],"guards":["pre_tool"],`+
			`"on_failure":"block"}`) +
			`echo '{"block": false}'`, 0o755, nil},
		{"an observer that allows", schema(`{"name":"p","tool":false,"hooks":["post_tool"]}`) + `echo '{"block": false}'`,
			0o755, nil},
		{"a guard that wants to change", schema(`{"name":"p","tool":false,"hooks":["pre_tool"],"guards":["pre_tool"]}`) +
			`echo '{"arguments": {}}'`, 0o755, []string{
			"error pre_tool: it is a guard here and may only block"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			got := checked(t, test.script, test.mode)
			for i := range min(len(got), len(test.want)) {
				if strings.HasPrefix(got[i], test.want[i]) {
					got[i] = test.want[i]
				}
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// pluginsDir writes plugins: a script for each name; a text that begins with "->" is a
// link.
func pluginsDir(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		path := filepath.Join(dir, name)
		err := os.MkdirAll(filepath.Dir(path), 0o755)
		if target, isLink := strings.CutPrefix(text, "->"); isLink && err == nil {
			err = os.Symlink(target, path)
		} else if err == nil {
			err = os.WriteFile(path, []byte(text), 0o755)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// TestACheckSaysWhatTheProgramDoes checks each plugin of a directory in which plugins
// are in each other's way: it passes if and only if the program uses all of it.
func TestACheckSaysWhatTheProgramDoes(t *testing.T) {
	tool := func(names ...string) string {
		var list []string
		for _, name := range names {
			list = append(list, `{"name":"`+name+`","description":"d"}`)
		}
		return schema("[" + strings.Join(list, ",") + "]")
	}
	outside := pluginsDir(t, map[string]string{"tool": tool("outside")})
	opts := native.Options{
		Dir: pluginsDir(t, map[string]string{
			"10-first": tool("greet"), "20-second": tool("greet"), "30-part": tool("greet", "own"), "recurse": tool("recurse"),
			"twice": tool("same", "same"), "off": tool("off"), "away.disabled": tool("away"), "fine": tool("fine"),
			"out": "->" + filepath.Join(outside, "tool"), "nowhere": "->/nowhere", ".dot": tool("dot"),
			"element": schema(`[{"name":"element","description":"d"},{"description":"nameless"}]`),
			"guard":   tool("guard", "recurse"), "folder/folder": tool("folder"), "empty/README": "",
		}),
		Home: t.TempDir(), ProbeTimeout: time.Minute, Reserved: []string{"recurse"},
		Overrides: map[string]plugin.Override{"off": {Disabled: true}, "guard": {OnFailure: plugin.Block}},
	}
	f, err := check.Load(t.Context(), opts)
	if err != nil {
		t.Fatal(err)
	}
	names := []string{"10-first", "20-second", "30-part", "element", "fine", "folder", "guard", "nowhere", "out",
		"recurse",
		"twice"}
	if diff := cmp.Diff(names, f.Names()); diff != "" {
		t.Errorf("names (-want +got):\n%s", diff)
	}
	loaded, err := native.Load(t.Context(), opts)
	if err != nil {
		t.Fatal(err)
	}
	used := map[string]bool{}
	for _, p := range loaded.Plugins {
		used[p.Name] = p.LostTools == 0
	}
	for name, want := range map[string]string{
		"10-first": `warning tool greet: plugin "20-second" also has a tool of that name, which is skipped: this one ` +
			`comes first`,
		"20-second": `error schema: plugin "10-first" comes first and also has a tool "greet", which is used instead; remove`,
		"30-part":   "error schema: 1 of its 2 tools is skipped", "fine": "", "folder": "",
		"recurse": `error schema: chibi has a tool "recurse" built in, which is used instead; remove the plugin, disable ` +
			`it (chibi ` +
			"plugin disable recurse), or rename its tool",
		"twice":   "error schema: 1 of its 2 tools is skipped",
		"off":     `error file: disabled by enabled = false in [plugins."off"] of the configuration`,
		"out":     "error file: it is a link to ",
		"nowhere": "error file: it is a link whose target does not exist or that leads to itself",
		".dot":    "error file: files whose names begin with a dot or end with .chibi-test.toml are not plugins; rename it",
		"element": "error schema: 1 of its 2 tools is skipped", "guard": `error schema: chibi has a tool "recurse" built in`,
		"away.disabled": "error file: disabled by its name; to enable it, remove .disabled",
		"empty":         "error file: a directory without an executable empty/empty in it",
	} {
		r := f.Check(t.Context(), name)
		if r.Passed() != used[name] {
			t.Errorf("%s passes: %v, the program uses it: %v", name, r.Passed(), used[name])
		}
		got := ""
		if len(r.Findings) > 0 {
			got = string(r.Findings[0].Level) + " " + r.Findings[0].Where + ": " + r.Findings[0].Text
		}
		if !strings.HasPrefix(got, want) || want == "" && got != "" {
			t.Errorf("%s: %s\nwant %s", name, got, want)
		}
	}
}

func TestParametersAreAJSONSchema(t *testing.T) {
	for parameters, want := range map[string][]string{
		`{"type":"object","properties":{"a":{"type":["string","null"],"enum":["x"],"x-note":1}},"required":["a"],` +
			`"additionalProperties":false}`: nil,
		`{"properties":{"a":{"type":"strng"}}}`: {`error tool p: parameters.properties.a.type: unknown type "strng"; ` +
			`want one of object, array, string, number, integer, boolean, null`},
		`{"properties":{"a":"string"}}`: {"error tool p: parameters.properties.a must be a schema: an " +
			"object, true or false"},
		`{"required":"a"}`: {"error tool p: parameters.required must be a list of strings"},
		`{"properties":{"a":{"required":true}}}`: {"error tool p: parameters.properties.a.required must be a " +
			"list of strings"},
		`{"propertis":{}}`: {`warning tool p: parameters: unknown keyword "propertis" of JSON Schema; it has no effect`},
		`{"properties":{"a":{"items":{"minLength":-1}}}}`: {"error tool p: parameters.properties.a.items.minLength must " +
			"be a whole number, 0 or more"},
		`{"anyOf":[{"pattern":"("}]}`: {"error tool p: parameters.anyOf[0].pattern must be a " +
			"regular expression in the syntax of Go (RE2)"},
		`{"properties":{"a":{"minimum":"1","default":"x"}}}`: {"error tool p: parameters.properties.a.minimum must be a " +
			"number"},
	} {
		got := checked(t, schema(`{"name":"p","description":"d","parameters":`+parameters+`}`)+"exit 0", 0o755)
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", parameters, diff)
		}
	}
}
