package main

import "fmt"

// droid is Factory Droid.
func droid() agent {
	return agent{
		name: "droid", pkg: "droid", version: "0.215.0", program: "droid", speak: chat,
		prepare: droidPrepare,
		args: func(_ *home, prompt string) []string {
			return []string{"exec", "--skip-permissions-unsafe", "-m", "custom:scripted", prompt}
		},
		env:  func(*home) []string { return nil },
		call: droidCall, replies: droidReplies(), search: "ToolSearch",
		settings: ".factory/",
		events: []string{"SessionStart", "SessionEnd", "UserPromptSubmit", "PreToolUse", "PostToolUse", "Stop",
			"SubagentStop", "PreCompact", "Notification"},
		hooks: func(h *home, command func(event string) string) error {
			hooks := object{}
			for _, event := range droid().events {
				hooks[event] = []any{object{"hooks": []any{object{"type": "command", "command": command(event), "timeout": 30}}}}
			}
			return h.writeJSON(".factory/hooks.json", hooks)
		},
		scenes: []scene{{name: "more", steps: func(use tools, project string) []step {
			return []step{
				{kind: "list", calls: []call{use("LS", object{"directory_path": project})}},
				{kind: "grep", calls: []call{use("Grep", object{"pattern": "roses", "path": project})}},
				{kind: "fetch", calls: []call{use("FetchUrl", object{"url": "http://127.0.0.1:9/"})}},
				{kind: "agent", calls: []call{use("Task", object{"subagent_type": "worker", "description": "a task",
					"prompt": "Do the task."})}},
			}
		}}},
	}
}

// droidPrepare names the model, its server, and that of the notes.
func droidPrepare(h *home) error {
	notes := h.notes()
	if err := h.write(".factory/mcp.json", fmt.Sprintf(`{
    "mcpServers": {"notes": {"type": "stdio", "command": %q, "args": [%q, %q]  }}
}`, notes[0], notes[1], notes[2])); err != nil {
		return err
	}
	return h.write(".factory/settings.json", fmt.Sprintf(`{
  "customModels": [{"model": "scripted", "displayName": "scripted", "baseUrl": "%s/v1", "apiKey": "nobody",
    "provider": "generic-chat-completion-api", "maxOutputTokens": 4096}]
}
`, h.model.URL))
}

func droidCall(kind string, args object) call {
	switch kind {
	case "shell":
		return call{"Execute", object{"command": args["command"], "summary": "Do it"}}
	case "read":
		return call{"Read", object{"file_path": args["path"]}}
	case "write":
		return call{"Create", object{"file_path": args["path"], "content": args["content"]}}
	case "edit":
		return call{"Edit", object{"file_path": args["path"], "old_str": args["old"], "new_str": args["new"]}}
	case "mcp":
		return call{fmt.Sprintf("%s___%s", args["server"], args["tool"]), args["args"].(object)}
	}
	return call{kind, args}
}

// droidReplies are answers of hooks of Factory Droid.
func droidReplies() []reply {
	special := func(event, members string) string {
		return fmt.Sprintf(`{"hookSpecificOutput":{"hookEventName":%q,%s}}`, event, members)
	}
	decide := func(word string) string {
		return special("PreToolUse", `"permissionDecision":"`+word+`","permissionDecisionReason":"rule 4711"`)
	}
	hint, block := `"additionalContext":"hint 4711"`, `{"decision":"block","reason":"rule 4711"}`
	halt := `{"continue":false,"stopReason":"stop 4711"}`
	list := append(answers("PreToolUse", decide("deny"), decide("ask"), block, halt, special("PreToolUse", hint),
		special("PreToolUse", `"updatedInput":{"command":"echo rewritten > out.txt"}`)),
		reply{event: "PreToolUse", status: 1, stderr: "error 4711"},
		reply{event: "PreToolUse", status: 2, stderr: "rule 4711"},
		reply{event: "PreToolUse", status: 3, stderr: "rule 4711"})
	list = append(list, answers("PostToolUse", special("PostToolUse", hint), block, halt,
		special("PostToolUse", `"updatedToolOutput":"output 4711"`))...)
	list = append(list, reply{event: "PostToolUse", status: 2, stderr: "hint 4711"})
	return append(list, answers("SessionStart", special("SessionStart", hint), "hint 4711")...)
}
