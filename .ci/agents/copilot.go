package main

import (
	"fmt"
	"strings"
)

// copilot is GitHub Copilot CLI.
func copilot() agent {
	return agent{
		Agent: driven("copilot"), pkg: "@github/copilot", version: "1.0.102",
		servers: ".copilot/mcp-config.json", server: func(notes []string) string {
			return strings.Replace(memberOf(`"type": "local", `)(notes), "]  }", `], "tools": ["*"]  }`, 1)
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

func copilotCall(kind string, args object) call {
	switch kind {
	case "shell":
		return driven("copilot").Run(args["command"])
	case "read":
		return calling("view", object{"path": args["path"]})
	case "write":
		return calling("create", object{"path": args["path"], "file_text": args["content"]})
	case "edit":
		return calling("edit", object{"path": args["path"], "old_str": args["old"], "new_str": args["new"]})
	case "mcp":
		return calling(fmt.Sprintf("%s-%s", args["server"], args["tool"]), args["args"].(object))
	}
	return calling(kind, args)
}
