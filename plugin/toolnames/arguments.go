package toolnames

import "strings"

// Arguments lists the arguments of a coding tool of chibi's, nil for other tools.
func Arguments(tool string) []string {
	list := ""
	switch tool {
	case "shell_exec":
		list = "command timeout_secs cwd stdin"
	case "read_file":
		list = "path offset limit"
	case "write_file":
		list = "path content"
	case "file_edit":
		list = "path old_string new_string replace_all operation line_start line_end content find replace"
	case "glob_files":
		list = "pattern path max_results"
	case "grep_files":
		list = "pattern path file_pattern context_lines max_results output ignore_case"
	case "dir_list":
		list = "path depth show_hidden"
	case "fetch_url":
		list = "url max_bytes timeout_secs format"
	}
	return strings.Fields(list)
}
