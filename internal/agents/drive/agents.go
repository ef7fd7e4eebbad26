// Package drive runs coding agents without a person: with one prompt, no questions, and a scripted model on
// loopback with given answers. chibi bridge verify and .ci/agents use it.
//
// It bounds a run in time, and bounds what it keeps of the run. When the agent ends, so do the processes that it
// started.
package drive

import (
	"maps"
	"slices"
	"strings"

	"github.com/chibi-host/chibi/internal/strictjson"
)

// Agent says how to run an agent. In Args, Env and Settings, {url} is the address of its model, and {project} the
// directory in which it works.
type Agent struct {
	// Name is its name in chibi, Program its program's name.
	Name, Program string
	// Speak is its way to speak with its model.
	Speak Wire
	// Args come before the prompt, Env is added to its environment.
	Args, Env []string
	// Settings are its files below the home, by their paths. They name the model and allow its calls.
	Settings map[string]string
	// Shell is a call of its shell, in which {command} is the command.
	Shell Call
	// Silent are events that the agent has and that do not fire in such a run.
	Silent []string
}

// Agents are all agents that run without an account, in chibi's order.
func Agents() []Agent {
	return []Agent{claude(), codex(), copilot(), droid(), gemini(), grok(), kimi(), qwen()}
}

// ByName returns an agent by its name; false: it does not run without an account.
func ByName(name string) (Agent, bool) {
	all := Agents()
	i := slices.IndexFunc(all, func(a Agent) bool { return a.Name == name })
	if i < 0 {
		return Agent{}, false
	}
	return all[i], true
}

// At returns the agent for a model and a directory.
func (a Agent) At(url, project string) Agent {
	quoted := string(strictjson.Quote(project))
	fill := strings.NewReplacer("{url}", url, "{project}", quoted[1:len(quoted)-1])
	filled := func(list []string) (all []string) {
		for _, text := range list {
			all = append(all, fill.Replace(text))
		}
		return all
	}
	a.Args, a.Env, a.Settings = filled(a.Args), filled(a.Env), maps.Clone(a.Settings)
	for path, text := range a.Settings {
		a.Settings[path] = fill.Replace(text)
	}
	return a
}

// Run is the call of its shell with a command.
func (a Agent) Run(command any) Call {
	args := maps.Clone(a.Shell.Args)
	for name, value := range args {
		if value == "{command}" {
			args[name] = command
		}
	}
	return Call{a.Shell.Name, args}
}

// claude is Claude Code, with its tools allowed, so that it asks nothing.
func claude() Agent {
	return Agent{
		Name: "claude", Program: "claude", Speak: anthropic,
		Args: []string{"--output-format", "json", "-p"},
		Env: []string{"ANTHROPIC_BASE_URL={url}", "ANTHROPIC_API_KEY=nobody", "DISABLE_AUTOUPDATER=1",
			"CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1", "ENABLE_TOOL_SEARCH=false"},
		Settings: map[string]string{
			".claude/settings.json": `{"permissions": {"allow": ["Bash", "Read", "Write", "Edit", "mcp__notes", "mcp__chibi"]}}`,
			".claude.json": `{"hasCompletedOnboarding": true,
  "projects": {"{project}": {"hasTrustDialogAccepted": true}}}`},
		Shell: shell("Bash"),
	}
}

// shell is a call of a shell that takes a command and its description.
func shell(name string) Call {
	return Call{name, Object{"command": "{command}", "description": "Do it"}}
}

// codex is Codex CLI with a model that calls tools directly.
func codex() Agent {
	return Agent{
		Name: "codex", Program: "codex", Speak: responses,
		Args: []string{"exec", "--dangerously-bypass-approvals-and-sandbox", "--dangerously-bypass-hook-trust"},
		Env:  []string{"MODEL_KEY=nobody"},
		Settings: map[string]string{".codex/config.toml": `model = "gpt-5.5"
model_provider = "scripted"

[model_providers.scripted]   # on loopback
name = "scripted"
base_url = "{url}/v1"
wire_api = "responses"
env_key = "MODEL_KEY"
request_max_retries = 0
stream_max_retries = 0
`},
		Shell: Call{"exec_command", Object{"cmd": "{command}"}},
	}
}

