package qwen

import (
	"time"

	"github.com/chibi-host/chibi/internal/agents/engine"
)

// places are Qwen Code's settings files.
func places() []engine.Place {
	return []engine.Place{
		{Scope: engine.ScopeUser, Path: ".qwen/settings.json", Format: "jsonc", Write: true},
		{Scope: engine.ScopeProject, Path: ".qwen/settings.json", Format: "jsonc", Write: true},
		{Scope: engine.ScopeSystem, Path: "/etc/qwen-code/settings.json", Format: "jsonc"},
	}
}

// Shape is how Qwen Code's settings files list hooks.
func Shape() engine.Shape {
	return engine.Shape{Root: "hooks", Groups: true, Timeout: "timeout", Unit: time.Millisecond,
		Disable:  "disableAllHooks",
		Once:     true,
		NoEvents: []string{"enabled", "disabled", "notifications"}, Seconds: []engine.HandlerKind{engine.HTTPHandler,
			engine.PromptHandler},
		Kinds: []engine.HandlerKind{engine.CommandHandler, engine.HTTPHandler, engine.PromptHandler},
		Limits: map[engine.HandlerKind]time.Duration{engine.HTTPHandler: 600 * time.Second,
			engine.PromptHandler: 30 * time.Second}}
}

func servers() engine.ServerPlaces {
	return engine.ServerPlaces{
		{Place: engine.Place{Scope: engine.ScopeUser, Path: ".qwen/settings.json", Format: "jsonc"}, Root: "mcpServers"},
		{Place: engine.Place{Scope: engine.ScopeProject, Path: ".qwen/settings.json", Format: "jsonc"}, Root: "mcpServers"},
	}
}
