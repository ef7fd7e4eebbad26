package bridge

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"github.com/chibi-host/chibi/internal/agents/engine"
	"github.com/chibi-host/chibi/internal/strictjson"
	"github.com/chibi-host/chibi/plugin/toolnames"
	"github.com/chibi-host/chibi/tools"
	"github.com/tidwall/sjson"
)

// Sample is a made-up moment, with the payload that an agent would give its hooks.
type Sample struct {
	Payload []byte
	Moment  engine.Moment
	// Where names the special case, such as Trusted; "": there is none.
	Where string
}

// Samples makes up moments at an event of an agent: one for each of its tools if the event is about tools, and one
// for each word that a matcher can name.
func (h Hook) Samples() (list []Sample) {
	for _, more := range h.variants() {
		list = h.add(list, more, "")
		if h.Event.Kind == engine.BeforeTool {
			trusted := maps.Clone(more)
			trusted[engine.PermissionMode] = strictjson.Quote("trusted")
			list = h.add(list, trusted, Trusted)
		}
	}
	if len(list) > 0 && slices.ContainsFunc(h.Event.Fields, isResult) {
		payload := list[0].Payload
		for _, f := range h.Event.Fields {
			if isResult(f) {
				payload, _ = sjson.SetRawBytes(payload, f.Name, []byte(`{"other":"tried"}`))
			}
		}
		list = h.addTold(list, payload, OtherForm)
	}
	slices.SortStableFunc(list, func(a, b Sample) int { return strings.Compare(a.Where, b.Where) }) // usual ones first
	return list
}

// isResult reports whether a member of a payload is a tool's result in the agent's shape.
func isResult(f engine.Field) bool { return f.Form == engine.AsResult }

// add adds a sample with further values.
func (h Hook) add(list []Sample, more map[engine.Value]json.RawMessage, where string) []Sample {
	values := map[engine.Value]json.RawMessage{}
	for value, text := range madeUp() {
		values[value] = strictjson.Quote(text)
	}
	maps.Copy(values, more)
	payload, err := h.Of.Payload(h.Event, engine.Moment{Kind: h.Event.Kind, Values: values})
	if err != nil {
		return list
	}
	return h.addTold(list, payload, where)
}

// addTold adds a sample, if the payload belongs to the event.
func (h Hook) addTold(list []Sample, payload []byte, where string) []Sample {
	m, err := h.Of.Moment(h.Event, payload)
	if err != nil || m.Kind == engine.Never {
		return list
	}
	return append(list, Sample{payload, m, where})
}

// madeUp are the texts of each moment, as far as the event has them.
func madeUp() map[engine.Value]string {
	return map[engine.Value]string{engine.Session: "s", engine.PromptID: "p", engine.CallID: "c",
		engine.Project: "/p", engine.Home: "/h", engine.Model: "m", engine.PermissionMode: "default",
		engine.Time: "2026-01-02T03:04:05.000Z", engine.PromptText: engine.Tried, engine.Response: "done",
		engine.Task: engine.Tried, engine.Summary: "s", engine.Failure: "it failed", engine.AgentVersion: "v"}
}

// variants are the values in which the moments at an event differ.
func (h Hook) variants() (list []map[engine.Value]json.RawMessage) {
	each := func(of engine.Value, words ...string) {
		for _, word := range words {
			list = append(list, map[engine.Value]json.RawMessage{of: strictjson.Quote(word)})
		}
	}
	switch h.Event.Kind {
	case engine.SessionStart:
		each(engine.Source, "startup", "resume", "clear", "compact")
	case engine.SessionEnd:
		each(engine.Reason, "other", "exit", "clear")
	case engine.BeforeCompact, engine.AfterCompact:
		each(engine.Trigger, "manual", "auto")
	case engine.TurnFailed:
		each(engine.FailureKind, "error")
	case engine.TurnInterrupted:
		each(engine.FailureKind, "interrupted", "error") // by a limit, say
	case engine.Stop:
		list = append(list, nil)
		if h.Event.Also != nil {
			each(engine.FailureKind, "error", "interrupted")
		}
	case engine.AgentStart, engine.AgentStop:
		list = append(list, map[engine.Value]json.RawMessage{engine.AgentID: strictjson.Quote("a"),
			engine.AgentType: strictjson.Quote("general")})
	case engine.BeforeRequest, engine.SelectTools:
		list = append(list, map[engine.Value]json.RawMessage{engine.Tools: json.RawMessage(`["shell_exec"]`),
			engine.Request: json.RawMessage(`{"model":"m","messages":[{"role":"user","content":"tried"}]}`)})
	case engine.AfterBatch:
		list = append(list, map[engine.Value]json.RawMessage{engine.Calls: json.RawMessage(`[{"tool_name":"shell_exec",` +
			`"arguments":{"command":"echo tried"},"tool_call_id":"c","status":"ran","output":"tried","category":"shell",` +
			`"subject":"command"}]`)})
	case engine.BeforeTool, engine.AskPermission, engine.BeforeShell, engine.BeforeMCP, engine.BeforeRead,
		engine.AfterTool, engine.ToolSucceeded, engine.ToolFailed:
		return h.calls()
	default:
		list = append(list, nil)
	}
	return list
}

