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
		Agent: driven("claude"), pkg: "@anthropic-ai/claude-code", version: "2.1.330",
		servers: ".claude.json", server: memberOf(`"type": "stdio", `),
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
			return []step{{Kind: "fetch", Calls: []call{use("WebFetch", fetch)}}}
		}},
		{name: "sub-agent", steps: func(use tools, _ string) []step {
			task := object{"description": "a task", "prompt": "Do the task.", "subagent_type": "general-purpose",
				"run_in_background": false}
			return []step{{Kind: "agent", Calls: []call{use("Agent", task)}},
				{Kind: "shell-in-sub-agent", Calls: []call{use("shell", object{"command": "echo three"})}}}
		}},
		{name: "failed", steps: func(tools, string) []step { return []step{{Fail: true}, {Fail: true}, {Fail: true}} }},
		{name: "command", prompt: "/greet the world", steps: silence, files: map[string]string{
			".claude/commands/greet.md": "Say hello to $ARGUMENTS.\n", "CLAUDE.md": "Be brief.\n"}},
		{name: "compact", steps: silence, then: func(h *home) []string {
			return append(claude().with("/compact keep the names"), "--continue")
		}},
	}
}

func claudeCall(kind string, args object) call {
	switch kind {
	case "shell":
		return driven("claude").Run(args["command"])
	case "read":
		return calling("Read", object{"file_path": args["path"]})
	case "write":
		return calling("Write", object{"file_path": args["path"], "content": args["content"]})
	case "edit":
		return calling("Edit", object{"file_path": args["path"], "old_string": args["old"], "new_string": args["new"]})
	case "mcp":
		return calling(fmt.Sprintf("mcp__%s__%s", args["server"], args["tool"]), args["args"].(object))
	}
	return calling(kind, args)
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
