package main

import "fmt"

// qwen is Qwen Code.
func qwen() agent {
	return agent{
		Agent: driven("qwen"), pkg: "@qwen-code/qwen-code", version: "0.24.4",
		servers: ".qwen/settings.json", server: memberOf(""),
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

// qwenCall calls MCP tools through the tool that calls tools.
func qwenCall(kind string, args object) call {
	switch kind {
	case "shell":
		return driven("qwen").Run(args["command"])
	case "read":
		return calling("read_file", object{"file_path": args["path"]})
	case "write":
		return calling("write_file", object{"file_path": args["path"], "content": args["content"]})
	case "edit":
		return calling("edit", object{"file_path": args["path"], "old_string": args["old"], "new_string": args["new"]})
	case "mcp":
		name := fmt.Sprintf("mcp__%s__%s", args["server"], args["tool"])
		return calling("tool_call", object{"name": name, "arguments": args["args"]})
	}
	return calling(kind, args)
}
