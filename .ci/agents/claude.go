package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
)

// claude is Claude Code.
func claude() agent {
	return agent{
		name: "claude", pkg: "@anthropic-ai/claude-code", version: "2.1.330", program: "claude", speak: anthropic,
		prepare: claudePrepare,
		args: func(_ *home, prompt string) []string {
			return []string{"-p", prompt, "--output-format", "json"}
		},
		env: func(h *home) []string {
			return []string{"ANTHROPIC_BASE_URL=" + h.model.URL, "ANTHROPIC_API_KEY=nobody", "DISABLE_AUTOUPDATER=1",
				"CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1", "ENABLE_TOOL_SEARCH=false"}
		},
		call:     claudeCall,
		settings: ".claude/settings.json", state: []string{".claude.json", ".claude/backups/"},
		events: []string{"SessionStart", "Setup", "UserPromptSubmit", "UserPromptExpansion", "PreToolUse",
			"PermissionRequest", "PermissionDenied", "PostToolUse", "PostToolUseFailure", "PostToolBatch", "MessageDisplay",
			"Stop", "StopFailure", "SubagentStart", "SubagentStop", "PreCompact", "PostCompact", "SessionEnd",
			"Notification", "InstructionsLoaded", "ConfigChange", "CwdChanged",
			"FileChanged", "TaskCreated", "TaskCompleted"},
		hooks:  claudeHooks,
		scenes: claudeScenes(), replies: claudeReplies("claude"),
	}
}

// claudeScenes are runs in which the rarer events happen.
func claudeScenes() []scene {
	return []scene{
		{name: "asked", steps: func(use tools, _ string) []step {
			fetch := object{"url": "http://127.0.0.1:9/", "prompt": "what is it?"}
			return []step{{kind: "fetch", calls: []call{use("WebFetch", fetch)}}}
		}},
		{name: "sub-agent", steps: func(use tools, _ string) []step {
			task := object{"description": "a task", "prompt": "Do the task.", "subagent_type": "general-purpose",
				"run_in_background": false}
			return []step{{kind: "agent", calls: []call{use("Agent", task)}},
				{kind: "shell-in-sub-agent", calls: []call{use("shell", object{"command": "echo three"})}}}
		}},
		{name: "failed", steps: func(tools, string) []step { return []step{{fail: true}, {fail: true}, {fail: true}} }},
		{name: "command", prompt: "/greet the world", steps: silence, files: map[string]string{
			".claude/commands/greet.md": "Say hello to $ARGUMENTS.\n", "CLAUDE.md": "Be brief.\n"}},
		{name: "compact", steps: silence, then: func(h *home) []string {
			return append(claude().args(h, "/compact keep the names"), "--continue")
		}},
	}
}

// claudePrepare allows the tools, so that nothing is asked, in a file with a shape of its own.
func claudePrepare(h *home) error {
	settings := `{"permissions": {"allow": ["Bash", "Read", "Write", "Edit", "mcp__notes", "mcp__chibi"]},
	"includeCoAuthoredBy":false  }`
	if err := h.write(".claude/settings.json", settings); err != nil {
		return err
	}
	notes := h.notes()
	return h.writeJSON(".claude.json", object{"hasCompletedOnboarding": true,
		"projects":   object{h.project: object{"hasTrustDialogAccepted": true}},
		"mcpServers": object{"notes": object{"type": "stdio", "command": notes[0], "args": notes[1:]}}})
}

func claudeCall(kind string, args object) call {
	switch kind {
	case "shell":
		return call{"Bash", object{"command": args["command"], "description": "Do it"}}
	case "read":
		return call{"Read", object{"file_path": args["path"]}}
	case "write":
		return call{"Write", object{"file_path": args["path"], "content": args["content"]}}
	case "edit":
		return call{"Edit", object{"file_path": args["path"], "old_string": args["old"], "new_string": args["new"]}}
	case "mcp":
		return call{fmt.Sprintf("mcp__%s__%s", args["server"], args["tool"]), args["args"].(object)}
	}
	return call{kind, args}
}

// claudeHooks adds a command for each event to the settings.
func claudeHooks(h *home, command func(event string) string) error {
	return h.addHooks(".claude/settings.json", claude().events, func(event string) any {
		return object{"hooks": []any{object{"type": "command", "command": command(event)}}}
	})
}

// addHooks adds to a settings file of JSON, in its member hooks, one entry for each event.
func (h *home) addHooks(path string, events []string, entry func(event string) any) error {
	settings := object{}
	text, err := os.ReadFile(filepath.Join(h.home, path))
	if err == nil {
		err = json.Unmarshal(text, &settings)
	}
	if err != nil && !os.IsNotExist(err) {
		return err
	}
	hooks := object{}
	for _, event := range events {
		hooks[event] = []any{entry(event)}
	}
	settings["hooks"] = hooks
	return h.writeJSON(path, settings)
}
