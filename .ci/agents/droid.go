package main

import "fmt"

// droid is Factory Droid.
func droid() agent {
	return agent{
		Agent: driven("droid"), pkg: "droid", version: "0.215.0",
		servers: ".factory/mcp.json", server: memberOf(`"type": "stdio", `),
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
				{Kind: "list", Calls: []call{use("LS", object{"directory_path": project})}},
				{Kind: "grep", Calls: []call{use("Grep", object{"pattern": "roses", "path": project})}},
				{Kind: "fetch", Calls: []call{use("FetchUrl", object{"url": "http://127.0.0.1:9/"})}},
				{Kind: "agent", Calls: []call{use("Task", object{"subagent_type": "worker", "description": "a task",
					"prompt": "Do the task."})}},
			}
		}}},
	}
}

func droidCall(kind string, args object) call {
	switch kind {
	case "shell":
		return driven("droid").Run(args["command"])
	case "read":
		return calling("Read", object{"file_path": args["path"]})
	case "write":
		return calling("Create", object{"file_path": args["path"], "content": args["content"]})
	case "edit":
		return calling("Edit", object{"file_path": args["path"], "old_str": args["old"], "new_str": args["new"]})
	case "mcp":
		return calling(fmt.Sprintf("%s___%s", args["server"], args["tool"]), args["args"].(object))
	}
	return calling(kind, args)
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
