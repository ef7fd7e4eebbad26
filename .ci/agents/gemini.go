package main

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
)

// gemini is Gemini CLI.
func gemini() agent {
	return agent{
		Agent: driven("gemini"), pkg: "@google/gemini-cli", version: "0.61.0",
		servers: ".gemini/settings.json", server: memberOf(""),
		call: geminiCall, replies: geminiReplies(),
		settings: ".gemini/settings.json",
		events: []string{"SessionStart", "SessionEnd", "BeforeAgent", "AfterAgent", "BeforeModel", "AfterModel",
			"BeforeToolSelection", "BeforeTool", "AfterTool", "PreCompress", "Notification"},
		hooks: func(h *home, command func(event string) string) error {
			h.dropComments(".gemini/settings.json")
			return h.addHooks(".gemini/settings.json", gemini().events, func(event string) any {
				return object{"hooks": []any{object{"type": "command", "command": command(event), "timeout": 30000}}}
			})
		},
	}
}

func geminiCall(kind string, args object) call {
	switch kind {
	case "shell":
		return driven("gemini").Run(args["command"])
	case "read":
		return calling("read_file", object{"file_path": args["path"]})
	case "write":
		return calling("write_file", object{"file_path": args["path"], "content": args["content"]})
	case "edit":
		return calling("replace", object{"file_path": args["path"], "instruction": "Change it", "old_string": args["old"],
			"new_string": args["new"]})
	case "mcp":
		return calling(fmt.Sprintf("mcp_%s_%s", args["server"], args["tool"]), args["args"].(object))
	}
	return calling(kind, args)
}

// dropComments takes the comments out of a settings file of the checks.
func (h *home) dropComments(path string) {
	text, _ := os.ReadFile(filepath.Join(h.home, path))
	h.write(path, regexp.MustCompile(`// .*|/\* .* \*/`).ReplaceAllString(string(text), ""))
}
