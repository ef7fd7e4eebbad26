package gemini

import (
	"time"

	"github.com/chibi-host/chibi/internal/agents/engine"
)

// places are Gemini CLI's settings files.
func places() []engine.Place {
	return []engine.Place{
		{Scope: engine.ScopeProject, Path: ".gemini/settings.json", Format: "jsonc", Write: true},
		{Scope: engine.ScopeUser, Path: ".gemini/settings.json", Format: "jsonc", Write: true},
		{Scope: engine.ScopeSystem, Path: "/etc/gemini-cli/settings.json", Format: "jsonc"},
	}
}

// Shape is how Gemini CLI's settings files list hooks.
func Shape() engine.Shape {
	return engine.Shape{Root: "hooks", Groups: true, Timeout: "timeout", Unit: time.Millisecond,
		Enable:   "hooksConfig.enabled",
		Disabled: "hooksConfig.disabled", NoEvents: []string{"enabled", "disabled", "notifications"},
		Kinds: []engine.HandlerKind{engine.CommandHandler}}
}

func servers() engine.ServerPlaces {
	return engine.ServerPlaces{
		{Place: engine.Place{Scope: engine.ScopeUser, Path: ".gemini/settings.json", Format: "jsonc"}, Root: "mcpServers"},
		{Place: engine.Place{Scope: engine.ScopeProject, Path: ".gemini/settings.json", Format: "jsonc"}, Root: "mcpServers"},
	}
}