// madeUpCall is a call of a tool.
type madeUpCall struct {
	tool      string
	category  tools.Category
	subject   string
	arguments string
}

// madeUpCalls are calls of chibi's tools, and of an MCP server's.
func madeUpCalls() []madeUpCall {
	return []madeUpCall{
		{"shell_exec", tools.CategoryShell, "command", `{"command":"echo tried"}`},
		{"read_file", tools.CategoryRead, "path", `{"path":"/p/tried"}`},
		{"write_file", tools.CategoryWrite, "path", `{"path":"/p/a","content":"tried\n"}`},
		{"file_edit", tools.CategoryEdit, "path", `{"path":"/p/a","old_string":"x","new_string":"tried"}`},
		{"glob_files", tools.CategorySearch, "path", `{"pattern":"tried","path":"/p"}`},
		{"grep_files", tools.CategorySearch, "path", `{"pattern":"tried","path":"/p"}`},
		{"dir_list", tools.CategorySearch, "path", `{"path":"/p/tried"}`},
		{"fetch_url", tools.CategoryFetch, "url", `{"url":"http://a/tried"}`},
		{"spawn_agent", tools.CategoryAgent, "", `{"task":"tried"}`},
		{"update_todos", "", "", `{"content":"tried"}`},
		{"mcp__notes__note", tools.CategoryMCP, "", `{"title":"tried"}`},
	}
}

// calls are calls of the agent's tools that the event is about.
func (h Hook) calls() (list []map[engine.Value]json.RawMessage) {
	only := map[engine.Kind]tools.Category{engine.BeforeShell: tools.CategoryShell, engine.BeforeMCP: tools.CategoryMCP,
		engine.BeforeRead: tools.CategoryRead}[h.Event.Kind]
	for _, c := range madeUpCalls() {
		if only != "" && c.category != only || !h.hasTool(c) {
			continue
		}
		if h.Event.Kind != engine.ToolFailed {
			list = append(list, c.values("ran"))
		}
		if h.Event.Kind == engine.ToolFailed || h.Event.Kind == engine.AfterTool {
			list = append(list, c.values("failed"))
		}
	}
	return list
}

// hasTool reports whether the agent has the tool of a call.
func (h Hook) hasTool(c madeUpCall) bool {
	if c.category == tools.CategoryMCP {
		return h.Of.MCPName != ""
	}
	return slices.ContainsFunc(h.Of.Tools, func(t toolnames.Tool) bool { return t.Ours == c.tool })
}

// values are the values of a moment about the call, and its end.
func (c madeUpCall) values(status string) map[engine.Value]json.RawMessage {
	m := engine.Moment{Values: map[engine.Value]json.RawMessage{engine.ToolInput: json.RawMessage(c.arguments)}}
	m.Set(engine.ToolName, c.tool)
	m.Set(engine.ToolCategory, string(c.category))
	m.Set(engine.ToolSubject, c.subject)
	m.Set(engine.ToolOutput, engine.Tried)
	m.Set(engine.ToolStatus, status)
	switch c.category {
	case tools.CategoryShell:
		m.Set(engine.Command, "echo tried")
	case tools.CategoryRead:
		m.Set(engine.Path, "/p/tried")
	case tools.CategoryMCP:
		m.Set(engine.Server, "notes")
		m.Set(engine.ServerTool, "note")
	}
	if status == "failed" {
		m.Set(engine.ToolError, engine.Tried)
	}
	return m.Values
}

// isAbout reports whether an agent's row is about the category of a moment's tool.
func isAbout(row engine.Row, m engine.Moment) bool {
	return row.Categories == nil || slices.Contains(row.Categories, tools.Category(m.Text(engine.ToolCategory)))
}
