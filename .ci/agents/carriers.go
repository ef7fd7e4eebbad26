package main

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/chibi-host/chibi/internal/agents/drive"
)

// carriers are the agents in which chibi is a plugin in JavaScript.
func carriers() []agent { return []agent{kilo(), openCode(), pi()} }

// tries reports whether a check is one for the agent: where a run takes minutes there are few.
func (a agent) tries(c check) bool {
	return a.few == nil || slices.ContainsFunc(a.few, func(name string) bool { return strings.Contains(c.name, name) })
}

// pi is pi, which has no MCP servers.
func pi() agent {
	return agent{
		Agent: drive.Agent{
			Name: "pi", Program: "pi", Speak: drive.Chat, Args: []string{"--model", "scripted/m", "-p"},
			Env: []string{"PI_OFFLINE=1"},
			Settings: map[string]string{".pi/agent/models.json": `{
  "providers": {"scripted": {"baseUrl": "{url}/v1", "api": "openai-completions", "apiKey": "nobody",
    "models": [{"id": "m", "name": "m", "contextWindow": 100000, "maxTokens": 1000}]}}
}
`},
		},
		pkg: "@earendil-works/pi-coding-agent", version: "0.87.1",
		call: func(kind string, args object) call {
			switch kind {
			case "shell":
				return calling("bash", object{"command": args["command"]})
			case "edit":
				edit := object{"oldText": args["old"], "newText": args["new"]}
				return calling("edit", object{"path": args["path"], "edits": []object{edit}})
			}
			return calling(kind, args)
		},
		settings: ".pi/agent/extensions/chibi.js",
		hooks: func(h *home, command func(event string) string) error {
			return h.recordLines(pi(), ".pi/agent/extensions/chibi.js", command)
		},
		scenes: []scene{{name: "failed", steps: failing}},
		replies: slices.Concat(carriedReplies(), answers("tool_call", `{"block":true,"halt":true,"message":"stop 4711"}`),
			answers("tool_result", `{"halt":true,"message":"stop 4711"}`),
			answers("request", `{"request":{"user":"person 4711"}}`)),
		few: []string{"a blocked command", "rewritten arguments", "context beside the prompt", "go on at its end",
			"changed result", "context beside a result", "ends the turn", "Claude Code", "question", "hangs",
			"when chibi is gone", "restores"},
	}
}

// openCode is OpenCode.
func openCode() agent {
	a := ofOpenCode("opencode")
	a.pkg, a.version, a.Program = "opencode-ai", "1.18.33", "opencode"
	a.few = append(a.few, "changed result", "through MCP", "hooked once", "fail-closed")
	return a
}

// kilo is the Kilo CLI, which is made from OpenCode.
func kilo() agent {
	a := ofOpenCode("kilo")
	a.pkg, a.version, a.Program = "@kilocode/cli-linux-x64", "7.7.9", "../@kilocode/cli-linux-x64/bin/kilo"
	a.replies = fewCarriedReplies()
	return a
}

func ofOpenCode(name string) agent {
	settings, upper := ".config/"+name+"/"+name+".json", strings.ToUpper(name)
	return agent{
		Agent: drive.Agent{
			Name: name, Speak: drive.Chat, Args: []string{"run"},
			Env: []string{upper + "_DISABLE_MODELS_FETCH=1", upper + "_DISABLE_AUTOUPDATE=1", "npm_config_fetch_retries=0"},
			Settings: map[string]string{settings: `{
  "model": "scripted/m", // on loopback
  "provider": {"scripted": {"npm": "@ai-sdk/openai-compatible", "name": "s",
    "options": {"baseURL": "{url}/v1", "apiKey": "nobody"}, "models": {"m": {"name": "m"}}}}
}
`},
		},
		servers: settings,
		server: func(notes []string) string {
			return fmt.Sprintf(`"mcp": {"notes": {"type": "local", "command": [%q, %q, %q], "enabled": true}}`, notes[0],
				notes[1], notes[2])
		},
		call: func(kind string, args object) call {
			switch kind {
			case "shell":
				return calling("bash", object{"command": args["command"], "description": "Do it"})
			case "read":
				return calling("read", object{"filePath": args["path"]})
			case "write":
				return calling("write", object{"filePath": args["path"], "content": args["content"]})
			case "edit":
				return calling("edit", object{"filePath": args["path"], "oldString": args["old"], "newString": args["new"]})
			case "mcp":
				return calling(fmt.Sprintf("%s_%s", args["server"], args["tool"]), args["args"].(object))
			}
			return calling(kind, args)
		},
		settings: ".config/" + name + "/plugins/chibi.js",
		hooks: func(h *home, command func(event string) string) error {
			return h.recordLines(ofOpenCode(name), ".config/"+name+"/plugins/chibi.js", command)
		},
		replies: carriedReplies(),
		scenes: []scene{{name: "sub-agent", steps: func(use tools, _ string) []step {
			task := object{"description": "a task", "prompt": "Do the task.", "subagent_type": "general"}
			return []step{{Kind: "agent", Calls: []call{use("task", task)}},
				{Kind: "shell-in-sub-agent", Calls: []call{use("shell", object{"command": "echo three"})}},
				{Text: "The task is done."}}
		}}},
		few:   []string{"a blocked command", "rewritten arguments", "context beside the prompt", "Claude Code", "restores"},
		limit: 5 * time.Minute, // it is slow where others work too
	}
}

func failing(tools, string) []step {
	return []step{{Fail: true}, {Fail: true}, {Fail: true}, {Fail: true}, {Fail: true}, {Fail: true}}
}

// lines is a program that has each event on a line recorded, as if it were chibi bridge serve.
const lines = `#!/usr/bin/env python3
import json, subprocess, sys
for line in sys.stdin:
    e = json.loads(line)
    told = subprocess.run("%s " + e["event"], shell=True, input=e["payload"].encode(), capture_output=True)
    answer = {"id": e["id"], "stdout": told.stdout.decode(), "stderr": told.stderr.decode(), "exit": 0}
    print(json.dumps(answer), flush=True)
`

// recordLines adds the bridge, and has what the plugin says recorded.
func (h *home) recordLines(a agent, plugin string, command func(event string) string) error {
	if err := addBridgeWith(h, a, "--no-mcp"); err != nil {
		return err
	}
	program := filepath.Join(h.dir, "lines")
	if err := os.WriteFile(program, fmt.Appendf(nil, lines, strings.TrimSpace(command(""))), 0o755); err != nil {
		return err
	}
	text, err := os.ReadFile(filepath.Join(h.home, plugin))
	if err != nil {
		return err
	}
	chibi := regexp.MustCompile(`"chibi":"[^"]*"`)
	return h.write(plugin, chibi.ReplaceAllLiteralString(string(text), fmt.Sprintf(`"chibi":%q`, program)))
}
