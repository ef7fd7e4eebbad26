package engine

import "time"

// cursorPlaces are Cursor's settings files.
func cursorPlaces() []Place {
	return []Place{
		{Scope: ScopeSystem, Path: "/etc/cursor/hooks.json", Format: "json", AtRoot: true, Whole: true},
		{Scope: ScopeSystem, Path: "/Library/Application Support/Cursor/hooks.json", Format: "json", AtRoot: true,
			Whole: true},
		{Scope: ScopeProject, Path: ".cursor/hooks.json", Format: "json", AtRoot: true, Write: true, Whole: true},
		{Scope: ScopeUser, Path: ".cursor/hooks.json", Format: "json", AtRoot: true, Write: true, Whole: true},
	}
}

// cursorShape is how Cursor's settings files list hooks.
func cursorShape() Shape {
	return Shape{Root: "hooks", Timeout: "timeout", Unit: time.Second, Version: 1,
		Kinds: []HandlerKind{CommandHandler, PromptHandler}}
}

func cursorServers() ServerPlaces {
	return ServerPlaces{
		{Place: Place{Scope: ScopeUser, Path: ".cursor/mcp.json", Format: "json"}, Root: "mcpServers"},
		{Place: Place{Scope: ScopeProject, Path: ".cursor/mcp.json", Format: "json"}, Root: "mcpServers"},
	}
}
