package engine

import (
	"cmp"
	"encoding/json"
	"maps"
	"time"

	"github.com/chibi-host/chibi/hookpoints"
	"github.com/chibi-host/chibi/internal/strictjson"
	"github.com/chibi-host/chibi/tools"
)

// TheirCall is the tool call that a moment of an agent is about, as chibi knows such calls.
type TheirCall struct{ Moment }

// TheirCallOf returns the call of a moment. Events about one kind of thing alone, such as a
// command, name no tool: it is chibi's tool of that kind then.
func TheirCallOf(m Moment) TheirCall {
	if m.Has(ToolName) {
		return TheirCall{m}
	}
	m.Values = maps.Clone(m.Values)
	switch m.Kind {
	case BeforeShell:
		m.nameCall("shell_exec", tools.CategoryShell, "command", Command)
	case BeforeRead:
		m.nameCall("read_file", tools.CategoryRead, "path", Path)
	case BeforeMCP:
		m.set(ToolName, m.Text(ServerTool))
		m.set(ToolCategory, string(tools.CategoryMCP))
	}
	return TheirCall{m}
}

// nameCall notes the call of a tool with one argument.
func (m Moment) nameCall(tool string, category tools.Category, subject string, argument Value) {
	m.set(ToolName, tool)
	m.set(ToolCategory, string(category))
	m.set(ToolSubject, subject)
	m.Values[ToolInput], _ = strictjson.Encode(map[string]string{subject: m.Text(argument)})
}

// Nesting says in which sub-agent of the agent it happens.
func (m TheirCall) Nesting() hookpoints.Nesting { return m.nesting() }

// Tool describes the tool that a moment is about, as chibi describes such tools.
func (m TheirCall) Tool() tools.Spec {
	spec := tools.Spec{Name: m.Text(ToolName), Kind: tools.Coding, Category: tools.Category(m.Text(ToolCategory)),
		Subject: m.Text(ToolSubject)}
	if server := m.Text(Server); server != "" {
		spec.Kind, spec.Remote = tools.MCP, &tools.Remote{Server: server, Tool: m.Text(ServerTool)}
		spec.Category = cmp.Or(spec.Category, tools.CategoryMCP)
	}
	return spec
}

// Arguments returns the arguments of the tool: an object, or whatever the agent says instead.
func (m TheirCall) Arguments() json.RawMessage {
	if m.Has(ToolInput) {
		return m.Values[ToolInput]
	}
	return json.RawMessage("{}")
}

// Took is how long the tool ran, 0 if it is not known.
func (m TheirCall) Took() time.Duration { return time.Duration(m.number(Duration)) * time.Millisecond }

// Failed reports whether the tool that a moment is about has failed.
func (m TheirCall) Failed() bool { return m.Text(ToolStatus) == "failed" || m.Has(ToolError) }

// Result returns what the tool answered and its exit status.
func (m TheirCall) Result() (output string, exit int) {
	return cmp.Or(m.Text(ToolOutput), m.Text(ToolError)), int(m.number(ToolExit))
}
