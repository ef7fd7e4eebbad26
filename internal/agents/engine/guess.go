package engine

import (
	"github.com/chibi-host/chibi/plugin/toolnames"
	"github.com/chibi-host/chibi/tools"
	"github.com/tidwall/gjson"
)

// guessed returns a call of a tool that the table does not name, such as one of a newer agent or
// of an extension, as what its arguments say that it does: so that a guard of commands is asked
// about each tool that takes one. What they do not say stays without a category.
func guessed(call toolnames.Call) toolnames.Call {
	arguments := gjson.ParseBytes(call.Arguments)
	isText := func(value gjson.Result) bool { return value.Type == gjson.String }
	subject := func(category tools.Category, is func(gjson.Result) bool, names ...string) bool {
		if name := firstName(arguments, is, names...); name != "" {
			call.Category, call.Subject = category, name
		}
		return call.Category != ""
	}
	switch {
	case subject(tools.CategoryShell, isText, "command", "cmd"):
	case subject(tools.CategoryShell, gjson.Result.IsArray, "command", "cmd"): // the words of a command
	case subject(tools.CategoryFetch, isText, "url"):
	case firstName(arguments, isText, "content", "contents", "text", "new_string", "new_str", "new_source") != "":
		subject(tools.CategoryEdit, isText, "file_path", "filePath", "path", "notebook_path", "filename")
	}
	return call
}

// firstName returns the first of some members of an object that is of a shape, "" if there is none.
func firstName(object gjson.Result, is func(gjson.Result) bool, names ...string) string {
	for _, name := range names {
		if is(object.Get(name)) {
			return name
		}
	}
	return ""
}
