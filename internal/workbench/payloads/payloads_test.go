package payloads_test

import (
	"os"
	"testing"

	"github.com/chibi-host/chibi/hookpoints"
	"github.com/chibi-host/chibi/internal/hookdoc"
	"github.com/chibi-host/chibi/internal/workbench/payloads"
	"github.com/chibi-host/chibi/merge"
	"github.com/chibi-host/chibi/tools"
	"github.com/tidwall/gjson"
)

// TestWhatFollowsFromWhatWasSet sets fields of examples. A field that is wanted to be "" is absent.
func TestWhatFollowsFromWhatWasSet(t *testing.T) {
	for _, test := range []struct {
		point hookpoints.Name
		set   map[string]string
		want  map[string]string
	}{
		{"pre_shell_exec", map[string]string{"command": `"cd x && git push"`},
			map[string]string{"commands": `["cd x","git push"]`, "arguments": `{"command":"cd x \u0026\u0026 git push"}`}},
		{"pre_shell_exec", map[string]string{"arguments": `{"command":"git push","timeout":5}`},
			map[string]string{"command": `"git push"`, "commands": `["git push"]`}},
		{"pre_shell_exec", map[string]string{"command": `"git $("`}, map[string]string{"commands": `null`}},
		{"pre_shell_exec", map[string]string{"command": `"make"`, "commands": `["git push"]`, "arguments": `{"cmd":"ls"}`},
			map[string]string{"commands": `["git push"]`, "arguments": `{"cmd":"ls"}`}},
		{"pre_shell_exec", map[string]string{"cwd": `"/"`}, map[string]string{"commands": `["ls -l /tmp"]`}},

		{"pre_tool", nil, map[string]string{"category": `"shell"`, "subject": `"command"`}},
		{"pre_tool", map[string]string{"arguments": `{"cmd":"ls"}`},
			map[string]string{"category": `"shell"`, "subject": `"cmd"`}},
		{"pre_tool", map[string]string{"arguments": `{"n":1}`}, map[string]string{"category": ``, "subject": ``}},
		{"pre_tool", map[string]string{"tool_name": `"file_edit"`},
			map[string]string{"category": `"edit"`, "subject": `"path"`}},
		{"pre_tool", map[string]string{"tool_name": `"of_plugin"`},
			map[string]string{"category": `"fetch"`, "subject": `"where"`}},
		{"pre_tool", map[string]string{"tool_name": `"without"`}, map[string]string{"category": ``, "subject": ``}},
		{"pre_tool", map[string]string{"tool_name": `"file_edit"`, "category": `"read"`},
			map[string]string{"category": `"read"`, "subject": `"path"`}},
		{"pre_tool_output", map[string]string{"tool_name": `"fetch_url"`},
			map[string]string{"category": `"fetch"`, "subject": `"url"`}},
		{"pre_permission", map[string]string{"arguments": `{"path":"x","content":"y"}`, "tool_name": `"put"`},
			map[string]string{"category": `"write"`, "subject": `"path"`}},

		{"pre_fetch_url", map[string]string{"url": `"https://example.com/x"`},
			map[string]string{"host": `"example.com"`, "safety": `"public"`, "reason": ``}},
		{"pre_fetch_url", map[string]string{"url": `"https://example.com/x"`},
			map[string]string{"arguments": `{"url":"https://example.com/x"}`}},
		{"pre_fetch_url", map[string]string{"arguments": `{"url":"http://169.254.169.254/"}`},
			map[string]string{"url": `"http://169.254.169.254/"`, "host": `"169.254.169.254"`, "safety": `"sensitive"`}},
		{"pre_fetch_url", map[string]string{"url": `"http://10.0.0.1/"`, "safety": `"public"`},
			map[string]string{"host": `"10.0.0.1"`, "address_class": `"private_network"`, "safety": `"public"`}},

		{"pre_cache_output", map[string]string{"content": `"one\ntwo"`},
			map[string]string{"char_count": `7`, "line_count": `2`}},
		{"pre_cache_output", map[string]string{"content_path": `"/nowhere"`, "content": `"x"`, "line_count": `9`},
			map[string]string{"content_path": `"/nowhere"`, "line_count": `9`}},
	} {
		info, _ := hookpoints.Find(test.point)
		payload := hookdoc.Example(info)
		var names []string
		for name, value := range test.set {
			var err error
			if payload, err = merge.Set(payload, name, []byte(value)); err != nil {
				t.Fatal(err)
			}
			names = append(names, name)
		}
		made := payloads.Maker{Find: find}
		defer made.Remove()
		payload, err := made.Complete(info, payload, names)
		if err != nil {
			t.Errorf("%s with %v: %v", test.point, test.set, err)
		}
		for name, want := range test.want {
			if got := string(merge.At(payload, "/"+name)); got != want && !merge.Equal([]byte(got), []byte(want)) {
				t.Errorf("%s with %v: %s is %s, want %s", test.point, test.set, name, got, want)
			}
		}
	}
}

// find finds tools of plugins: one with a category and one that says nothing.
func find(name string) (tools.Tool, bool) {
	switch name {
	case "of_plugin":
		return tool{spec: tools.Spec{Name: name, Category: tools.CategoryFetch, Subject: "where"}}, true
	case "without":
		return tool{spec: tools.Spec{Name: name}}, true
	}
	return nil, false
}

type tool struct {
	tools.Tool
	spec tools.Spec
}

func (t tool) Spec() tools.Spec { return t.spec }

// TestTheFileOfALargeOutputIsThere, the same for each payload, until the maker is done.
func TestTheFileOfALargeOutputIsThere(t *testing.T) {
	var made payloads.Maker
	first, err := made.Example(hookpoints.PreCacheOutput.Info())
	if err != nil {
		t.Fatal(err)
	}
	again, err := made.Example(hookpoints.PreCacheOutput.Info())
	if err != nil || string(again) != string(first) {
		t.Errorf("%v: first %s, then %s", err, first, again)
	}
	path := gjson.GetBytes(first, "content_path").String()
	text, err := os.ReadFile(path)
	if want := gjson.GetBytes(first, "content").String(); err != nil || string(text) != want {
		t.Errorf("%q, %v, want %q", text, err, want)
	}
	made.Remove()
	if _, err := os.Stat(path); err == nil {
		t.Errorf("%s is left", path)
	}
}
