package engine

import "time"

// claudePlaces are Claude Code's settings files.
func claudePlaces() []Place {
	return []Place{
		{Scope: ScopeSystem, Path: "/etc/claude-code/managed-settings.json", Format: "json"},
		{Scope: ScopeSystem, Path: "/Library/Application Support/ClaudeCode/managed-settings.json", Format: "json"},
		{Scope: ScopeUser, Path: ".claude/settings.json", Variable: "CLAUDE_CONFIG_DIR", Format: "json", Write: true},
		{Scope: ScopeProject, Path: ".claude/settings.json", Format: "json", Write: true},
		{Scope: ScopeLocal, Path: ".claude/settings.local.json", Format: "json", Write: true},
	}
}

// claudeShape is how Claude Code's settings files list hooks.
func claudeShape() Shape {
	return Shape{Root: "hooks", Groups: true, Timeout: "timeout", Unit: time.Second, Disable: "disableAllHooks",
		Conditions: true, URLs: "allowedHttpHookUrls", HeaderVariables: "httpHookAllowedEnvVars",
		Kinds:  []HandlerKind{CommandHandler, HTTPHandler, MCPToolHandler, PromptHandler, AgentHandler},
		Limits: map[HandlerKind]time.Duration{PromptHandler: 30 * time.Second, AgentHandler: 60 * time.Second}}
}

// claudeServers: Claude Code writes its own file of the person's servers while it runs, so it
// is told by its own command.
func claudeServers() ServerPlaces {
	return ServerPlaces{
		{Place: Place{Scope: ScopeUser},
			Add:    []string{"claude", "mcp", "add", "--scope", "user", "chibi", "--"},
			Remove: []string{"claude", "mcp", "remove", "--scope", "user", "chibi"}},
		{Place: Place{Scope: ScopeProject, Path: ".mcp.json", Format: "json"}, Root: "mcpServers"},
	}
}
