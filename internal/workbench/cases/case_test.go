package cases_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/chibi-host/chibi/internal/workbench/cases"
	"github.com/chibi-host/chibi/plugin"
	"github.com/chibi-host/chibi/plugin/native"
	"github.com/google/go-cmp/cmp"
)

// upper is a plugin that has a bit of everything.
const upper = `#!/bin/sh
[ "$1" = --schema ] && { echo '{"name": "upper", "hooks": ["pre_message", "pre_tool", "post_tool"],
	"parameters": {"type": "object", "required": ["text"]}}'; exit; }
case "$CHIBI_HOOK" in
pre_message) sed 's/.*"prompt":"\([^"]*\)".*/{"prompt":"\1 \1"}/';;
pre_tool) grep -q fail && { echo broken >&2; exit 3; }; echo '{"block":true,"message":"at '"$(date +%Y)"'"}';;
post_tool) echo '{"block":true}';;
"") printf '%s in %s' "$(cat | sed 's/.*"text":"\([^"]*\)".*/\1/' | tr a-z A-Z)" "$CHIBI_CONTEXT"; [ -z "$WRONG" ];;
esac
`

func load(t *testing.T) *plugin.Plugin {
	t.Helper()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "upper"), []byte(upper), 0o755); err != nil {
		t.Fatal(err)
	}
	loaded, err := native.Load(t.Context(), native.Options{Dir: dir, Context: "work", ProbeTimeout: time.Minute,
		HookTimeout: time.Minute})
	if err != nil || len(loaded.Plugins) != 1 {
		t.Fatalf("%+v, %v", loaded, err)
	}
	return &loaded.Plugins[0]
}

func TestCases(t *testing.T) {
	p := load(t)
	for _, test := range []struct {
		name, text string
		want       []string
	}{
		{"an answer", "hook = 'pre_message'\ndata.prompt = 'hi'\nanswer.prompt = 'hi hi'", nil},
		{"another answer", "hook = 'pre_message'\ndata.prompt = 'hi'\nanswer = {prompt = 'hi', block = true}", []string{
			`answer at /block: got no value, want true`, `answer at /prompt: got "hi hi", want "hi"`}},
		{"a result", "hook = 'pre_message'\ndata.prompt = 'hi'\nresult.prompt = 'hi hi'", nil},
		{"no opinion", "hook = 'pre_message'\ndata.prompt = 'hi'\nanswer = {}",
			[]string{`answer at /prompt: got "hi hi", want no value`}},
		{"a match", "hook = 'pre_tool'\nmatches.message = '^at \\d{4}$'", nil},
		{"no match", "hook = 'pre_tool'\nmatches.message = '^never$'",
			[]string{`answer: message is "at ` + time.Now().Format("2006") + `", want a match of "^never$"`}},
		{"it fails as expected", "hook = 'pre_tool'\ndata.arguments.command = 'fail'\nfails = 'broken'", nil},
		{"it fails", "hook = 'pre_tool'\ndata.arguments.command = 'fail'\nanswer = {}",
			[]string{"it failed: exit status 3 (broken)"}},
		{"it does not fail", "hook = 'pre_message'\nfails = 'x'", []string{`it did not fail, want a failure with "x"`}},
		{"it fails in another way", "hook = 'pre_tool'\ndata.arguments.command = 'fail'\nfails = 'zzz'",
			[]string{`it failed: exit status 3 (broken); want a match of "zzz"`}},
		{"an answer without effect", "hook = 'post_tool'\nanswer.block = true",
			[]string{`its answer had no effect: post_tool is only observed, an answer of "block" changes nothing`}},
		{"a hook that it does not ask for", "hook = 'on_start'\nanswer = {}",
			[]string{"chibi does not ask the plugin at on_start; its --schema does not list it"}},
		{"a payload that does not fit", "hook = 'pre_message'\ndata.prompt = 7\nanswer = {}",
			[]string{"payload of pre_message: prompt: must be a string, is a number"}},
		{"a tool", "tool = 'upper'\narguments.text = 'abc'\noutput = 'ABC in work'", nil},
		{"another output", "tool = 'upper'\narguments.text = 'abc'\noutput = 'abc'\noutput_matches = 'x'", []string{
			`output: got "ABC in work", want "abc"`, `output: got "ABC in work", want a match of "x"`}},
		{"a missing argument", "tool = 'upper'\noutput = 'abc'", []string{`argument "text" is missing`}},
		{"no such tool", "tool = 'lower'\noutput = 'abc'", []string{`the plugin has no tool "lower"`}},
	} {
		t.Run(test.name, func(t *testing.T) {
			f, err := cases.Parse("upper.chibi-test.toml", []byte("[[case]]\n"+test.text+"\n"))
			if err != nil {
				t.Fatal(err)
			}
			o := f.Cases[0].Run(t.Context(), p)
			if diff := cmp.Diff(test.want, o.Wrong); diff != "" || o.Name != "case 1" || f.Plugin != "upper" {
				t.Errorf("%s of %s (-want +got):\n%s", o.Name, f.Plugin, diff)
			}
		})
	}
}

func TestFilesThatMakeNoSense(t *testing.T) {
	for text, want := range map[string]string{
		"":                                            "x.toml: it has no [[case]]",
		"[[case]]\nhook = 'pre_tool'":                 "x.toml: case 1: it expects nothing; set answer",
		"[[case]]\nanswer = {}":                       "x.toml: case 1: set either hook or tool",
		"[[case]]\nhook = 'x'\nanswer = {}":           `x.toml: case 1: unknown hook "x"; chibi hook list shows all`,
		"[[case]]\nhok = 'pre_tool'":                  `x.toml:2: unknown key "case.hok"`,
		"[[case]]\nhook = 7":                          "x.toml:2: ",
		"[[case]]\nhook = 'pre_tool'\nfails = '('":    "x.toml: case 1: error parsing regexp",
		"[[case]]\nhook = 'pre_tool'\nanswer.x = nan": "x.toml: case 1: a value that JSON does not have: ",
	} {
		if _, err := cases.Parse("x.toml", []byte(text)); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%q: %v, want %s", text, err, want)
		}
	}
	if _, err := cases.Read("nowhere"); err == nil {
		t.Error("a missing file is no error")
	}
}
