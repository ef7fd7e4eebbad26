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
		name: "kimi", pkg: "@moonshot-ai/kimi-code", version: "2.1.0", program: "kimi", speak: chat,
		prepare: kimiPrepare,
		args:    func(_ *home, prompt string) []string { return []string{"-p", prompt} },
		env:     func(*home) []string { return nil },
		call:    kimiCall, replies: kimiReplies(),
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
				return []step{{kind: "agent", calls: []call{use("Agent", task)}},
					{kind: "shell-in-sub-agent", calls: []call{use("shell", object{"command": "echo three"})}},
					{text: "The task is done."}}
			}},
			{name: "failed", steps: func(tools, string) []step {
				return []step{{fail: true}, {fail: true}, {fail: true}, {fail: true}, {fail: true}, {fail: true}}
			}},
		},
	}
}

// kimiPrepare names the model, its server, and that of the notes.
func kimiPrepare(h *home) error {
	notes := h.notes()
	if err := h.write(".kimi-code/mcp.json", fmt.Sprintf(`{
    "mcpServers": {"notes": {"command": %q, "args": [%q, %q]  }}
}`, notes[0], notes[1], notes[2])); err != nil {
		return err
	}
	return h.write(".kimi-code/config.toml", fmt.Sprintf(`# The settings of a person.
default_model = "scripted"

[providers.scripted]   # on loopback
type = "openai"
base_url = "%s/v1"
api_key = "nobody"

[models.scripted]
provider = "scripted"
model = "scripted"
max_context_size = 100000
`, h.model.URL))
}

func kimiCall(kind string, args object) call {
	switch kind {
	case "shell":
		return call{"Bash", object{"command": args["command"], "description": "Do it"}}
	case "read":
		return call{"Read", object{"path": args["path"]}}
	case "write":
		return call{"Write", object{"path": args["path"], "content": args["content"]}}
	case "edit":
		return call{"Edit", object{"path": args["path"], "old_string": args["old"], "new_string": args["new"]}}
	case "mcp":
		return call{fmt.Sprintf("mcp__%s__%s", args["server"], args["tool"]), args["args"].(object)}
	}
	return call{kind, args}
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