// copilot is GitHub Copilot CLI.
func copilot() Agent {
	return Agent{
		Name: "copilot", Program: "copilot", Speak: Chat,
		Args: []string{"--allow-all-tools", "--no-auto-update", "-p"},
		Env: []string{"COPILOT_PROVIDER_BASE_URL={url}/v1", "COPILOT_PROVIDER_API_KEY=nobody", "COPILOT_MODEL=scripted",
			"COPILOT_OFFLINE=true"},
		Shell: shell("bash"),
	}
}

// droid is Factory Droid.
func droid() Agent {
	return Agent{
		Name: "droid", Program: "droid", Speak: Chat,
		Args: []string{"exec", "--skip-permissions-unsafe", "-m", "custom:scripted"},
		Settings: map[string]string{".factory/settings.json": `{
  "customModels": [{"model": "scripted", "displayName": "scripted", "baseUrl": "{url}/v1", "apiKey": "nobody",
    "provider": "generic-chat-completion-api", "maxOutputTokens": 4096}]
}
`},
		Shell:  Call{"Execute", Object{"command": "{command}", "summary": "Do it"}},
		Silent: []string{"UserPromptSubmit"},
	}
}

// gemini is Gemini CLI, with the key as the login.
func gemini() Agent {
	return Agent{
		Name: "gemini", Program: "gemini", Speak: genai,
		Args: []string{"--yolo", "--skip-trust", "-m", "gemini-2.5-flash", "-p"},
		Env:  []string{"GOOGLE_GEMINI_BASE_URL={url}", "GEMINI_API_KEY=nobody"},
		Settings: map[string]string{".gemini/settings.json": `{
  "security": {"auth": {"selectedType": "gemini-api-key"}},
  "privacy": {"usageStatisticsEnabled": false},
  "general": {"enableAutoUpdate": false}
}
`},
		Shell: shell("run_shell_command"),
	}
}

// grok is Grok Build.
func grok() Agent {
	return Agent{
		Name: "grok", Program: "grok", Speak: Chat,
		Args: []string{"-m", "scripted", "--always-approve", "-p"},
		Env:  []string{"MODEL_KEY=nobody"},
		Settings: map[string]string{".grok/config.toml": `[models]
default = "scripted"

[features]
turn_summary = false
session_recap = false
title_refresh = false

[model.scripted]   # on loopback
model = "scripted"
base_url = "{url}/v1"
env_key = "MODEL_KEY"
max_retries = 0
`},
		Shell: shell("run_terminal_command"),
	}
}

// kimi is Kimi Code.
func kimi() Agent {
	return Agent{
		Name: "kimi", Program: "kimi", Speak: Chat,
		Args: []string{"-p"},
		Settings: map[string]string{".kimi-code/config.toml": `default_model = "scripted"

[providers.scripted]   # on loopback
type = "openai"
base_url = "{url}/v1"
api_key = "nobody"

[models.scripted]
provider = "scripted"
model = "scripted"
max_context_size = 100000
`},
		Shell:  shell("Bash"),
		Silent: []string{"SessionEnd"},
	}
}

// qwen is Qwen Code, with the key as the login.
func qwen() Agent {
	return Agent{
		Name: "qwen", Program: "qwen", Speak: Chat,
		Args: []string{"--yolo", "-p"},
		Env:  []string{"OPENAI_BASE_URL={url}/v1", "OPENAI_API_KEY=nobody", "OPENAI_MODEL=qwen3-coder"},
		Settings: map[string]string{".qwen/settings.json": `{
  "security": {"auth": {"selectedType": "openai"}},
  "privacy": {"usageStatisticsEnabled": false},
  "memory": {"enableManagedAutoMemory": false, "enableManagedAutoDream": false},
  "general": {"enableAutoUpdate": false}
}
`},
		Shell:  Call{"run_shell_command", Object{"command": "{command}", "is_background": false, "description": "Do it"}},
		Silent: []string{"SessionEnd"},
	}
}
