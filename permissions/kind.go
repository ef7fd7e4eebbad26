package permissions

import "github.com/chibi-host/chibi/tools"

// kind is what the specifiers of rules about a category are about.
type kind int

const (
	aboutNothing kind = iota
	aboutCommands
	aboutFiles
	aboutDomains
)

// kindOf returns what specifiers mean for tools of a category.
func kindOf(c tools.Category) kind {
	switch c {
	case tools.CategoryShell:
		return aboutCommands
	case tools.CategoryRead, tools.CategorySearch, tools.CategoryWrite, tools.CategoryEdit:
		return aboutFiles
	case tools.CategoryFetch:
		return aboutDomains
	}
	return aboutNothing
}

// knownCategory returns the category that the name of a category, or of one of chibi's
// tools, stands for in a rule; "" for others, which are known when they are called.
func knownCategory(name string) tools.Category {
	switch name {
	case "shell_exec":
		return tools.CategoryShell
	case "read_file", "file_head", "file_tail", "file_lines", "file_grep":
		return tools.CategoryRead
	case "glob_files", "grep_files", "dir_list":
		return tools.CategorySearch
	case "write_file":
		return tools.CategoryWrite
	case "file_edit":
		return tools.CategoryEdit
	case "fetch_url":
		return tools.CategoryFetch
	}
	if isCategory(name) {
		return tools.Category(name)
	}
	return ""
}

// isReading and isWriting report whether a rule with a path is about reading or writing
// files by whatever tool.
func (r *rule) isReading() bool { return knownCategory(r.tool) == tools.CategoryRead }

func (r *rule) isWriting() bool {
	c := knownCategory(r.tool)
	return c == tools.CategoryWrite || c == tools.CategoryEdit
}

// forbidsReading reports whether a rule that denies or asks holds for reading files in any
// way, searching included: one with a path, or one about all tools that read.
func (r *rule) forbidsReading() bool {
	return r.isReading() && (!r.isBare() || r.tool == string(tools.CategoryRead))
}

// forbidsWriting reports whether a rule that denies or asks holds for writing files in any
// way: one with a path.
func (r *rule) forbidsWriting() bool { return r.isWriting() && !r.isBare() }

// forbidsFetching reports whether a rule that denies or asks holds for fetching in any way:
// one with a domain.
func (r *rule) forbidsFetching() bool {
	return knownCategory(r.tool) == tools.CategoryFetch && !r.isBare()
}

// forbidsTargets reports whether it holds for the targets of redirections.
func (r *rule) forbidsTargets() bool {
	return r.forbidsWriting() || r.isBare() && r.tool == string(tools.CategoryWrite)
}

// allowsTargets reports whether a rule that allows holds for the targets of redirections.
func (r *rule) allowsTargets() bool { return knownCategory(r.tool) == tools.CategoryWrite }
