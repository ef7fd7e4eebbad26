package main

import (
	"encoding/json"
	"fmt"
	"strings"
)

// codexCodeMode is Codex CLI with one of its newer models, which calls tools only from
// JavaScript, in a tool exec.
func codexCodeMode() agent {
	a := codex()
	a.variant, a.scenes, a.replies = "code mode", nil, nil
	a.prepare = func(h *home) error { return codexPrepare(h, "gpt-6-sol") }
	a.call = func(kind string, args object) call {
		direct := codexCall(kind, args)
		name := strings.ReplaceAll(direct.name, " ", "__")
		var input any = direct.args
		if name == "apply_patch" {
			input = direct.args["input"]
		}
		data, _ := json.Marshal(input)
		return call{"exec", object{"input": fmt.Sprintf("text(await tools.%s(%s));", name, data)}}
	}
	return a
}

// codex is Codex CLI with a model that calls tools directly.
func codex() agent {
	return agent{
		name: "codex", pkg: "@openai/codex", version: "0.169.0", program: "codex", speak: responses,
		prepare: func(h *home) error { return codexPrepare(h, "gpt-5.5") },
		args: func(_ *home, prompt string) []string {
			return []string{"exec", "--dangerously-bypass-approvals-and-sandbox", "--dangerously-bypass-hook-trust", prompt}
		},
		env:      func(*home) []string { return []string{"MODEL_KEY=nobody"} },
		call:     codexCall,
		settings: ".codex/",
		events: []string{"SessionStart", "UserPromptSubmit", "PreToolUse", "PermissionRequest", "PostToolUse",
			"Stop", "SubagentStart", "SubagentStop", "PreCompact", "PostCompact", "SessionEnd"},
		hooks: func(h *home, command func(event string) string) error {
			return h.addHooks(".codex/hooks.json", codex().events, func(event string) any {
				return object{"hooks": []any{object{"type": "command", "command": command(event), "timeout": 30}}}
			})
		},
		replies: claudeReplies("codex"),
		scenes: []scene{
			{name: "sub-agent", steps: func(use tools, _ string) []step {
				return []step{{kind: "agent", calls: []call{use("multi_agent_v1 spawn_agent", object{"message": "Do the task."})}},
					{kind: "wait", calls: []call{use("shell", object{"command": "sleep 3"})}}}
			}},
			{name: "failed", steps: func(tools, string) []step { return []step{{fail: true}} }},
			{name: "compact", settings: "model_auto_compact_token_limit = 50\n", steps: everyTool},
			{name: "resumed", steps: silence, then: func(*home) []string {
				return []string{"exec", "--dangerously-bypass-approvals-and-sandbox", "--dangerously-bypass-hook-trust", "resume",
					"--last", "Please go on."}
			}},
		},
	}
}

// codexPrepare names the model, its server, and that of the notes.
func codexPrepare(h *home, model string) error {
	notes := h.notes()
	return h.write(".codex/config.toml", fmt.Sprintf(`# The settings of a person.
model = %q
model_provider = "scripted"

[model_providers.scripted]   # on loopback
name = "scripted"
base_url = "%s/v1"
wire_api = "responses"
env_key = "MODEL_KEY"
request_max_retries = 0
stream_max_retries = 0

[mcp_servers.notes]
command = %q
args = [ %s ]
`, model, h.model.URL, notes[0], `"`+strings.Join(notes[1:], `", "`)+`"`))
}

func codexCall(kind string, args object) call {
	switch kind {
	case "shell":
		return call{"exec_command", object{"cmd": args["command"]}}
	case "read":
		return call{"exec_command", object{"cmd": fmt.Sprintf("cat %s", args["path"])}}
	case "write":
		patch := "*** Begin Patch\n*** Add File: %s\n+%s\n*** End Patch"
		return call{"apply_patch", object{"input": fmt.Sprintf(patch, args["path"], args["content"])}}
	case "edit":
		patch := "*** Begin Patch\n*** Update File: %s\n@@\n-%s\n+%s\n*** End Patch"
		return call{"apply_patch", object{"input": fmt.Sprintf(patch, args["path"], args["old"], args["new"])}}
	case "mcp":
		return call{fmt.Sprintf("mcp__%s %s", args["server"], args["tool"]), args["args"].(object)}
	}
	return call{kind, args}
}
