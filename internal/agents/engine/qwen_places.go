package engine

import "time"

// qwenPlaces are Qwen Code's settings files.
func qwenPlaces() []Place {
	return []Place{
		{Scope: ScopeUser, Path: ".qwen/settings.json", Format: "jsonc", Write: true},
		{Scope: ScopeProject, Path: ".qwen/settings.json", Format: "jsonc", Write: true},
		{Scope: ScopeSystem, Path: "/etc/qwen-code/settings.json", Format: "jsonc"},
	}
}

// qwenShape is how Qwen Code's settings files list hooks.
func qwenShape() Shape {
	return Shape{Root: "hooks", Groups: true, Timeout: "timeout", Unit: time.Millisecond, Disable: "disableAllHooks",
		Once:     true,
		NoEvents: []string{"enabled", "disabled", "notifications"}, Seconds: []HandlerKind{HTTPHandler, PromptHandler},
		Kinds:  []HandlerKind{CommandHandler, HTTPHandler, PromptHandler},
		Limits: map[HandlerKind]time.Duration{HTTPHandler: 600 * time.Second, PromptHandler: 30 * time.Second}}
}

func qwenServers() ServerPlaces {
	return ServerPlaces{
		{Place: Place{Scope: ScopeUser, Path: ".qwen/settings.json", Format: "jsonc"}, Root: "mcpServers"},
		{Place: Place{Scope: ScopeProject, Path: ".qwen/settings.json", Format: "jsonc"}, Root: "mcpServers"},
	}
}
