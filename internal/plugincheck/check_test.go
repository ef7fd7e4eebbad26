package plugincheck_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/chibi-host/chibi/internal/plugincheck"
	"github.com/google/go-cmp/cmp"
)

// schema begins a script for sh with this schema.
func schema(text string) string {
	return "#!/bin/sh\n[ \"$1\" = --schema ] && { echo '" + text + "'; exit; }\n"
}

// check checks a script and lists what was found.
func check(t *testing.T, script string, mode os.FileMode) []string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "p")
	if err := os.WriteFile(path, []byte(script), mode); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(path, mode); err != nil {
		t.Fatal(err)
	}
	r := plugincheck.File(t.Context(), path, plugincheck.Options{Home: t.TempDir(), ProbeTimeout: time.Minute,
		HookTimeout: time.Second})
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
	guard := schema(`{"name":"p","hooks":["pre_tool"]}`)
	for _, test := range []struct {
		name, script string
		mode         os.FileMode
		want         []string
	}{
		{"a good one", schema(`{"name":"p","description":"d","hooks":["pre_tool","on_start"]}`) + "exit 0", 0o755, nil},
		{"not executable", guard, 0o644, []string{"error file: it is not executable; run: chmod +x PATH"}},
		{"everybody may change it", guard + "exit 0", 0o757,
			[]string{"warning file: everybody may change it, and so what chibi runs as you; run: chmod o-w PATH"}},
		{"its interpreter is missing", "#!/usr/bin/env no-such-interpreter\n", 0o755, []string{
			`error file: its interpreter "no-such-interpreter" is not installed; install it, or write the plugin in another language`,
			"error schema: --schema: exit status 127 (",
		}},
		{"a wrong interpreter", "#!/no/such/shell\n", 0o755,
			[]string{`error schema: --schema: could not be started: its interpreter "/no/such/shell" (first line) was not found`}},
		{"CR LF", "#!/bin/sh\r\necho\r\n", 0o755, []string{"error schema: --schema: could not be started: its lines end in " +
			"CR LF"}},
		{"no schema", "#!/bin/sh\n", 0o755, []string{"error schema: --schema did not print JSON; it printed nothing"}},
		{"a log line before the schema", "#!/bin/sh\necho loading\necho '{\"name\":\"p\"}'\n", 0o755,
			[]string{`error schema: --schema did not print JSON; it begins "loading"`}},
		{"no name", schema(`{"hooks":["pre_tool"]}`), 0o755, []string{`error schema: --schema: it has no "name"`}},
		{"a hook that does not exist", schema(`{"name":"p","description":"d","hooks":["PreToolUse"]}`), 0o755,
			[]string{`warning schema: hook "PreToolUse" does not exist; see chibi hook list`}},
		{"a key that means nothing", schema(`{"name":"p","description":"d","hook":["pre_tool"]}`), 0o755, []string{
			`warning schema: its --schema has a key "hook" that means nothing; did you mean "hooks"?`}},
		{"parameters that are no schema", schema(`{"name":"p","description":"d","parameters":{"type":"strin"}}`),
			0o755, []string{
				`error tool p: parameters.type: there is no type "strin"; there are object, array, string, number, integer, boolean, null`}},
		{"parameters that are no object", schema(`{"name":"p","description":"d","parameters":{"type":"string"}}`),
			0o755, []string{
				`error tool p: its parameters are not a usable JSON Schema: its type is "string", want "object"`}},
		{"a tool that nobody will call", schema(`{"name":"p"}`), 0o755,
			[]string{"warning tool p: it has no description; the model does not know when to call it"}},
		{"it fails", guard + "echo oops >&2; exit 3", 0o755,
			[]string{"error pre_tool: it failed on an example payload: exit status 3 (oops); see what it got: chibi hook fire " +
				"pre_tool --plugin p"}},
		{"it hangs", guard + "exec sleep 600", 0o755, []string{"error pre_tool: it failed on an example payload: no answer " +
			"after 1s; see what it got: chibi hook fire pre_tool --plugin p"}},
		{"a log line before the answer", guard + "echo checking\necho '{\"block\": true}'", 0o755, []string{
			`error pre_tool: its answer is not JSON; it begins "checking"; an answer follows that text: print what is not the answer to standard error`}},
		{"a text as answer", guard + "echo no", 0o755, []string{`error pre_tool: its answer is not JSON; it begins "no"`}},
		{"a field of another type", guard + `echo '{"block": "yes"}'`, 0o755,
			[]string{`error pre_tool: its answer has a field of the wrong type: block: must be a boolean, is a string`}},
		{"a field of another hook", guard + `echo '{"inject": "x"}'`, 0o755,
			[]string{`warning pre_tool: pre_tool has no field "inject"; it has "arguments", "block", "message"`}},
		{"Claude Code's answer", guard + `echo '{"decision": "block", "reason": "x"}'`, 0o755, []string{
			`warning pre_tool: pre_tool has no fields "decision", "reason", which is how answers for Claude Code are written; it has "arguments", "block", "message"; to block, answer {"block": true, "message": "why"}`}},
		{"Kodelet's answer", guard + `echo '{"blocked": true}'`, 0o755, []string{
			`warning pre_tool: pre_tool has no field "blocked", which is how answers for Kodelet are written; it has "arguments", "block", "message"; to block, answer {"block": true, "message": "why"}`}},
		{"Kode's answer", schema(`{"name":"p","hooks":["pre_message"]}`) + `echo '{"replace_prompt": "x"}'`, 0o755, []string{
			`warning pre_message: pre_message has no field "replace_prompt", which is how answers for Kode are written; it has "prompt", "block", "message"; to block, answer {"block": true, "message": "why"}`}},
		{"an observer that wants to change", schema(`{"name":"p","hooks":["post_tool"]}`) +
			`echo '{"block": true}'`, 0o755, []string{
			`error post_tool: post_tool is only observed, an answer of "block" changes nothing`}},
		{"a guard that allows", schema(`{"name":"p","hooks":["pre_tool"],"guards":["pre_tool"],"on_failure":"block"}`) +
			`echo '{"block": false}'`, 0o755, nil},
		{"an observer that allows", schema(`{"name":"p","hooks":["post_tool"]}`) + `echo '{"block": false}'`, 0o755, nil},
		{"a guard that wants to change", schema(`{"name":"p","hooks":["pre_tool"],"guards":["pre_tool"]}`) +
			`echo '{"arguments": {}}'`, 0o755, []string{
			"error pre_tool: it is a guard here and may only block"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			got := check(t, test.script, test.mode)
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

func TestFilesThatAreNone(t *testing.T) {
	dir := t.TempDir()
	for path, want := range map[string]string{
		filepath.Join(dir, "none"): "there is no file " + filepath.Join(dir, "none"), dir: "there is no file " +
			filepath.Join(dir, filepath.Base(dir)), "/dev/null": "it is not a regular file",
	} {
		r := plugincheck.File(t.Context(), path, plugincheck.Options{Home: t.TempDir()})
		if len(r.Findings) != 1 || r.Findings[0].Text != want || r.Passed() {
			t.Errorf("%s: %+v", path, r.Findings)
		}
	}
}

func TestParametersAreAJSONSchema(t *testing.T) {
	for parameters, want := range map[string][]string{
		`{"type":"object","properties":{"a":{"type":["string","null"],"enum":["x"],"x-note":1}},"required":["a"],"additionalProperties":false}`: nil,
		`{"properties":{"a":{"type":"strng"}}}`: {`error tool p: parameters.properties.a.type: there is no type "strng"; there are object, array, string, number, integer, boolean, null`},
		`{"properties":{"a":"string"}}`: {"error tool p: parameters.properties.a must be a schema: an " +
			"object, true or false"},
		`{"required":"a"}`: {"error tool p: parameters.required must be a list of texts"},
		`{"properties":{"a":{"required":true}}}`: {"error tool p: parameters.properties.a.required must be a " +
			"list of texts"},
		`{"propertis":{}}`: {`warning tool p: parameters: JSON Schema has no "propertis"; it means nothing`},
		`{"properties":{"a":{"items":{"minLength":-1}}}}`: {"error tool p: parameters.properties.a.items.minLength must " +
			"be a whole number, 0 or more"},
		`{"anyOf":[{"pattern":"("}]}`: {"error tool p: parameters.anyOf[0].pattern must be a " +
			"regular expression in the syntax of Go (RE2)"},
		`{"properties":{"a":{"minimum":"1","default":"x"}}}`: {"error tool p: parameters.properties.a.minimum must be a " +
			"number"},
	} {
		got := check(t, schema(`{"name":"p","description":"d","parameters":`+parameters+`}`)+"exit 0", 0o755)
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", parameters, diff)
		}
	}
}
