package main

import "fmt"

// copilot is GitHub Copilot CLI.
func copilot() agent {
	return agent{
		name: "copilot", pkg: "@github/copilot", version: "1.0.102", program: "copilot", speak: chat,
		prepare: copilotPrepare,
		args: func(_ *home, prompt string) []string {
			return []string{"--allow-all-tools", "--no-auto-update", "-p", prompt}
		},
		env: func(h *home) []string {
			return []string{"COPILOT_PROVIDER_BASE_URL=" + h.model.URL + "/v1", "COPILOT_PROVIDER_API_KEY=nobody",
				"COPILOT_MODEL=scripted", "COPILOT_OFFLINE=true"}
		},
		call: copilotCall, replies: copilotReplies(),
		settings: ".copilot/",
		events: []string{"sessionStart", "sessionEnd", "userPromptSubmitted", "userPromptTransformed", "preToolUse",
			"permissionRequest", "postToolUse", "postToolUseFailure", "agentStop", "subagentStart", "subagentStop",
			"preCompact", "errorOccurred", "notification"},
		hooks: func(h *home, command func(event string) string) error {
			hooks := object{}
			for _, event := range copilot().events {
				hooks[event] = []any{object{"type": "command", "bash": command(event), "timeoutSec": 30}}
			}
			return h.writeJSON(".copilot/hooks/record.json", object{"version": 1, "hooks": hooks})
		},
	}
}

func copilotPrepare(h *home) error {
	notes := h.notes()
	return h.write(".copilot/mcp-config.json", fmt.Sprintf(`{
    "mcpServers": {
        "notes": {"type": "local", "command": %q, "args": [%q, %q], "tools": ["*"]  }
    }
}`, notes[0], notes[1], notes[2]))
}

func copilotCall(kind string, args object) call {
	switch kind {
	case "shell":
		return call{"bash", object{"command": args["command"], "description": "Do it"}}
	case "read":
		return call{"view", object{"path": args["path"]}}
	case "write":
		return call{"create", object{"path": args["path"], "file_text": args["content"]}}
	case "edit":
		return call{"edit", object{"path": args["path"], "old_str": args["old"], "new_str": args["new"]}}
	case "mcp":
		return call{fmt.Sprintf("%s-%s", args["server"], args["tool"]), args["args"].(object)}
	}
	return call{kind, args}
}
