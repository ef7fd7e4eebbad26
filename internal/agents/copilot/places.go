package copilot

import (
	"time"

	"github.com/chibi-host/chibi/internal/agents/engine"
)

// places are Copilot CLI's settings files.
func places() []engine.Place {
	return []engine.Place{
		{Scope: engine.ScopeSystem, Path: "/etc/github-copilot/policy.d/*.json", Format: "json", Whole: true},
		{Scope: engine.ScopeUser, Path: ".copilot/hooks/*.json", Variable: "COPILOT_HOME", Format: "json", Whole: true},
		{Scope: engine.ScopeUser, Path: ".copilot/settings.json", Variable: "COPILOT_HOME", Format: "jsonc"},
		{Scope: engine.ScopeUser, Path: ".copilot/hooks/chibi.json", Variable: "COPILOT_HOME", Format: "json", Write: true,
			Whole: true},
		{Scope: engine.ScopeProject, Path: ".github/hooks/*.json", Format: "json", Whole: true},
		{Scope: engine.ScopeProject, Path: ".github/copilot/settings.json", Format: "jsonc"},
		{Scope: engine.ScopeProject, Path: ".github/hooks/chibi.json", Format: "json", Write: true, Whole: true},
		{Scope: engine.ScopeLocal, Path: ".github/copilot/settings.local.json", Format: "jsonc"},
	}
}

// reads are the files of Claude Code that Copilot CLI reads; a run of the program showed it.
func reads() []engine.Reading {
	return []engine.Reading{{Agent: "claude", Scopes: []string{engine.ScopeProject, engine.ScopeLocal},
		Kinds:    []engine.HandlerKind{engine.CommandHandler, engine.HTTPHandler},
		Names:    "Claude Code's names of tools and Copilot CLI's names of arguments",
		Variable: "COPILOT_PROJECT_DIR", Folders: "trustedFolders",
		Trusted: engine.Place{Path: ".copilot/config.json", Variable: "COPILOT_HOME"}}}
}

// starts: Copilot CLI writes its own payloads to hooks of Claude Code. They have a time, and no transcript except
// at a stop. Two events write them in camelCase.
func starts() []engine.Start {
	return []engine.Start{{Agent: "claude", Marks: []engine.Mark{
		{Has: []string{"session_id", "timestamp"}, Lacks: []string{"transcript_path", "sessionId"}},
		{Has: []string{"session_id", "timestamp", "stop_reason"}, Lacks: []string{"sessionId"}},
		{Has: []string{"sessionId", "timestamp"}, Lacks: []string{"session_id", "hookEventName"}},
	}}}
}

// shape is how Copilot CLI's settings files list hooks.
func shape() engine.Shape {
	return engine.Shape{Root: "hooks", Command: []string{"bash", "command"}, Timeout: "timeoutSec",
		TimeoutAlias: "timeout",
		Unit:         time.Second, Disable: "disableAllHooks", Version: 1,
		HTTPS: "COPILOT_HOOK_ALLOW_LOCALHOST", NotRun: []engine.HandlerKind{engine.PromptHandler},
		Kinds: []engine.HandlerKind{engine.CommandHandler, engine.HTTPHandler, engine.PromptHandler}}
}

func servers() engine.ServerPlaces {
	return engine.ServerPlaces{{Place: engine.Place{Scope: engine.ScopeUser, Path: ".copilot/mcp-config.json",
		Variable: "COPILOT_HOME",
		Format:   "json"}, Root: "mcpServers", Extra: `"type":"local","tools":["*"]`}}
}
