package engine

import "time"

// claudePlaces are Claude Code's settings files.
func claudePlaces() []Place {
	return []Place{
		{Scope: ScopeSystem, Path: "/etc/claude-code/managed-settings.json", Format: "json"},
		{Scope: ScopeSystem, Path: "/Library/Application Support/ClaudeCode/managed-settings.json", Format: "json"},
		{Scope: ScopeUser, Path: ".claude/settings.json", Variable: "CLAUDE_CONFIG_DIR", Format: "json", Write: true},
		{Scope: ScopeProject, Path: ".claude/settings.json", Format: "json", Write: true},
		{Scope: ScopeLocal, Path: ".claude/settings.local.json", Format: "json", Write: true},
	}
}

// claudeShape is how Claude Code's settings files list hooks.
func claudeShape() Shape {
	return Shape{Root: "hooks", Groups: true, Timeout: "timeout", Unit: time.Second, Disable: "disableAllHooks",
		Conditions: true, URLs: "allowedHttpHookUrls", HeaderVariables: "httpHookAllowedEnvVars",
		Kinds:  []HandlerKind{CommandHandler, HTTPHandler, MCPToolHandler, PromptHandler, AgentHandler},
		Limits: map[HandlerKind]time.Duration{PromptHandler: 30 * time.Second, AgentHandler: 60 * time.Second}}
}

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

// copilotPlaces are Copilot CLI's settings files.
func copilotPlaces() []Place {
	return []Place{
		{Scope: ScopeSystem, Path: "/etc/github-copilot/policy.d/*.json", Format: "json", Whole: true},
		{Scope: ScopeUser, Path: ".copilot/hooks/*.json", Variable: "COPILOT_HOME", Format: "json", Whole: true},
		{Scope: ScopeUser, Path: ".copilot/settings.json", Variable: "COPILOT_HOME", Format: "jsonc"},
		{Scope: ScopeUser, Path: ".copilot/hooks/chibi.json", Variable: "COPILOT_HOME", Format: "json", Write: true,
			Whole: true},
		{Scope: ScopeProject, Path: ".github/hooks/*.json", Format: "json", Whole: true},
		{Scope: ScopeProject, Path: ".github/copilot/settings.json", Format: "jsonc"},
		{Scope: ScopeProject, Path: ".github/hooks/chibi.json", Format: "json", Write: true, Whole: true},
		{Scope: ScopeLocal, Path: ".github/copilot/settings.local.json", Format: "jsonc"},
	}
}

// copilotShape is how Copilot CLI's settings files list hooks.
func copilotShape() Shape {
	return Shape{Root: "hooks", Command: []string{"bash", "command"}, Timeout: "timeoutSec", TimeoutAlias: "timeout",
		Unit: time.Second, Disable: "disableAllHooks", Version: 1,
		HTTPS: "COPILOT_HOOK_ALLOW_LOCALHOST", NotRun: []HandlerKind{PromptHandler},
		Kinds: []HandlerKind{CommandHandler, HTTPHandler, PromptHandler}}
}

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

// geminiPlaces are Gemini CLI's settings files.
func geminiPlaces() []Place {
	return []Place{
		{Scope: ScopeProject, Path: ".gemini/settings.json", Format: "jsonc", Write: true},
		{Scope: ScopeUser, Path: ".gemini/settings.json", Format: "jsonc", Write: true},
		{Scope: ScopeSystem, Path: "/etc/gemini-cli/settings.json", Format: "jsonc"},
	}
}

// geminiShape is how Gemini CLI's settings files list hooks.
func geminiShape() Shape {
	return Shape{Root: "hooks", Groups: true, Timeout: "timeout", Unit: time.Millisecond, Enable: "hooksConfig.enabled",
		Disabled: "hooksConfig.disabled", NoEvents: []string{"enabled", "disabled", "notifications"},
		Kinds: []HandlerKind{CommandHandler}}
}

// qwenPlaces are Qwen Code's settings files.
func qwenPlaces() []Place {
	return []Place{
		{Scope: ScopeUser, Path: ".qwen/settings.json", Format: "jsonc", Write: true},
		{Scope: ScopeProject, Path: ".qwen/settings.json", Format: "jsonc", Write: true},
		{Scope: ScopeSystem, Path: "/etc/qwen-code/settings.json", Format: "jsonc"},
	}
}

// qwenShape is how Qwen Code's settings files list hooks.
func qwenShape() Shape {
	return Shape{Root: "hooks", Groups: true, Timeout: "timeout", Unit: time.Millisecond, Disable: "disableAllHooks",
		Once:     true,
		NoEvents: []string{"enabled", "disabled", "notifications"}, Seconds: []HandlerKind{HTTPHandler, PromptHandler},
		Kinds:  []HandlerKind{CommandHandler, HTTPHandler, PromptHandler},
		Limits: map[HandlerKind]time.Duration{HTTPHandler: 600 * time.Second, PromptHandler: 30 * time.Second}}
}
