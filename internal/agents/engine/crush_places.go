package engine

import "time"

// crushPlaces are Crush's settings files.
func crushPlaces() []Place {
	return []Place{
		{Scope: ScopeUser, Path: ".config/crush/crush.json", Format: "json", Write: true},
		{Scope: ScopeProject, Path: "crush.json", Format: "json"},
		{Scope: ScopeProject, Path: ".crush.json", Format: "json", Write: true},
	}
}

// crushShape is how Crush's settings files list hooks.
func crushShape() Shape {
	return Shape{Root: "hooks", Timeout: "timeout", Unit: time.Second, AnyCase: true, Kinds: []HandlerKind{CommandHandler}}
}

func crushServers() ServerPlaces {
	const extra = `"type":"stdio"`
	return ServerPlaces{
		{Place: Place{Scope: ScopeUser, Path: ".config/crush/crush.json", Format: "json"}, Root: "mcp", Extra: extra},
		{Place: Place{Scope: ScopeProject, Path: ".crush.json", Format: "json"}, Root: "mcp", Extra: extra},
	}
}
