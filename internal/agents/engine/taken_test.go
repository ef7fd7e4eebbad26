package engine_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/chibi-host/chibi/internal/agents"
	"github.com/chibi-host/chibi/internal/agents/engine"
)

// TestTheArgumentsWithWhichACallRuns holds what comes of arguments that plugins change.
func TestTheArgumentsWithWhichACallRuns(t *testing.T) {
	const patch = `"apply_patch","tool_input":{"command":"*** Begin Patch\n*** Add File: /a\n+x\n*** End Patch"}`
	for _, test := range []struct{ name, agent, call, changed, taken, lost string }{
		{"all", "claude PreToolUse", `"Bash","tool_input":{"command":"ls","timeout":1000}`, `{"command":"pwd"}`, "", ""},
		{"none", "qwen PreToolUse", `"run_shell_command","tool_input":{"command":"ls"}`, `{"command":"pwd"}`, "null",
			"takes no changed arguments at PreToolUse; the call stays"},
		{"none is taken away", "crush PreToolUse", `"bash","tool_input":{"command":"ls","description":"d"}`,
			`{"command":"pwd"}`, `{"command":"pwd","description":"d"}`, `the call keeps "description"`},
		{"all are there", "gemini BeforeTool", `"run_shell_command","tool_input":{"command":"ls","dir_path":"/"}`,
			`{"command":"pwd","cwd":"/x"}`, "", ""},
		{"none is taken away by its name there", "gemini BeforeTool",
			`"run_shell_command","tool_input":{"command":"ls","dir_path":"/"}`, `{"command":"pwd"}`,
			`{"command":"pwd","cwd":"/"}`, `the call keeps "dir_path"`},
		{"the agent's name of an argument", "claude PreToolUse", `"Write","tool_input":{"file_path":"/a","content":"x"}`,
			`{"file_path":"/b","content":"x"}`, `{"content":"x","path":"/b"}`, `chibi knows no argument "file_path"`},
		{"both names", "cursor preToolUse", `"Write","tool_input":{"file_path":"/a","content":"x"}`,
			`{"path":"/c","content":"x","file_path":"/b"}`, `{"path":"/c","content":"x"}`, `no argument "file_path"`},
		{"another argument", "gemini BeforeTool", `"write_file","tool_input":{"file_path":"/a","content":"x"}`,
			`{"path":"/b","content":"x","mode":"7"}`, "", ""},
		{"a patch", "codex PreToolUse", patch, `{"path":"/a","content":"y"}`, "", ""},
		{"what a patch cannot say", "codex PreToolUse", patch, `{"path":"/a","content":"y","mode":"x"}`, "null",
			"does not take such a change"},
		{"a patch of another file too", "codex PreToolUse", patch, `{"path":"/a\n*** Delete File: /b","content":"y"}`, "null",
			"does not take such a change"},
		{"around those of a server's tool", "grok PreToolUse",
			`"notes__note","tool_input":{"tool_name":"notes__note","tool_input":{"title":"a"}}`, `{"title":"b"}`, "", ""},
		{"no arguments", "claude PreToolUse", `"Bash","tool_input":["ls"]`, `{"command":"pwd"}`, "null",
			"does not take such a change"},
	} {
		t.Run(test.name, func(t *testing.T) {
			agent, event, _ := strings.Cut(test.agent, " ")
			d, _ := agents.ByName(agent)
			e, _ := d.Event(event)
			m, err := d.Moment(e, []byte(`{"tool_name":`+test.call+"}"))
			if err != nil {
				t.Fatal(err)
			}
			taken, lost := engine.Taker{Dialect: d, Event: e, Moment: m}.Arguments(json.RawMessage(test.changed))
			if string(taken) != test.taken || !strings.Contains(lost, test.lost) || (lost == "") != (test.lost == "") {
				t.Errorf("%s, %q", taken, lost)
			}
		})
	}
}
