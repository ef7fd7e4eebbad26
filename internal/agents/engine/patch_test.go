package engine_test

import (
	"cmp"
	"encoding/json"
	"strings"
	"testing"

	"github.com/chibi-host/chibi/internal/agents"
	"github.com/chibi-host/chibi/internal/agents/engine"
	"github.com/chibi-host/chibi/internal/strictjson"
	"github.com/tidwall/gjson"
)

func TestAWriteIsAPatchToCodex(t *testing.T) {
	codex, _ := agents.ByName("codex")
	event, _ := codex.Event("PreToolUse")
	for name, test := range map[string]struct{ tool, category, arguments, want string }{
		"a file": {"write_file", "write", `{"path":"a.txt","content":"one\ntwo\n"}`,
			"*** Begin Patch\n*** Add File: /p/a.txt\n+one\n+two\n*** End Patch"},
		"an edit": {"file_edit", "edit", `{"path":"/p/a.txt","old_string":"one","new_string":"1"}`,
			"*** Begin Patch\n*** Update File: /p/a.txt\n@@\n-one\n+1\n*** End Patch"},
	} {
		t.Run(name, func(t *testing.T) {
			line, err := codex.Payload(event, engine.Moment{Values: map[engine.Value]json.RawMessage{
				engine.Cwd: json.RawMessage(`"/p"`), engine.ToolName: strictjson.Quote(test.tool),
				engine.ToolCategory: strictjson.Quote(test.category), engine.ToolSubject: json.RawMessage(`"path"`),
				engine.ToolInput: json.RawMessage(test.arguments),
			}})
			if err != nil || gjson.GetBytes(line, "tool_name").Str != "apply_patch" ||
				gjson.GetBytes(line, "tool_input.command").Str != test.want {
				t.Errorf("%s, %v", line, err)
			}
		})
	}
}

// TestAPatchOfCodexIsACallForEachFile holds that a guard sees every file that a patch changes.
func TestAPatchOfCodexIsACallForEachFile(t *testing.T) {
	codex, _ := agents.ByName("codex")
	event, _ := codex.Event("PreToolUse")
	patch := "*** Begin Patch\n  *** Add File: new.txt\n+a\n\t *** Update File: /etc/passwd \n@@ root\n x\n-old\n+new\n" +
		"*** Move to: moved.txt\n*** Delete File: gone.txt\n*** End Patch"
	payload, _ := strictjson.Encode(map[string]any{"cwd": "/p", "tool_name": "apply_patch",
		"tool_input": map[string]string{"command": patch}})
	m, err := codex.Moment(event, payload)
	if err != nil {
		t.Fatal(err)
	}
	want := []string{
		`write_file {"content":"a\n","path":"/p/new.txt"}`,
		`file_edit {"new_string":"x\nnew\n","old_string":"x\nold\n","path":"/etc/passwd"}`,
		`file_edit {"new_string":"","old_string":"","path":"/p/moved.txt"}`,
		`file_edit {"new_string":"","old_string":"","path":"/p/gone.txt"}`,
	}
	moments := append([]engine.Moment{m}, m.More...)
	for i, m := range moments {
		if got := m.Text(engine.ToolName) + " " + string(m.Values[engine.ToolInput]); i >= len(want) || got != want[i] {
			t.Errorf("call %d: %s", i, got)
		}
	}
	if len(moments) != len(want) {
		t.Errorf("it is %d calls, want %d", len(moments), len(want))
	}
}

