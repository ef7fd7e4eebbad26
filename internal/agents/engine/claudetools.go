package engine

import (
	"github.com/chibi-host/chibi/plugin/toolnames"
	"github.com/chibi-host/chibi/tools"
)

// claudeTools is how Claude Code names its tools.
func claudeTools() toolnames.Table {
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

// claudeResults are the shapes of results. Of those for writing and editing, a hook in chibi
// gets what the two have in common.
func claudeResults() []Result {
	return []Result{
		{Categories: []tools.Category{tools.CategoryShell}, Fields: []Field{
			formed("stdout", ToolOutput, AsTrimmed),
			{Name: "stderr", Value: ToolOutput, Const: `""`, Reads: true},
			fixed("interrupted", "false"), fixed("isImage", "false"), fixed("noOutputExpected", "false"),
		}},
		{Categories: []tools.Category{tools.CategoryRead}, Fields: []Field{
			fixed("type", `"text"`), field("file.filePath", Path), field("file.content", ToolOutput),
		}},
		{Categories: []tools.Category{tools.CategoryWrite, tools.CategoryEdit}, Fields: []Field{
			field("filePath", Path), fixed("success", "true"),
		}},
		{Categories: []tools.Category{tools.CategoryAgent}, Fields: []Field{
			fixed("status", `"completed"`), formed("content", ToolOutput, AsTextBlocks),
		}},
		{Fields: []Field{formed("", ToolOutput, AsTextBlocks)}},
	}
}
