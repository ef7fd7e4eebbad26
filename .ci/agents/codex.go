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
	for path, text := range a.Settings {
		a.Settings[path] = strings.Replace(text, "gpt-5.5", "gpt-6-sol", 1)
	}
	a.call = func(kind string, args object) call {
		direct := codexCall(kind, args)
		name := strings.ReplaceAll(direct.Name, " ", "__")
		var input any = direct.Args
		if name == "apply_patch" {
			input = direct.Args["input"]
		}
		data, _ := json.Marshal(input)
		return calling("exec", object{"input": fmt.Sprintf("text(await tools.%s(%s));", name, data)})
	}
	return a
}

// codex is Codex CLI with a model that calls tools directly.
func codex() agent {
	return agent{
		Agent: driven("codex"), pkg: "@openai/codex", version: "0.169.0",
		servers: ".codex/config.toml", server: tableOf,
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
				return []step{{Kind: "agent", Calls: []call{use("multi_agent_v1 spawn_agent", object{"message": "Do the task."})}},
					{Kind: "wait", Calls: []call{use("shell", object{"command": "sleep 3"})}}}
			}},
			{name: "failed", steps: func(tools, string) []step { return []step{{Fail: true}} }},
			{name: "compact", settings: "model_auto_compact_token_limit = 50\n", steps: everyTool},
			{name: "resumed", steps: silence, then: func(*home) []string {
				return []string{"exec", "--dangerously-bypass-approvals-and-sandbox", "--dangerously-bypass-hook-trust", "resume",
					"--last", "Please go on."}
			}},
		},
	}
}

func codexCall(kind string, args object) call {
	switch kind {
	case "shell":
		return driven("codex").Run(args["command"])
	case "read":
		return calling("exec_command", object{"cmd": fmt.Sprintf("cat %s", args["path"])})
	case "write":
		patch := "*** Begin Patch\n*** Add File: %s\n+%s\n*** End Patch"
		return calling("apply_patch", object{"input": fmt.Sprintf(patch, args["path"], args["content"])})
	case "edit":
		patch := "*** Begin Patch\n*** Update File: %s\n@@\n-%s\n+%s\n*** End Patch"
		return calling("apply_patch", object{"input": fmt.Sprintf(patch, args["path"], args["old"], args["new"])})
	case "mcp":
		return calling(fmt.Sprintf("mcp__%s %s", args["server"], args["tool"]), args["args"].(object))
	}
	return calling(kind, args)
}
