// Package opencode has the facts about OpenCode, and about Kilo, which is made from it: their tables. testdata has
// payloads that the plugin wrote to chibi, and how the table reads them.
package opencode

import (
	"github.com/chibi-host/chibi/internal/agents/engine"
	"github.com/chibi-host/chibi/plugin/toolnames"
	"github.com/chibi-host/chibi/tools"
)

// Agent is OpenCode. Its plugins are functions in JavaScript that can change prompts, calls and results.
func Agent() engine.Agent {
	return engine.Agent{Names: []string{"opencode"}, Table: func() engine.Dialect {
		return table("OpenCode", "opencode", engine.Facts{Driven: "1.18.33", Date: "2026-11-28",
			Read: "the types that the program brings"})
	}}
}

// Kilo is the Kilo CLI: OpenCode with other places.
func Kilo() engine.Agent {
	return engine.Agent{Names: []string{"kilo"}, Table: func() engine.Dialect {
		return table("Kilo CLI", "kilo", engine.Facts{Driven: "7.7.9", Date: "2026-11-28",
			Read: "the types that OpenCode brings"})
	}}
}

func table(title, name string, facts engine.Facts) engine.Dialect {
	return engine.Dialect{
		MCPName: engine.CarriedMCPName, Exits: engine.CarriedExits(),
		Title: title, Facts: facts, Places: places(name), Carrier: "opencode", Servers: servers(name),
		Events: events(title), Tools: toolNames(),
		AfterAdd: title + " loads the plugin when you start it the next time",
	}
}

// events are the events of the plugin.
func events(title string) []engine.Event {
	return []engine.Event{
		engine.CarriedAt(engine.SessionStart, "context notice"),
		engine.CarriedAt(engine.Prompt, "block prompt context notice"),
		engine.CarriedAt(engine.BeforeTool, "block input context notice",
			"A question becomes a denial: plugins of "+title+" cannot ask.",
			"A plugin that ends the turn refuses the call, and the turn goes on."),
		engine.CarriedAt(engine.AfterTool, "output context notice",
			"A plugin cannot end the turn after a tool: the turn goes on.",
			"A call that fails, or that a plugin refuses, has no such event."),
		engine.CarriedAt(engine.Stop, "notice", title+" cannot go on at its stop: chibi tells a plugin that wants it to."),
		engine.CarriedAt(engine.TurnFailed, "notice"),
		engine.CarriedAt(engine.AfterCompact, "notice"),
	}
}

// toolNames is how OpenCode names its tools.
func toolNames() toolnames.Table {
	arg := toolnames.Arg
	file, path := arg("path", "filePath"), arg("path", "path")
	return toolnames.Table{
		{Category: tools.CategoryShell, Ours: "shell_exec", Name: "bash", Subject: arg("command", "command"),
			Arguments: []toolnames.Argument{{Ours: "timeout_secs", Theirs: "timeout", Times: 1000}, arg("cwd", "workdir")}},
		{Category: tools.CategoryRead, Ours: "read_file", Name: "read", Subject: file},
		{Category: tools.CategoryWrite, Ours: "write_file", Name: "write", Subject: file},
		{Category: tools.CategoryEdit, Ours: "file_edit", Name: "edit", Subject: file,
			Arguments: []toolnames.Argument{arg("old_string", "oldString"), arg("new_string", "newString"),
				arg("replace_all", "replaceAll")}},
		{Category: tools.CategorySearch, Ours: "glob_files", Name: "glob", Subject: path},
		{Category: tools.CategorySearch, Ours: "grep_files", Name: "grep", Subject: path,
			Arguments: []toolnames.Argument{arg("file_pattern", "include")}},
		{Category: tools.CategorySearch, Ours: "dir_list", Name: "list", Subject: path},
		{Category: tools.CategoryFetch, Ours: "fetch_url", Name: "webfetch", Subject: arg("url", "url")},
		{Category: tools.CategoryAgent, Ours: "spawn_agent", Name: "task",
			Arguments: []toolnames.Argument{arg("task", "prompt"), arg("agent", "subagent_type")}},
		{Ours: "update_todos", Name: "todowrite"},
	}
}

// places are the files from which the program takes plugins.
func places(name string) []engine.Place {
	return []engine.Place{
		{Scope: engine.ScopeUser, Path: ".config/" + name + "/plugins/chibi.js", Variable: "XDG_CONFIG_HOME",
			Format: "javascript", Write: true, Whole: true},
		{Scope: engine.ScopeProject, Path: "." + name + "/plugins/chibi.js", Format: "javascript", Write: true, Whole: true},
	}
}

func servers(name string) engine.ServerPlaces {
	place := func(scope, path, variable string) engine.ServerPlace {
		return engine.ServerPlace{Place: engine.Place{Scope: scope, Path: path, Variable: variable, Format: "jsonc"},
			Root: "mcp", Extra: `"type":"local"`, InOne: true}
	}
	return engine.ServerPlaces{place(engine.ScopeUser, ".config/"+name+"/"+name+".json", "XDG_CONFIG_HOME"),
		place(engine.ScopeProject, name+".json", "")}
}
