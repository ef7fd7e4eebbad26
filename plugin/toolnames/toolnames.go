// Package toolnames translates tool calls into the names of other programs and back, so that
// hooks that were written for them know what a call does: a hook that asks for "bash" sees
// shell_exec, and any tool of a plugin that its schema calls a shell.
//
// A [Table] is how one program names tools and arguments. Other tools and arguments keep their names. The
// package promises that a call which was translated there and back is the same call, with all changes of a hook.
package toolnames

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/chibi-host/chibi/hookpoints"
	"github.com/chibi-host/chibi/internal/strictjson"
	"github.com/chibi-host/chibi/tools"
	"github.com/tidwall/gjson"
)

// Table lists the tools of a program, as far as chibi has tools of the same kind.
type Table []Tool

// Tool is a tool of another program.
type Tool struct {
	// Category is the category of the tools that it stands for.
	Category tools.Category
	// Ours is the tool of chibi that it stands for.
	Ours string
	// All says that it also stands for all tools of the category that the table does not
	// name.
	All bool
	// Name is its name there. Also are further names that mean it, such as older ones.
	Name string
	Also []string
	// Subject is the argument that the category is about, Arguments are others that have a different name there.
	Subject   Argument
	Arguments []Argument
}

// Argument is an argument of a tool, by its name in chibi and there.
type Argument struct {
	Ours, Theirs string
	// Times is the factor of a number for the other program, such as 1000 for
	// seconds that are milliseconds there; 0: it is the same there.
	Times int
}

// Arg returns an argument with a different name there.
func Arg(ours, theirs string) Argument { return Argument{Ours: ours, Theirs: theirs} }

// Call is a tool call in chibi's names.
type Call struct {
	// Tool is the tool's name.
	Tool string
	// Category and Subject come from its [tools.Spec]; without a category, only tools of the
	// table that have none stand for it.
	Category tools.Category
	Subject  string
	// Arguments are the call's arguments. If they are not an object, only the tool is
	// translated.
	Arguments json.RawMessage
}

// CallOf returns the call that is about to happen.
func CallOf(p hookpoints.PreToolPayload) Call {
	return Call{p.ToolName, tools.Category(p.Category), p.Subject, p.Arguments}
}

// Ended returns the call that has ended.
func Ended(p hookpoints.PreToolOutputPayload) Call {
	return Call{p.ToolName, tools.Category(p.Category), p.Subject, p.Arguments}
}

// There returns the tool's name and the arguments in the names of the other program. It leaves out
// an argument that has the name of a translated one.
func (t Table) There(c Call) (tool string, arguments json.RawMessage) {
	row, found := t.find(c)
	if !found {
		return c.Tool, c.Arguments
	}
	list, isObject := membersOf(c.Arguments)
	if !isObject {
		return row.Name, c.Arguments
	}
	return row.Name, translated(row.arguments(c), list)
}

// Back returns a call's arguments after a hook turned the arguments of There into other ones. unknown
// lists arguments that it added and that chibi's tool does not have; they keep their names.
// Arguments of a hook that are not an object are returned unchanged.
func (t Table) Back(c Call, changed json.RawMessage) (arguments json.RawMessage, unknown []string) {
	row, found := t.find(c)
	theirs, isObject := membersOf(changed)
	before, wasObject := membersOf(c.Arguments)
	if !found || !isObject || !wasObject {
		return changed, nil
	}
	return back(row.arguments(c), before, theirs, func(name string) bool { return row.has(c, name) })
}

// Ours returns a call of the other program in chibi's names: the reverse of There. A tool that
// the table does not name keeps its name, and has no category.
func (t Table) Ours(tool string, arguments json.RawMessage) Call {
	row, found := t.named(tool)
	if !found {
		return Call{Tool: tool, Arguments: arguments}
	}
	call := Call{row.Ours, row.Category, row.Subject.Ours, arguments}
	if list, isObject := membersOf(arguments); isObject {
		call.Arguments = translated(reversed(row.arguments(call)), list)
	}
	return call
}

// Theirs returns the arguments of a call of the other program after the arguments of Ours were
// turned into other ones: the reverse of Back. It does not touch unchanged arguments.
func (t Table) Theirs(tool string, arguments, changed json.RawMessage) json.RawMessage {
	row, found := t.named(tool)
	before, wasObject := membersOf(arguments)
	ours, isObject := membersOf(changed)
	if !found || !wasObject || !isObject {
		return changed
	}
	names := reversed(row.arguments(Call{Tool: row.Ours, Subject: row.Subject.Ours}))
	theirs, _ := back(names, before, ours, func(string) bool { return true })
	return theirs
}

