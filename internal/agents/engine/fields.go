package engine

import "github.com/chibi-host/chibi/tools"

// Holds is a member of a payload that is always there.
func Holds(name string, v Value) Field { return Field{Name: name, Value: v} }

// Optional is a member that is there if the value is known.
func Optional(name string, v Value) Field { return Field{Name: name, Value: v, Optional: true} }

// Formed is a member with its value in a form.
func Formed(name string, v Value, form Form) Field { return Field{Name: name, Value: v, Form: form} }

// Usually is a member that has the JSON if the value is not known.
func Usually(name string, v Value, json string) Field {
	return Field{Name: name, Value: v, Const: json}
}

// Fixed is a member that in chibi always has the same JSON.
func Fixed(name, json string) Field { return Field{Name: name, Const: json} }

// Theirs are members that only the agent writes.
func Theirs(names ...string) (list []Field) {
	for _, name := range names {
		list = append(list, Field{Name: name, Optional: true})
	}
	return list
}

// Unfired are events of an agent that chibi does not have.
func Unfired(names ...string) (list []Event) {
	for _, name := range names {
		list = append(list, Event{Name: name, Kind: Never})
	}
	return list
}

// MCPTools are the categories of the tools of MCP servers.
func MCPTools() []tools.Category { return []tools.Category{tools.CategoryMCP} }
