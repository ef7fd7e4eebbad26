package engine

import "time"

// copilotPlaces are Copilot CLI's settings files.
func copilotPlaces() []Place {
	return []Place{
		{Scope: ScopeSystem, Path: "/etc/github-copilot/policy.d/*.json", Format: "json", Whole: true},
		{Scope: ScopeUser, Path: ".copilot/hooks/*.json", Variable: "COPILOT_HOME", Format: "json", Whole: true},
		{Scope: ScopeUser, Path: ".copilot/settings.json", Variable: "COPILOT_HOME", Format: "jsonc"},
		{Scope: ScopeUser, Path: ".copilot/hooks/chibi.json", Variable: "COPILOT_HOME", Format: "json", Write: true,
			Whole: true},
		{Scope: ScopeProject, Path: ".github/hooks/*.json", Format: "json", Whole: true},
		{Scope: ScopeProject, Path: ".github/copilot/settings.json", Format: "jsonc"},
		{Scope: ScopeProject, Path: ".github/hooks/chibi.json", Format: "json", Write: true, Whole: true},
		{Scope: ScopeLocal, Path: ".github/copilot/settings.local.json", Format: "jsonc"},
	}
}

// copilotShape is how Copilot CLI's settings files list hooks.
func copilotShape() Shape {
	return Shape{Root: "hooks", Command: []string{"bash", "command"}, Timeout: "timeoutSec", TimeoutAlias: "timeout",
		Unit: time.Second, Disable: "disableAllHooks", Version: 1,
		HTTPS: "COPILOT_HOOK_ALLOW_LOCALHOST", NotRun: []HandlerKind{PromptHandler},
		Kinds: []HandlerKind{CommandHandler, HTTPHandler, PromptHandler}}
}

func copilotServers() ServerPlaces {
	return ServerPlaces{{Place: Place{Scope: ScopeUser, Path: ".copilot/mcp-config.json", Variable: "COPILOT_HOME",
		Format: "json"}, Root: "mcpServers", Extra: `"type":"local","tools":["*"]`}}
}
