// Package pi has the facts about pi: its table. testdata has payloads that its plugin wrote to chibi, and how the
// table reads them.
package pi

import (
	"github.com/chibi-host/chibi/internal/agents/engine"
	"github.com/chibi-host/chibi/plugin/toolnames"
	"github.com/chibi-host/chibi/tools"
)

// Agent is pi. Its extensions are functions in JavaScript that can change prompts, calls, results and requests, and
// make it go on.
func Agent() engine.Agent { return engine.Agent{Names: []string{"pi"}, Table: table} }

func table() engine.Dialect {
	return engine.Dialect{
		MCPName: engine.CarriedMCPName, Exits: engine.CarriedExits(),
		Title: "pi",
		Facts: engine.Facts{Driven: "0.87.1", Date: "2026-11-28", Read: "the types and documents that the program brings"},

		PathBegins: []string{"@", "file://"},
		PathLoses:  "\u00a0\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u202f\u205f\u3000",
		Places:     places(), Carrier: "pi", Events: events(), Tools: toolNames(),
		AfterAdd: "A running pi loads the extension after /reload, or when you start pi again",
	}
}

// events are the events of the extension.
func events() []engine.Event {
	return []engine.Event{
		engine.CarriedAt(engine.SessionStart, "context notice"),
		engine.CarriedAt(engine.Prompt, "block prompt context notice"),
		engine.CarriedAt(engine.BeforeRequest, "request notice"),
		engine.CarriedAt(engine.AfterResponse, "halt notice"),
		engine.CarriedAt(engine.BeforeTool, "block input halt context notice",
			"A question becomes a denial: pi cannot ask about calls."),
		engine.CarriedAt(engine.AfterTool, "output halt context notice"),
		engine.CarriedAt(engine.Stop, "block notice"),
		engine.CarriedAt(engine.TurnFailed, "notice"),
		engine.CarriedAt(engine.BeforeCompact, "block notice"),
		engine.CarriedAt(engine.AfterCompact, "notice"),
		engine.CarriedAt(engine.SessionEnd, ""),
	}
}

// toolNames is how pi names its tools.
func toolNames() toolnames.Table {
	arg := toolnames.Arg
	path := arg("path", "path")
	return toolnames.Table{
		{Category: tools.CategoryShell, Ours: "shell_exec", Name: "bash", Subject: arg("command", "command"),
			Arguments: []toolnames.Argument{arg("timeout_secs", "timeout")}},
		{Category: tools.CategoryRead, Ours: "read_file", Name: "read", Subject: path},
		{Category: tools.CategoryWrite, Ours: "write_file", Name: "write", Subject: path},
		{Category: tools.CategoryEdit, Ours: "file_edit", Name: "edit", Subject: path}, // its changes are a list
		{Category: tools.CategorySearch, Ours: "grep_files", Name: "grep", Subject: path,
			Arguments: []toolnames.Argument{arg("file_pattern", "glob"), arg("context_lines", "context"),
				arg("ignore_case", "ignoreCase"), arg("max_results", "limit")}},
		{Category: tools.CategorySearch, Ours: "glob_files", Name: "find", Subject: path,
			Arguments: []toolnames.Argument{arg("max_results", "limit")}},
		{Category: tools.CategorySearch, Ours: "dir_list", Name: "ls", Subject: path},
	}
}

// places are the files from which pi takes extensions.
func places() []engine.Place {
	return []engine.Place{
		{Scope: engine.ScopeUser, Path: ".pi/agent/extensions/chibi.js", Variable: "PI_CODING_AGENT_DIR",
			Moved: ".pi/agent", Format: "javascript", Write: true, Whole: true},
		{Scope: engine.ScopeProject, Path: ".pi/extensions/chibi.js", Format: "javascript", Write: true, Whole: true},
	}
}
