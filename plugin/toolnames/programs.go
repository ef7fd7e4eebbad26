package toolnames

import "github.com/chibi-host/chibi/tools"

// Kodelet is how Kodelet 0.4 names its tools.
func Kodelet() Table {
	path := Arg("path", "file_path")
	return Table{
		{Category: tools.CategoryShell, Ours: "shell_exec", All: true, Name: "bash",
			Subject: Arg("command", "command"), Arguments: []Argument{Arg("timeout_secs", "timeout")}},
		{Category: tools.CategoryRead, Ours: "read_file", All: true, Name: "file_read",
			Subject: path, Arguments: []Argument{Arg("limit", "line_limit")}},
		{Category: tools.CategoryWrite, Ours: "write_file", All: true, Name: "file_write",
			Subject: path, Arguments: []Argument{Arg("content", "text")}},
		{Category: tools.CategoryEdit, Ours: "file_edit", All: true, Name: "file_edit",
			Subject: path, Arguments: []Argument{Arg("old_string", "old_text"), Arg("new_string", "new_text")}},
		{Category: tools.CategorySearch, Ours: "glob_files", Name: "glob_tool", Subject: Arg("path", "path")},
		{Category: tools.CategorySearch, Ours: "grep_files", Name: "grep_tool", Subject: Arg("path", "path"),
			Arguments: []Argument{Arg("file_pattern", "include"), Arg("context_lines", "surround_lines")}},
		{Category: tools.CategoryFetch, Ours: "fetch_url", All: true, Name: "web_fetch", Subject: Arg("url", "url")},
	}
}

// Kode is how Kode names its tools: its contract names the shell only.
func Kode() Table {
	return Table{{Category: tools.CategoryShell, Ours: "shell_exec", All: true, Name: "shell",
		Subject: Arg("command", "command")}}
}
