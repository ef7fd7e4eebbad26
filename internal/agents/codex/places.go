package codex

import (
	"time"

	"github.com/chibi-host/chibi/internal/agents/engine"
)

// places are Codex' settings files.
func places() []engine.Place {
	return []engine.Place{
		{Scope: engine.ScopeUser, Path: ".codex/hooks.json", Variable: "CODEX_HOME", Format: "json", Write: true,
			Whole: true},
		{Scope: engine.ScopeUser, Path: ".codex/config.toml", Variable: "CODEX_HOME", Format: "toml"},
		{Scope: engine.ScopeProject, Path: ".codex/hooks.json", Format: "json", Write: true, Whole: true},
		{Scope: engine.ScopeProject, Path: ".codex/config.toml", Format: "toml"},
	}
}

// Shape is how Codex' settings files list hooks.
func Shape() engine.Shape {
	return engine.Shape{Root: "hooks", Groups: true, Timeout: "timeout", Unit: time.Second, Enable: "features.hooks",
		NoEvents: []string{"state"}, Kinds: []engine.HandlerKind{engine.CommandHandler, engine.PromptHandler,
			engine.AgentHandler, engine.MCPToolHandler},
		NotRun: []engine.HandlerKind{engine.PromptHandler, engine.AgentHandler}}
}

// afterAdd is what the person has to do in Codex.
const afterAdd = "Codex skips hooks that you have not trusted, without a word: start codex, open /hooks and " +
	"trust those of chibi, also after they were changed; codex exec runs them with --dangerously-bypass-hook-trust"

func servers() engine.ServerPlaces {
	return engine.ServerPlaces{
		{Place: engine.Place{Scope: engine.ScopeUser, Path: ".codex/config.toml", Variable: "CODEX_HOME", Format: "toml"},
			Root: "mcp_servers"},
		{Place: engine.Place{Scope: engine.ScopeProject, Path: ".codex/config.toml", Format: "toml"}, Root: "mcp_servers"},
	}
}
