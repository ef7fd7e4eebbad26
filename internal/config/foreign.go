package config

import (
	"fmt"
	"slices"
	"strings"
)

// Foreign says which hooks of coding agents run, and how.
type Foreign struct {
	// `true`: hooks that are URLs may be at addresses of private networks. Those of this machine (loopback) always
	// may.
	AllowPrivate bool `toml:"allow_private"`
	// `true`: hooks that ask a model run. They cost tokens, and the model sees the subject of the hook. Without it, a
	// message says that they do not run.
	ModelHooks bool `toml:"model_hooks"`
	// The model for these, unless the hook names one.
	PromptModel string `toml:"prompt_model" unset:"model"`
	// ByName are the agents whose hooks run.
	ByName map[string]ForeignAgent `toml:"*" name:"AGENT"`
}

// ForeignAgent says which hooks of one agent run.
type ForeignAgent struct {
	// `true`: the hooks in your and your organisation's settings files of this agent run here too. AGENT is `claude`,
	// `codex`, `copilot`, `crush`, `cursor`, `droid`, `gemini`, `grok`, `kimi` or `qwen`, see [AGENTS.md](AGENTS.md).
	User bool `toml:"user"`
	// `true`: so do the hooks in the project's settings files, after you approve them with `chibi trust`.
	Project bool `toml:"project"`
	// Further settings files of this agent, without approval; `~` is your home.
	Files []string `toml:"files" check:"paths" unset:"none"`
	// The version of the agent, for hooks that get one.
	Version string `toml:"version" check:"line" unset:"chibi-VERSION"`
	// Directories of the agent's plugins whose hooks run (`hooks/hooks.json` in them), without approval; `~` is your
	// home.
	Plugins []string `toml:"plugins" check:"paths" unset:"none"`
}

// agents lists the coding agents whose hooks can be turned on.
func agents() []string {
	return []string{"claude", "codex", "copilot", "crush", "cursor", "droid", "gemini", "grok", "kimi", "qwen"}
}

// agentOf returns the name of an agent by its name or an alias, "" if there is none. A test
// compares the names with the names in the agents' tables.
func agentOf(name string) string {
	switch name {
	case "claude-code", "codex-cli", "copilot-cli", "cursor-cli", "gemini-cli", "grok-build", "kimi-code", "qwen-code":
		name, _, _ = strings.Cut(name, "-")
	case "github-copilot":
		name = "copilot"
	case "factory-droid":
		name = "droid"
	case "cursor-agent":
		name = "cursor"
	}
	if !slices.Contains(agents(), name) {
		return ""
	}
	return name
}

// checkAgents checks the names of agents. An alias becomes the agent's name.
func checkAgents(names []string) error {
	for i, name := range names {
		known := agentOf(strings.ToLower(name))
		if known == "" {
			return fmt.Errorf(": there is no agent %q; there are: %s", name, strings.Join(agents(), ", "))
		}
		names[i] = known
	}
	return nil
}

// IsOn reports whether any of the agent's hooks run.
func (a ForeignAgent) IsOn() bool {
	return a.User || a.Project || len(a.Files) > 0 || len(a.Plugins) > 0
}
