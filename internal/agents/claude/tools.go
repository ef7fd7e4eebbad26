package claude

import (
	"github.com/chibi-host/chibi/internal/agents/engine"
	"github.com/chibi-host/chibi/plugin/toolnames"
	"github.com/chibi-host/chibi/tools"
)

// toolNames is how Claude Code names its tools.
func toolNames() toolnames.Table {
	path := toolnames.Arg("path", "file_path")
	return toolnames.Table{
		{Category: tools.CategoryShell, Ours: "shell_exec", All: true, Name: "Bash",
			Subject:   toolnames.Arg("command", "command"),
			Arguments: []toolnames.Argument{{Ours: "timeout_secs", Theirs: "timeout", Times: 1000}}},
		{Category: tools.CategoryRead, Ours: "read_file", All: true, Name: "Read", Subject: path},
		{Category: tools.CategoryWrite, Ours: "write_file", All: true, Name: "Write", Subject: path},
		{Category: tools.CategoryEdit, Ours: "file_edit", All: true, Name: "Edit", Also: []string{"MultiEdit"},
			Subject: path},
		{Category: tools.CategorySearch, Ours: "glob_files", Name: "Glob", Subject: toolnames.Arg("path", "path"),
			Arguments: []toolnames.Argument{toolnames.Arg("max_results", "head_limit")}},
		{Category: tools.CategorySearch, Ours: "grep_files", Name: "Grep", Subject: toolnames.Arg("path", "path"),
			Arguments: []toolnames.Argument{toolnames.Arg("file_pattern", "glob"), toolnames.Arg("ignore_case", "-i"),
				toolnames.Arg("context_lines", "-C"), toolnames.Arg("max_results", "head_limit")}},
		{Category: tools.CategorySearch, Ours: "dir_list", Name: "LS", Subject: toolnames.Arg("path", "path")},
		{Category: tools.CategoryFetch, Ours: "fetch_url", All: true, Name: "WebFetch", Subject: toolnames.Arg("url", "url")},
		{Category: tools.CategoryAgent, Ours: "spawn_agent", All: true, Name: "Agent", Also: []string{"Task"},
			Arguments: []toolnames.Argument{toolnames.Arg("task", "prompt"), toolnames.Arg("agent", "subagent_type")}},
		{Ours: "update_todos", Name: "TodoWrite"},
	}
}

// results are the shapes of results. For writing and editing, a hook in chibi gets the members that the two have in
// common.
func results() []engine.Result {
	return []engine.Result{
		{Categories: []tools.Category{tools.CategoryShell}, Fields: []engine.Field{
			engine.Formed("stdout", engine.ToolOutput, engine.AsTrimmed),
			{Name: "stderr", Value: engine.ToolOutput, Const: `""`, Reads: true},
			engine.Fixed("interrupted", "false"), engine.Fixed("isImage", "false"), engine.Fixed("noOutputExpected", "false"),
		}},
		{Categories: []tools.Category{tools.CategoryRead}, Fields: []engine.Field{
			engine.Fixed("type", `"text"`), engine.Holds("file.filePath", engine.Path),
			engine.Holds("file.content", engine.ToolOutput),
		}},
		{Categories: []tools.Category{tools.CategoryWrite, tools.CategoryEdit}, Fields: []engine.Field{
			engine.Holds("filePath", engine.Path), engine.Fixed("success", "true"),
		}},
		{Categories: []tools.Category{tools.CategoryAgent}, Fields: []engine.Field{
			engine.Fixed("status", `"completed"`), engine.Formed("content", engine.ToolOutput, engine.AsTextBlocks),
		}},
		{Fields: []engine.Field{engine.Formed("", engine.ToolOutput, engine.AsTextBlocks)}},
	}
}
