package engine

import "github.com/chibi-host/chibi/tools"

// field is a member of a payload that is always there.
func field(name string, v Value) Field { return Field{Name: name, Value: v} }

// optional is one that is there if the value is known.
func optional(name string, v Value) Field { return Field{Name: name, Value: v, Optional: true} }

// formed is one with its value in a form.
func formed(name string, v Value, form Form) Field { return Field{Name: name, Value: v, Form: form} }

// fixed is one that is always the same in chibi, given as JSON.
func fixed(name, json string) Field { return Field{Name: name, Const: json} }

// theirs are members that only the agent itself writes.
func theirs(names ...string) (list []Field) {
	for _, name := range names {
		list = append(list, Field{Name: name, Optional: true})
	}
	return list
}

// never are events of an agent that chibi does not have.
func never(names ...string) (list []Event) {
	for _, name := range names {
		list = append(list, Event{Name: name, Kind: Never})
	}
	return list
}

// mcpTools are the categories of the tools of MCP servers.
func mcpTools() []tools.Category { return []tools.Category{tools.CategoryMCP} }
