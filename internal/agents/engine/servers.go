package engine

import (
	"encoding/json"
	"slices"

	"github.com/chibi-host/chibi/internal/strictjson"
)

// ServerPlace is where an agent is told of MCP servers: a settings file, or a program.
type ServerPlace struct {
	// Place is the file; its path is "" if a program is told.
	Place
	// Root is the object of the servers in the file, Extra the first members of a server, as
	// JSON.
	Root, Extra string
	// Add and Remove are the program with its arguments; chibi's own command follows those of
	// Add.
	Add, Remove []string
}

// Server returns what the file says of a server that is a program.
func (p ServerPlace) Server(program string, args ...string) json.RawMessage {
	text := p.Extra
	if text != "" {
		text += ","
	}
	list, _ := strictjson.Encode(args) // it is a list of texts
	return json.RawMessage("{" + text + `"command":` + string(strictjson.Quote(program)) + `,"args":` + string(list) + "}")
}

// ServerPlaces are where an agent is told of MCP servers, for each scope.
type ServerPlaces []ServerPlace

// In returns the place of a scope.
func (s ServerPlaces) In(scope string) (ServerPlace, bool) {
	i := slices.IndexFunc(s, func(p ServerPlace) bool { return p.Scope == scope })
	if i < 0 {
		return ServerPlace{}, false
	}
	return s[i], true
}

// claudeServers: Claude Code writes its own file of the person's servers while it runs, so it
// is told by its own command.
func claudeServers() ServerPlaces {
	return ServerPlaces{
		{Place: Place{Scope: ScopeUser},
			Add:    []string{"claude", "mcp", "add", "--scope", "user", "chibi", "--"},
			Remove: []string{"claude", "mcp", "remove", "--scope", "user", "chibi"}},
		{Place: Place{Scope: ScopeProject, Path: ".mcp.json", Format: "json"}, Root: "mcpServers"},
	}
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

func copilotServers() ServerPlaces {
	return ServerPlaces{{Place: Place{Scope: ScopeUser, Path: ".copilot/mcp-config.json", Variable: "COPILOT_HOME",
		Format: "json"}, Root: "mcpServers", Extra: `"type":"local","tools":["*"]`}}
}

func crushServers() ServerPlaces {
	const extra = `"type":"stdio"`
	return ServerPlaces{
		{Place: Place{Scope: ScopeUser, Path: ".config/crush/crush.json", Format: "json"}, Root: "mcp", Extra: extra},
		{Place: Place{Scope: ScopeProject, Path: ".crush.json", Format: "json"}, Root: "mcp", Extra: extra},
	}
}

func cursorServers() ServerPlaces {
	return ServerPlaces{
		{Place: Place{Scope: ScopeUser, Path: ".cursor/mcp.json", Format: "json"}, Root: "mcpServers"},
		{Place: Place{Scope: ScopeProject, Path: ".cursor/mcp.json", Format: "json"}, Root: "mcpServers"},
	}
}

func geminiServers() ServerPlaces {
	return ServerPlaces{
		{Place: Place{Scope: ScopeUser, Path: ".gemini/settings.json", Format: "jsonc"}, Root: "mcpServers"},
		{Place: Place{Scope: ScopeProject, Path: ".gemini/settings.json", Format: "jsonc"}, Root: "mcpServers"},
	}
}

func qwenServers() ServerPlaces {
	return ServerPlaces{
		{Place: Place{Scope: ScopeUser, Path: ".qwen/settings.json", Format: "jsonc"}, Root: "mcpServers"},
		{Place: Place{Scope: ScopeProject, Path: ".qwen/settings.json", Format: "jsonc"}, Root: "mcpServers"},
	}
}
