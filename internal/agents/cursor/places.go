package cursor

import (
	"time"

	"github.com/chibi-host/chibi/internal/agents/engine"
)

// places are Cursor's settings files.
func places() []engine.Place {
	return []engine.Place{
		{Scope: engine.ScopeSystem, Path: "/etc/cursor/hooks.json", Format: "json", AtRoot: true, Whole: true},
		{Scope: engine.ScopeSystem, Path: "/Library/Application Support/Cursor/hooks.json", Format: "json", AtRoot: true,
			Whole: true},
		{Scope: engine.ScopeProject, Path: ".cursor/hooks.json", Format: "json", AtRoot: true, Write: true, Whole: true},
		{Scope: engine.ScopeUser, Path: ".cursor/hooks.json", Format: "json", AtRoot: true, Write: true, Whole: true},
	}
}

// Shape is how Cursor's settings files list hooks.
func Shape() engine.Shape {
	return engine.Shape{Root: "hooks", Timeout: "timeout", Unit: time.Second, Version: 1,
		Kinds: []engine.HandlerKind{engine.CommandHandler, engine.PromptHandler}}
}

func servers() engine.ServerPlaces {
	return engine.ServerPlaces{
		{Place: engine.Place{Scope: engine.ScopeUser, Path: ".cursor/mcp.json", Format: "json"}, Root: "mcpServers"},
		{Place: engine.Place{Scope: engine.ScopeProject, Path: ".cursor/mcp.json", Format: "json"}, Root: "mcpServers"},
	}
}
