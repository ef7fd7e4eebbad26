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
		name: "gemini", pkg: "@google/gemini-cli", version: "0.61.0", program: "gemini", speak: genai,
		prepare: geminiPrepare,
		args: func(_ *home, prompt string) []string {
			return []string{"--yolo", "--skip-trust", "-m", "gemini-2.5-flash", "-p", prompt}
		},
		env: func(h *home) []string {
			return []string{"GOOGLE_GEMINI_BASE_URL=" + h.model.URL, "GEMINI_API_KEY=nobody"}
		},
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

// geminiPrepare chooses the key as the login, in a file with comments and a shape of its own.
func geminiPrepare(h *home) error {
	notes := h.notes()
	return h.write(".gemini/settings.json", fmt.Sprintf(`{
  // The settings of a person.
  "security": {"auth": {"selectedType": "gemini-api-key"}},
  "privacy": {"usageStatisticsEnabled": false},  /* on loopback */
  "general": {"enableAutoUpdate": false},
    "mcpServers": {"notes": {"command": %q, "args": [%q, %q]}}
}
`, notes[0], notes[1], notes[2]))
}

func geminiCall(kind string, args object) call {
	switch kind {
	case "shell":
		return call{"run_shell_command", object{"command": args["command"], "description": "Do it"}}
	case "read":
		return call{"read_file", object{"file_path": args["path"]}}
	case "write":
		return call{"write_file", object{"file_path": args["path"], "content": args["content"]}}
	case "edit":
		return call{"replace", object{"file_path": args["path"], "instruction": "Change it", "old_string": args["old"],
			"new_string": args["new"]}}
	case "mcp":
		return call{fmt.Sprintf("mcp_%s_%s", args["server"], args["tool"]), args["args"].(object)}
	}
	return call{kind, args}
}

// dropComments takes the comments out of a settings file of the checks.
func (h *home) dropComments(path string) {
	text, _ := os.ReadFile(filepath.Join(h.home, path))
	h.write(path, regexp.MustCompile(`// .*|/\* .* \*/`).ReplaceAllString(string(text), ""))
}
