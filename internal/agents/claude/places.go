package claude

import (
	"time"

	"github.com/chibi-host/chibi/internal/agents/engine"
)

// places are Claude Code's settings files.
func places() []engine.Place {
	return []engine.Place{
		{Scope: engine.ScopeSystem, Path: "/etc/claude-code/managed-settings.json", Format: "json"},
		{Scope: engine.ScopeSystem, Path: "/Library/Application Support/ClaudeCode/managed-settings.json", Format: "json"},
		{Scope: engine.ScopeUser, Path: ".claude/settings.json", Variable: "CLAUDE_CONFIG_DIR", Format: "json", Write: true},
		{Scope: engine.ScopeProject, Path: ".claude/settings.json", Format: "json", Write: true},
		{Scope: engine.ScopeLocal, Path: ".claude/settings.local.json", Format: "json", Write: true},
	}
}

// Shape is how Claude Code's settings files list hooks.
func Shape() engine.Shape {
	return engine.Shape{Root: "hooks", Groups: true, Timeout: "timeout", Unit: time.Second, Disable: "disableAllHooks",
		Conditions: true, URLs: "allowedHttpHookUrls", HeaderVariables: "httpHookAllowedEnvVars",
		Kinds: []engine.HandlerKind{engine.CommandHandler, engine.HTTPHandler, engine.MCPToolHandler, engine.PromptHandler,
			engine.AgentHandler},
		Limits: map[engine.HandlerKind]time.Duration{engine.PromptHandler: 30 * time.Second,
			engine.AgentHandler: 60 * time.Second}}
}

// servers: Claude Code writes its own file of the person's servers while it runs, so it
// is told by its own command.
func servers() engine.ServerPlaces {
	return engine.ServerPlaces{
		{Place: engine.Place{Scope: engine.ScopeUser},
			Add:    []string{"claude", "mcp", "add", "--scope", "user", "chibi", "--"},
			Remove: []string{"claude", "mcp", "remove", "--scope", "user", "chibi"}},
		{Place: engine.Place{Scope: engine.ScopeProject, Path: ".mcp.json", Format: "json"}, Root: "mcpServers"},
	}
}
