package crush

import (
	"time"

	"github.com/chibi-host/chibi/internal/agents/engine"
)

// places are Crush's settings files.
func places() []engine.Place {
	return []engine.Place{
		{Scope: engine.ScopeUser, Path: ".config/crush/crush.json", Format: "json", Write: true},
		{Scope: engine.ScopeProject, Path: "crush.json", Format: "json"},
		{Scope: engine.ScopeProject, Path: ".crush.json", Format: "json", Write: true},
	}
}

// Shape is how Crush's settings files list hooks.
func Shape() engine.Shape {
	return engine.Shape{Root: "hooks", Timeout: "timeout", Unit: time.Second, AnyCase: true,
		Kinds: []engine.HandlerKind{engine.CommandHandler}}
}

func servers() engine.ServerPlaces {
	const extra = `"type":"stdio"`
	return engine.ServerPlaces{
		{Place: engine.Place{Scope: engine.ScopeUser, Path: ".config/crush/crush.json", Format: "json"}, Root: "mcp",
			Extra: extra},
		{Place: engine.Place{Scope: engine.ScopeProject, Path: ".crush.json", Format: "json"}, Root: "mcp", Extra: extra},
	}
}