// Names returns all names of a tool of the other program, first the one that There uses.
func (t Table) Names(tool string) []string {
	row, found := t.named(tool)
	if !found {
		return []string{tool}
	}
	return append([]string{row.Name}, row.Also...)
}

// SubjectOf returns the program's name of the argument that one of its tools is about; if the table does not name
// the tool, it returns otherwise.
func (t Table) SubjectOf(tool, otherwise string) string {
	if row, found := t.named(tool); found {
		return row.Subject.Theirs
	}
	return otherwise
}

// named returns the first tool with a name.
func (t Table) named(tool string) (Tool, bool) {
	i := slices.IndexFunc(t, func(row Tool) bool { return row.Name == tool || slices.Contains(row.Also, tool) })
	if i < 0 {
		return Tool{}, false
	}
	return t[i], true
}

// Rewritten is Back for the payload of pre_tool and the arguments as a hook left them; nil:
// the hook changed nothing. notes name the arguments that the tool does not have.
func (t Table) Rewritten(payload, changed json.RawMessage) (arguments json.RawMessage, notes []string) {
	var p hookpoints.PreToolPayload
	if changed == nil || strictjson.Decode(payload, &p) != nil {
		return changed, nil
	}
	arguments, unknown := t.Back(CallOf(p), changed)
	for _, name := range unknown {
		notes = append(notes, NoArgument(name, p.ToolName))
	}
	return arguments, notes
}

// NoArgument says that a hook added an argument that the tool does not have.
func NoArgument(name, tool string) string {
	return fmt.Sprintf("its input has %.60q, which is not an argument of %s and has no other name there", name, tool)
}

// find returns the tool that stands for the tool of a call.
func (t Table) find(c Call) (Tool, bool) {
	is := func(all bool) func(Tool) bool {
		return func(row Tool) bool { return row.Category == c.Category && (row.Ours == c.Tool || all && row.All) }
	}
	i := slices.IndexFunc(t, is(false))
	if i < 0 {
		i = slices.IndexFunc(t, is(true))
	}
	if i < 0 {
		return Tool{}, false
	}
	return t[i], true
}

// isOurs reports whether a call is one of chibi's own tool, not of a plugin's that is like it.
func (t Tool) isOurs(c Call) bool { return t.Ours == c.Tool && t.Subject.Ours == c.Subject }

// arguments lists the arguments of a call's tool that are translated.
func (t Tool) arguments(c Call) []Argument {
	if t.isOurs(c) && c.Subject == "" {
		return t.Arguments
	}
	if t.isOurs(c) {
		return append([]Argument{t.Subject}, t.Arguments...)
	}
	if c.Subject == "" {
		return nil
	}
	return []Argument{{Ours: c.Subject, Theirs: t.Subject.Theirs}}
}

// has reports whether a call's tool may have an argument that is not translated: what a
// plugin's tool has is not known here.
func (t Tool) has(c Call, name string) bool {
	return !t.isOurs(c) || slices.Contains(Arguments(c.Tool), name)
}

type member struct {
	name  string
	value json.RawMessage
}

// membersOf returns the members of an object; of those with the same name, the last.
func membersOf(text json.RawMessage) (list []member, isObject bool) {
	if !bytes.HasPrefix(bytes.TrimSpace(text), []byte("{")) {
		return nil, false
	}
	at := map[string]int{}
	gjson.ParseBytes(text).ForEach(func(key, value gjson.Result) bool {
		m := member{key.String(), json.RawMessage(value.Raw)}
		if i, again := at[m.name]; again {
			list[i] = m
		} else {
			at[m.name], list = len(list), append(list, m)
		}
		return true
	})
	return list, true
}

func indexOf(list []member, name string) int {
	return slices.IndexFunc(list, func(m member) bool { return m.name == name })
}

func object(list []member) json.RawMessage {
	text := []byte{'{'}
	for i, m := range list {
		if i > 0 {
			text = append(text, ',')
		}
		text = append(append(text, strictjson.Quote(m.name)...), ':')
		text = append(text, m.value...)
	}
	return append(text, '}')
}
