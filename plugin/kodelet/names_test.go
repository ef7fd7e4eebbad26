package kodelet_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chibi-host/chibi/hookpoints"
	"github.com/chibi-host/chibi/plugin"
	"github.com/google/go-cmp/cmp"
)

// guard asks for Kodelet's shell, as the guards in Kodelet's documents do.
const guard = `#!/usr/bin/env python3
import json, sys
if sys.argv[1] == "hook":
    print("before_tool_call")
    sys.exit()
payload = json.load(sys.stdin)
command = payload.get("tool_input", {}).get("command", "")
if payload.get("tool_name") == "bash" and "sudo" in command:
    print(json.dumps({"blocked": True, "reason": "no sudo here"}))
elif payload.get("tool_name") == "bash" and "timeout" in payload["tool_input"]:
    print(json.dumps({"input": {"command": "nice " + command, "timeout": 9, "description": "nicer"}}))
else:
    print(json.dumps({"blocked": False}))
`

func TestGuardsForKodeletsShellHoldForEveryShell(t *testing.T) {
	guard := one(t, guard)
	for name, test := range map[string]struct {
		call  hookpoints.PreToolPayload
		want  hookpoints.PreToolAnswer
		notes []string
	}{
		"shell_exec": {
			call: hookpoints.PreToolPayload{ToolName: "shell_exec", Category: "shell", Subject: "command",
				Arguments: json.RawMessage(`{"command":"sudo ls"}`)},
			want: hookpoints.PreToolAnswer{Block: true, Message: "no sudo here", BlockedBy: "0:h"},
		},
		"a plugin's shell": {
			call: hookpoints.PreToolPayload{ToolName: "run", Category: "shell", Subject: "line",
				Arguments: json.RawMessage(`{"line":"sudo ls"}`)},
			want: hookpoints.PreToolAnswer{Block: true, Message: "no sudo here", BlockedBy: "0:h"},
		},
		"an MCP server's shell": {
			call: hookpoints.PreToolPayload{ToolName: "mcp__box__run", Category: "shell", Subject: "line",
				Arguments: json.RawMessage(`{"line":"sudo ls","as":"me"}`)},
			want: hookpoints.PreToolAnswer{Block: true, Message: "no sudo here", BlockedBy: "0:h"},
		},
		"an MCP server's tool": {
			call: hookpoints.PreToolPayload{ToolName: "mcp__box__run", Category: "mcp",
				Arguments: json.RawMessage(`{"command":"sudo ls"}`)},
		},
		"a rewritten command": {
			call: hookpoints.PreToolPayload{ToolName: "shell_exec", Category: "shell", Subject: "command",
				Arguments: json.RawMessage(`{"command":"make","timeout_secs":5}`)},
			want: hookpoints.PreToolAnswer{
				Arguments: json.RawMessage(`{"command":"nice make","timeout_secs":9,"description":"nicer"}`)},
			notes: []string{`its input has "description", which is not an argument of shell_exec and has no other name there`},
		},
		"another tool": {
			call: hookpoints.PreToolPayload{ToolName: "run", Arguments: json.RawMessage(`{"command":"sudo ls"}`)},
		},
	} {
		t.Run(name, func(t *testing.T) {
			var notes []string
			host := &plugin.Host{Plugins: []plugin.Plugin{guard},
				Notify: func(n plugin.Notice) { notes = append(notes, n.Text) }}
			got, err := plugin.Fire(t.Context(), host, hookpoints.PreTool, test.call)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Error(diff)
			}
			if len(notes) != len(test.notes) || len(notes) > 0 && !strings.Contains(notes[0], test.notes[0]) {
				t.Errorf("notices %q, want %q", notes, test.notes)
			}
		})
	}
}

func TestAuditHooksSeeKodeletsNames(t *testing.T) {
	out := filepath.Join(t.TempDir(), "seen")
	logger := one(t, hook("after_tool_call", "cat > '"+out+"'"))
	host := &plugin.Host{Plugins: []plugin.Plugin{logger}}
	_, err := plugin.Fire(t.Context(), host, hookpoints.PreToolOutput, hookpoints.PreToolOutputPayload{
		ToolName: "run", Category: "shell", Subject: "line", Arguments: json.RawMessage(`{"line":"ls"}`), Output: "a\n",
		Outcome: hookpoints.Outcome{Status: hookpoints.StatusRan},
	})
	if err != nil {
		t.Fatal(err)
	}
	seen, err := os.ReadFile(out)
	for _, want := range []string{`"tool_name":"bash","tool_input":{"command":"ls"}`, `"toolName":"bash"`,
		`"metadataType":"bash","metadata":{"command":"ls"`} {
		if err != nil || !strings.Contains(string(seen), want) {
			t.Errorf("%v: %s lacks %s", err, seen, want)
		}
	}
}
