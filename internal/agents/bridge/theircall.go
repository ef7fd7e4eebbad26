package bridge

import (
	"cmp"
	"encoding/json"
	"maps"
	"time"

	"github.com/chibi-host/chibi/hookpoints"
	"github.com/chibi-host/chibi/internal/agents/engine"
	"github.com/chibi-host/chibi/internal/strictjson"
	"github.com/chibi-host/chibi/tools"
)

// TheirCall is the tool call of an agent's moment, in chibi's form.
type TheirCall struct{ engine.Moment }

// TheirCallOf returns the call of a moment. An event for one kind of call, such as a command, names no tool; the
// tool is then chibi's tool of that kind.
func TheirCallOf(m engine.Moment) TheirCall {
	if m.Has(engine.ToolName) {
		return TheirCall{m}
	}
	m.Values = maps.Clone(m.Values)
	call := TheirCall{m}
	switch m.Kind {
	case engine.BeforeShell:
		call.name("shell_exec", tools.CategoryShell, "command", engine.Command)
	case engine.BeforeRead:
		call.name("read_file", tools.CategoryRead, "path", engine.Path)
	case engine.BeforeMCP:
		m.Set(engine.ToolName, m.Text(engine.ServerTool))
		m.Set(engine.ToolCategory, string(tools.CategoryMCP))
	}
	return call
}

// name notes the tool of the call, which has one argument.
func (m TheirCall) name(tool string, category tools.Category, subject string, argument engine.Value) {
	m.Set(engine.ToolName, tool)
	m.Set(engine.ToolCategory, string(category))
	m.Set(engine.ToolSubject, subject)
	m.Values[engine.ToolInput], _ = strictjson.Encode(map[string]string{subject: m.Text(argument)})
}

// Nesting says in which sub-agent of the agent the call happens.
func (m TheirCall) Nesting() hookpoints.Nesting { return nesting(m.Moment) }

// Tool describes the tool of the call in chibi's form.
func (m TheirCall) Tool() tools.Spec {
	spec := tools.Spec{Name: m.Text(engine.ToolName), Kind: tools.Coding,
		Category: tools.Category(m.Text(engine.ToolCategory)),
		Subject:  m.Text(engine.ToolSubject)}
	if server := m.Text(engine.Server); server != "" {
		spec.Kind, spec.Remote = tools.MCP, &tools.Remote{Server: server, Tool: m.Text(engine.ServerTool)}
		spec.Category = cmp.Or(spec.Category, tools.CategoryMCP)
	}
	return spec
}

// Arguments returns the arguments of the tool: an object, or the agent's JSON in its place.
func (m TheirCall) Arguments() json.RawMessage {
	if m.Has(engine.ToolInput) {
		return m.Values[engine.ToolInput]
	}
	return json.RawMessage("{}")
}

// Took is how long the tool ran, 0 if it is not known.
func (m TheirCall) Took() time.Duration {
	return time.Duration(m.Number(engine.Duration)) * time.Millisecond
}

// Failed reports whether the tool has failed.
func (m TheirCall) Failed() bool {
	return m.Text(engine.ToolStatus) == "failed" || m.Has(engine.ToolError)
}

// Result returns the tool's answer and its exit status.
func (m TheirCall) Result() (output string, exit int) {
	return cmp.Or(m.Text(engine.ToolOutput), m.Text(engine.ToolError)), int(m.Number(engine.ToolExit))
}
