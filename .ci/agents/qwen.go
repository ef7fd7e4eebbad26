package main

import "fmt"

// qwen is Qwen Code.
func qwen() agent {
	return agent{
		name: "qwen", pkg: "@qwen-code/qwen-code", version: "0.24.4", program: "qwen", speak: chat,
		prepare: qwenPrepare,
		args:    func(_ *home, prompt string) []string { return []string{"--yolo", "-p", prompt} },
		env: func(h *home) []string {
			return []string{"OPENAI_BASE_URL=" + h.model.URL + "/v1", "OPENAI_API_KEY=nobody", "OPENAI_MODEL=qwen3-coder"}
		},
		call: qwenCall, replies: claudeReplies("qwen"),
		settings: ".qwen/settings.json",
		events: []string{"SessionStart", "SessionEnd", "UserPromptSubmit", "UserPromptExpansion", "PreToolUse",
			"PermissionRequest", "PermissionDenied", "PostToolUse", "PostToolUseFailure", "PostToolBatch", "MessageDisplay",
			"Stop", "StopFailure", "SubagentStart", "SubagentStop", "PreCompact", "PostCompact", "Notification",
			"TodoCreated", "TodoCompleted", "SessionDelete", "InstructionsLoaded"},
		hooks: func(h *home, command func(event string) string) error {
			h.dropComments(".qwen/settings.json")
			return h.addHooks(".qwen/settings.json", qwen().events, func(event string) any {
				return object{"hooks": []any{object{"type": "command", "command": command(event), "timeout": 30000}}}
			})
		},
	}
}

// qwenPrepare chooses the key as the login, in a file with comments and a shape of its own.
func qwenPrepare(h *home) error {
	notes := h.notes()
	return h.write(".qwen/settings.json", fmt.Sprintf(`{
  // The settings of a person.
  "security": {"auth": {"selectedType": "openai"}},
  "privacy": {"usageStatisticsEnabled": false},  /* on loopback */
  "memory": {"enableManagedAutoMemory": false, "enableManagedAutoDream": false},
  "general": {"enableAutoUpdate": false},
    "mcpServers": {"notes": {"command": %q, "args": [%q, %q]}}
}
`, notes[0], notes[1], notes[2]))
}

// qwenCall calls MCP tools through the tool that calls tools.
func qwenCall(kind string, args object) call {
	switch kind {
	case "shell":
		return call{"run_shell_command", object{"command": args["command"], "is_background": false, "description": "Do it"}}
	case "read":
		return call{"read_file", object{"file_path": args["path"]}}
	case "write":
		return call{"write_file", object{"file_path": args["path"], "content": args["content"]}}
	case "edit":
		return call{"edit", object{"file_path": args["path"], "old_string": args["old"], "new_string": args["new"]}}
	case "mcp":
		name := fmt.Sprintf("mcp__%s__%s", args["server"], args["tool"])
		return call{"tool_call", object{"name": name, "arguments": args["args"]}}
	}
	return call{kind, args}
}