func TestAChangedPatchOfCodex(t *testing.T) {
	codex, _ := agents.ByName("codex")
	event, _ := codex.Event("PreToolUse")
	for name, test := range map[string]struct{ patch, changed, want string }{
		"a file": {"*** Add File: a\n+x", `{"path":"/p/b","content":"y\n"}`, "*** Add File: /p/b\n+y"},
		"a place": {"*** Update File: a\n@@\n-x\n+y", `{"path":"/p/a","old_string":"x\n","new_string":"z\n"}`,
			"*** Update File: /p/a\n@@\n-x\n+z"},
		"two places":       {"*** Update File: a\n@@\n-x\n+y\n@@\n-v\n+w", `{"path":"/p/b"}`, ""},
		"two files":        {"*** Add File: a\n+x\n*** Add File: b\n+x", `{"path":"/p/c"}`, ""},
		"a file that goes": {"*** Delete File: a", `{"path":"/p/c"}`, ""},
	} {
		t.Run(name, func(t *testing.T) {
			payload, _ := strictjson.Encode(map[string]any{"cwd": "/p", "tool_name": "apply_patch",
				"tool_input": map[string]string{"command": "*** Begin Patch\n" + test.patch + "\n*** End Patch"}})
			m, err := codex.Moment(event, payload)
			if test.want != "" {
				test.want = "*** Begin Patch\n" + test.want + "\n*** End Patch"
			}
			got := codex.Theirs(m, json.RawMessage(test.changed))
			if gjson.GetBytes(got, "command").Str != test.want || err != nil || (got == nil) != (test.want == "") {
				t.Errorf("%s, %v\nwant %s", got, err, test.want)
			}
		})
	}
}

// A patch is one by whatever spelling of the tool's name and of its member, and a harmless one beside it hides none.
func TestNoSpellingHidesAPatch(t *testing.T) {
	const harmless, patch = "*** Begin Patch\n*** Add File: a\n+x\n*** End Patch",
		"*** Begin Patch\n*** Delete File: b\n*** End Patch"
	for _, tool := range []string{"apply_patch", "ApplyPatch", "applypatch", "patch"} {
		for _, arguments := range []map[string]string{{"input": patch}, {"patchText": patch}, {"diff": patch},
			{"command": "", "input": patch}, {"command": harmless, "patchText": patch}} {
			for _, d := range agents.Bridges() {
				names := map[string]string{"copilot": "toolName toolArgs", "kilo": "tool input", "opencode": "tool input",
					"pi": "tool input"}[d.Name]
				named, input, _ := strings.Cut(cmp.Or(names, "tool_name tool_input"), " ")
				payload, _ := strictjson.Encode(map[string]any{named: tool, input: arguments})
				m, err := d.Moment(beforeTool(t, d), payload)
				last := append([]engine.Moment{m}, m.More...)[len(m.More)]
				if err != nil || last.Text(engine.ToolCategory) != "edit" || m.Odd != nil ||
					gjson.GetBytes(last.Values[engine.ToolInput], "path").Str != "b" {
					t.Errorf("%s: %s: %s, odd %q, %v", d.Name, payload, last.Values[engine.ToolInput], m.Odd, err)
				}
			}
		}
	}
}

// TestAPatchOfAnotherAgentIsACallForEachFile holds it for Copilot CLI, whose argument is the patch.
func TestAPatchOfAnotherAgentIsACallForEachFile(t *testing.T) {
	copilot, _ := agents.ByName("copilot")
	event, _ := copilot.Event("preToolUse")
	const patch = "*** Begin Patch\n*** Add File: a\n+x\n*** Delete File: b\n*** End Patch"
	inObject, _ := strictjson.Encode(map[string]string{"input": patch})
	for _, arguments := range []string{patch, string(inObject)} {
		payload, _ := strictjson.Encode(map[string]string{"cwd": "/p", "toolName": "apply_patch", "toolArgs": arguments})
		m, err := copilot.Moment(event, payload)
		if err != nil || len(m.More) != 1 || m.Text(engine.ToolName) != "write_file" ||
			string(m.Values[engine.ToolInput]) != `{"content":"x\n","path":"/p/a"}` ||
			gjson.GetBytes(m.More[0].Values[engine.ToolInput], "path").Str != "/p/b" {
			t.Errorf("%s: %s, %d more, %v", arguments, m.Values[engine.ToolInput], len(m.More), err)
		}
		if changed := copilot.Theirs(m, json.RawMessage(`{"path":"c"}`)); changed != nil {
			t.Errorf("%s", changed)
		}
	}
}
