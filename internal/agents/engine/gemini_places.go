package engine

import "time"

// geminiPlaces are Gemini CLI's settings files.
func geminiPlaces() []Place {
	return []Place{
		{Scope: ScopeProject, Path: ".gemini/settings.json", Format: "jsonc", Write: true},
		{Scope: ScopeUser, Path: ".gemini/settings.json", Format: "jsonc", Write: true},
		{Scope: ScopeSystem, Path: "/etc/gemini-cli/settings.json", Format: "jsonc"},
	}
}

// geminiShape is how Gemini CLI's settings files list hooks.
func geminiShape() Shape {
	return Shape{Root: "hooks", Groups: true, Timeout: "timeout", Unit: time.Millisecond, Enable: "hooksConfig.enabled",
		Disabled: "hooksConfig.disabled", NoEvents: []string{"enabled", "disabled", "notifications"},
		Kinds: []HandlerKind{CommandHandler}}
}

func geminiServers() ServerPlaces {
	return ServerPlaces{
		{Place: Place{Scope: ScopeUser, Path: ".gemini/settings.json", Format: "jsonc"}, Root: "mcpServers"},
		{Place: Place{Scope: ScopeProject, Path: ".gemini/settings.json", Format: "jsonc"}, Root: "mcpServers"},
	}
}
