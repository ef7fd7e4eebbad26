package main

import (
	"fmt"
	"strings"
)

// grok is Grok Build.
func grok() agent {
	return agent{
		Agent: driven("grok"), pkg: "@xai-official/grok", version: "1.0.41",
		servers: ".grok/config.toml", server: tableOf,
		call: grokCall, replies: grokReplies(),
		settings: ".grok/",
		events: []string{"SessionStart", "SessionEnd", "UserPromptSubmit", "PreToolUse", "PostToolUse", "PostToolUseFailure",
			"PermissionDenied", "Stop", "StopFailure", "StopCancelled", "SubagentStart", "SubagentStop", "PreCompact",
			"PostCompact", "Notification"},
		hooks: func(h *home, command func(event string) string) error {
			return h.addHooks(".grok/hooks/record.json", grok().events, func(event string) any {
				return object{"hooks": []any{object{"type": "command", "command": command(event), "timeout": 30}}}
			})
		},
		scenes: grokScenes(),
	}
}

// grokScenes are runs in which the rarer events happen.
func grokScenes() []scene {
	return []scene{
		{name: "unknown", steps: func(use tools, project string) []step {
			return []step{
				{Kind: "mcp-failed", Calls: []call{use("mcp", object{"server": "notes", "tool": "none", "args": object{}})}},
				{Kind: "list", Calls: []call{use("list_dir", object{"target_directory": project})}},
				{Kind: "grep", Calls: []call{use("grep", object{"pattern": "roses", "path": project})}},
				{Kind: "fetch", Calls: []call{use("web_fetch", object{"url": "http://127.0.0.1:9/"})}},
				{Kind: "todos", Calls: []call{use("todo_write", object{"merge": false, "todos": []any{
					object{"id": "1", "content": "one", "status": "pending"}}})}},
				{Kind: "wrong", Calls: []call{use("shell", object{})}},
			}
		}},
		{name: "sub-agent", steps: func(use tools, _ string) []step {
			task := object{"description": "a task", "prompt": "Do the task.", "subagent_type": "general-purpose"}
			return []step{{Kind: "agent", Calls: []call{use("spawn_subagent", task)}},
				{Kind: "shell-in-sub-agent", Calls: []call{use("shell", object{"command": "echo three"})}},
				{Kind: "wait", Calls: []call{use("shell", object{"command": "sleep 1"})}}}
		}},
		{name: "failed", steps: func(tools, string) []step { return []step{{Fail: true}, {Fail: true}, {Fail: true}} }},
		{name: "resumed", steps: silence, then: func(h *home) []string {
			return append(grok().with("Please go on."), "--continue")
		}},
		{name: "compact", steps: func(tools, string) []step {
			return []step{{Text: "It is done."}, {Text: strings.Repeat("What has happened so far, in order. ", 60)}}
		}, then: func(h *home) []string {
			return append(grok().with("/compact"), "--continue")
		}},
		{name: "turns", steps: func(use tools, _ string) []step {
			return []step{{Text: "It is done."}, {Kind: "shell", Calls: []call{use("shell", object{"command": "echo one"})}}}
		}, then: func(h *home) []string {
			return append(grok().with("Please go on."), "--max-turns", "1")
		}},
	}
}

// grokReplies are answers of hooks of Grok Build: Claude Code's, and its own.
func grokReplies() []reply {
	output := `"updatedToolOutput":{"type":"Bash","output":[],"output_for_prompt":"output 4711\n","exit_code":0,` +
		`"command":"x","truncated":false,"signal":null,"timed_out":false,"current_dir":"/"}`
	special := `{"hookSpecificOutput":{"hookEventName":"PostToolUse",` + output + `}}`
	list := append(claudeReplies("grok"), answers("PreToolUse", `{"decision":"deny","reason":"rule 4711"}`,
		`{"decision":"defer"}`, `{"decision":"deny"}`, `{"decision":"maybe"}`)...)
	list = append(list, answers("PostToolUse", special, `{"hookSpecificOutput":{"updatedToolOutput":"output 4711"}}`)...)
	return append(list, reply{event: "PreToolUse", status: 2},
		reply{event: "PreToolUse", status: 2, stdout: `{"decision":"allow"}`, stderr: "rule 4711"},
		reply{event: "UserPromptSubmit", status: 2, stderr: "rule 4711"},
		reply{event: "UserPromptSubmit", stdout: "hint 4711"}, reply{event: "SessionStart", stdout: "hint 4711"},
		reply{event: "PostToolUse", status: 2, stderr: "hint 4711"},
		reply{event: "PreToolUse", status: 1, stdout: `{"decision":"deny","reason":"rule 4711"}`})
}

func grokCall(kind string, args object) call {
	switch kind {
	case "shell":
		return driven("grok").Run(args["command"])
	case "read":
		return calling("read_file", object{"target_file": args["path"]})
	case "write":
		return calling("write", object{"file_path": args["path"], "content": args["content"]})
	case "edit":
		return calling("search_replace", object{"file_path": args["path"], "old_string": args["old"],
			"new_string": args["new"]})
	case "mcp":
		return calling("use_tool", object{"tool_name": fmt.Sprintf("%s__%s", args["server"], args["tool"]),
			"tool_input": args["args"]})
	}
	return calling(kind, args)
}
