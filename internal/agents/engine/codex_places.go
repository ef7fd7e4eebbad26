package engine

import "time"

// codexPlaces are Codex' settings files.
func codexPlaces() []Place {
	return []Place{
		{Scope: ScopeUser, Path: ".codex/hooks.json", Variable: "CODEX_HOME", Format: "json", Write: true, Whole: true},
		{Scope: ScopeUser, Path: ".codex/config.toml", Variable: "CODEX_HOME", Format: "toml"},
		{Scope: ScopeProject, Path: ".codex/hooks.json", Format: "json", Write: true, Whole: true},
		{Scope: ScopeProject, Path: ".codex/config.toml", Format: "toml"},
	}
}

// codexShape is how Codex' settings files list hooks.
func codexShape() Shape {
	return Shape{Root: "hooks", Groups: true, Timeout: "timeout", Unit: time.Second, Enable: "features.hooks",
		NoEvents: []string{"state"}, Kinds: []HandlerKind{CommandHandler, PromptHandler, AgentHandler, MCPToolHandler},
		NotRun: []HandlerKind{PromptHandler, AgentHandler}}
}

// codexAfterAdd is what the person has to do in Codex.
const codexAfterAdd = "Codex skips hooks that you have not trusted, without a word: start codex, open /hooks and " +
	"trust those of chibi, also after they were changed; codex exec runs them with --dangerously-bypass-hook-trust"

func codexServers() ServerPlaces {
	return ServerPlaces{
		{Place: Place{Scope: ScopeUser, Path: ".codex/config.toml", Variable: "CODEX_HOME", Format: "toml"},
			Root: "mcp_servers"},
		{Place: Place{Scope: ScopeProject, Path: ".codex/config.toml", Format: "toml"}, Root: "mcp_servers"},
	}
}
