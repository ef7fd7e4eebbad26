package engine_test

import (
	"encoding/json"
	"testing"

	"github.com/chibi-host/chibi/internal/agents/engine"
)

func TestAPayloadHasTheFieldsOfTheTable(t *testing.T) {
	claude, _ := engine.ByName("claude-code")
	event, _ := claude.Event("PreToolUse")
	line, err := claude.Payload(event, engine.Moment{Values: map[engine.Value]json.RawMessage{
		engine.Session: json.RawMessage(`"s"`), engine.Cwd: json.RawMessage(`"/p"`),
		engine.Transcript: json.RawMessage(`"/t"`),
		engine.ToolName:   json.RawMessage(`"shell_exec"`), engine.ToolCategory: json.RawMessage(`"shell"`),
		engine.ToolSubject: json.RawMessage(`"command"`), engine.ToolInput: json.RawMessage(`{"command":"ls"}`),
		engine.CallID: json.RawMessage(`"c1"`), engine.PermissionMode: json.RawMessage(`"default"`),
	}})
	want := `{"session_id":"s","transcript_path":"/t","cwd":"/p","permission_mode":"default",` +
		`"hook_event_name":"PreToolUse","tool_name":"Bash","tool_input":{"command":"ls"},"tool_use_id":"c1"}` + "\n"
	if err != nil || string(line) != want {
		t.Errorf("%s%s%v", line, want, err)
	}
}
