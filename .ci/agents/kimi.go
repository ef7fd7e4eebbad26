package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// kimi is Kimi Code.
func kimi() agent {
	return agent{
		Agent: driven("kimi"), pkg: "@moonshot-ai/kimi-code", version: "2.1.0",
		servers: ".kimi-code/mcp.json", server: memberOf(""),
		call: kimiCall, replies: kimiReplies(),
		settings: ".kimi-code/config.toml",
		events: []string{"SessionStart", "SessionEnd", "UserPromptSubmit", "PreToolUse", "PostToolUse", "PostToolUseFailure",
			"PermissionRequest", "PermissionResult", "Stop", "StopFailure", "SubagentStart", "SubagentStop", "PreCompact",
			"PostCompact", "Interrupt", "Notification", "TurnStarted"},
		hooks: func(h *home, command func(event string) string) error {
			path := filepath.Join(h.home, ".kimi-code/config.toml")
			settings, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			var all strings.Builder
			all.Write(settings)
			for _, event := range kimi().events {
				fmt.Fprintf(&all, "\n[[hooks]]\nevent = %q\ncommand = %q\ntimeout = 30\n", event, command(event))
			}
			return os.WriteFile(path, []byte(all.String()), 0o644)
		},
		scenes: []scene{
			{name: "sub-agent", steps: func(use tools, _ string) []step {
				task := object{"description": "a task", "prompt": "Do the task."}
				return []step{{Kind: "agent", Calls: []call{use("Agent", task)}},
					{Kind: "shell-in-sub-agent", Calls: []call{use("shell", object{"command": "echo three"})}},
					{Text: "The task is done."}}
			}},
			{name: "failed", steps: func(tools, string) []step {
				return []step{{Fail: true}, {Fail: true}, {Fail: true}, {Fail: true}, {Fail: true}, {Fail: true}}
			}},
		},
	}
}

func kimiCall(kind string, args object) call {
	switch kind {
	case "shell":
		return driven("kimi").Run(args["command"])
	case "read":
		return calling("Read", object{"path": args["path"]})
	case "write":
		return calling("Write", object{"path": args["path"], "content": args["content"]})
	case "edit":
		return calling("Edit", object{"path": args["path"], "old_string": args["old"], "new_string": args["new"]})
	case "mcp":
		return calling(fmt.Sprintf("mcp__%s__%s", args["server"], args["tool"]), args["args"].(object))
	}
	return calling(kind, args)
}

// kimiReplies are answers of hooks of Kimi Code.
func kimiReplies() []reply {
	special := func(event, members string) string {
		return fmt.Sprintf(`{"hookSpecificOutput":{"hookEventName":%q,%s}}`, event, members)
	}
	deny := func(event string) string {
		return special(event, `"permissionDecision":"deny","permissionDecisionReason":"rule 4711"`)
	}
	hint, block := `"additionalContext":"hint 4711"`, `{"decision":"block","reason":"rule 4711"}`
	list := append(answers("PreToolUse", deny("PreToolUse"), special("PreToolUse", `"permissionDecision":"ask"`), block,
		`{"continue":false,"stopReason":"stop 4711"}`, special("PreToolUse", hint),
		special("PreToolUse", `"updatedInput":{"command":"echo rewritten > out.txt"}`)),
		reply{event: "PreToolUse", status: 2, stderr: "rule 4711"}, reply{event: "PreToolUse", status: 2},
		reply{event: "PreToolUse", status: 1, stdout: deny("PreToolUse"), stderr: "error 4711"})
	list = append(list, answers("UserPromptSubmit", "hint 4711", `{"message":"hint 4711"}`,
		special("UserPromptSubmit", hint), deny("UserPromptSubmit"))...)
	list = append(list, reply{event: "UserPromptSubmit", status: 2, stderr: "rule 4711"})
	list = append(list, answers("SessionStart", "hint 4711")...)
	list = append(list, answers("PostToolUse", special("PostToolUse", hint), block)...)
	list = append(list, answers("Stop", deny("Stop"), block)...)
	return append(list, reply{event: "Stop", status: 2, stderr: "rule 4711"})
}
