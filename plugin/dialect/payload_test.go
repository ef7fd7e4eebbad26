package dialect_test

import (
	"encoding/json"
	"testing"

	"github.com/chibi-host/chibi/plugin/dialect"
)

func TestAPayloadHasTheFieldsOfTheTable(t *testing.T) {
	claude, _ := dialect.ByName("claude-code")
	event, _ := claude.Event("PreToolUse")
	line, err := claude.Payload(event, dialect.Moment{Values: map[dialect.Value]json.RawMessage{
		dialect.Session: json.RawMessage(`"s"`), dialect.Cwd: json.RawMessage(`"/p"`),
		dialect.Transcript: json.RawMessage(`"/t"`),
		dialect.ToolName:   json.RawMessage(`"shell_exec"`), dialect.ToolCategory: json.RawMessage(`"shell"`),
		dialect.ToolSubject: json.RawMessage(`"command"`), dialect.ToolInput: json.RawMessage(`{"command":"ls"}`),
		dialect.CallID: json.RawMessage(`"c1"`), dialect.PermissionMode: json.RawMessage(`"default"`),
	}})
	want := `{"session_id":"s","transcript_path":"/t","cwd":"/p","permission_mode":"default",` +
		`"hook_event_name":"PreToolUse","tool_name":"Bash","tool_input":{"command":"ls"},"tool_use_id":"c1"}` + "\n"
	if err != nil || string(line) != want {
		t.Errorf("%s%s%v", line, want, err)
	}
}
