package dialect

import (
	"cmp"
	"encoding/json"
	"time"

	"github.com/chibi-host/chibi/hookpoints"
	"github.com/chibi-host/chibi/tools"
	"github.com/tidwall/gjson"
)

// TheirCall is the tool call that a moment of an agent is about, as chibi knows such calls.
type TheirCall struct{ Moment }

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

// Arguments returns the arguments of the tool, an object.
func (m TheirCall) Arguments() json.RawMessage {
	if gjson.ParseBytes(m.Values[ToolInput]).IsObject() {
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
