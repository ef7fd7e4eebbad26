package engine

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/chibi-host/chibi/hookpoints"
	"github.com/chibi-host/chibi/internal/strictjson"
	"github.com/chibi-host/chibi/tools"
	"github.com/tidwall/gjson"
)

// PointsOf returns the hook points at which a kind of moment happens in chibi, nil for
// [Never].
func PointsOf(k Kind) []hookpoints.Name {
	switch k {
	case SessionStart:
		return []hookpoints.Name{hookpoints.PreMessage.Name, hookpoints.PreSystemPrompt.Name}
	case BeforeCompact:
		return []hookpoints.Name{hookpoints.PreCompact.Name, hookpoints.PreRollingCompact.Name}
	case AfterCompact:
		return []hookpoints.Name{hookpoints.PostCompact.Name, hookpoints.PostRollingCompact.Name}
	case AfterTool, ToolSucceeded, ToolFailed, AfterShell, AfterMCP, AfterEdit:
		return []hookpoints.Name{hookpoints.PreToolOutput.Name}
	case Prompt, PromptExpanded:
		return []hookpoints.Name{hookpoints.PreMessage.Name}
	}
	if at := singlePoint(k); at != "" {
		return []hookpoints.Name{at}
	}
	return nil
}

// singlePoint returns the point of a kind that happens at one point only.
func singlePoint(k Kind) hookpoints.Name {
	switch k {
	case SessionEnd:
		return hookpoints.OnEnd.Name
	case SelectTools:
		return hookpoints.PreAPITools.Name
	case BeforeRequest:
		return hookpoints.PreAPIRequest.Name
	case AfterResponse:
		return hookpoints.PostTurn.Name
	case BeforeTool:
		return hookpoints.PreTool.Name
	case BeforeShell:
		return hookpoints.PreShellExec.Name
	case BeforeMCP:
		return hookpoints.PreMCPCall.Name
	case BeforeRead:
		return hookpoints.PreFileRead.Name
	case Stop:
		return hookpoints.PreStop.Name
	case AskPermission:
		return hookpoints.PrePermission.Name
	case AfterBatch:
		return hookpoints.PostToolBatch.Name
	case TurnFailed, TurnInterrupted:
		return hookpoints.OnTurnFailed.Name
	case AgentStart:
		return hookpoints.PreSpawnAgent.Name
	case AgentStop:
		return hookpoints.PostSpawnAgent.Name
	}
	return ""
}

// kinds are the kinds of moments at which an event fires.
func (e Event) kinds() []Kind { return append([]Kind{e.Kind}, e.Also...) }

// Points are the points at which it fires.
func (e Event) Points() (points []hookpoints.Name) {
	for _, k := range e.kinds() {
		for _, at := range PointsOf(k) {
			if !slices.Contains(points, at) {
				points = append(points, at)
			}
		}
	}
	return points
}

// MomentAt is MomentAt for all kinds of an event.
func (e Event) MomentAt(at hookpoints.Name, payload json.RawMessage, about Run) (m Moment, is bool) {
	for _, k := range e.kinds() {
		if !slices.Contains(PointsOf(k), at) {
			continue
		}
		if m, is = MomentAt(at, k, payload, about); is {
			return m, true
		}
	}
	return m, false
}

// known is a value of a moment that a point's payload has.
type known struct {
	value Value
	name  string // in the payload
}

// valuesAt lists the values in the payload of a point.
func valuesAt(at hookpoints.Name) []known {
	nesting := []known{{AgentID, "agent_id"}, {AgentType, "agent_type"}}
	call := []known{{ToolName, "tool_name"}, {ToolInput, "arguments"}, {CallID, "tool_call_id"},
		{ToolCategory, "category"}, {ToolSubject, "subject"}}
	switch at {
	case hookpoints.OnEnd.Name:
		return []known{{Reason, "reason"}}
	case hookpoints.PreMessage.Name:
		return append(nesting, known{PromptText, "prompt"}, known{Recipe, "recipe"})
	case hookpoints.PreAPIRequest.Name:
		return append(nesting, known{Request, "request_body"})
	case hookpoints.PreAPITools.Name:
		return append(nesting, known{Tools, "tools.#.name"})
	case hookpoints.PostTurn.Name:
		return append(nesting, known{Response, "response"}, known{Usage, "usage"})
	case hookpoints.PreTool.Name:
		return slices.Concat(nesting, call)
	case hookpoints.PrePermission.Name:
		return slices.Concat(nesting, call, []known{{Cwd, "cwd"}})
	case hookpoints.PreToolOutput.Name:
		return slices.Concat(nesting, call, []known{{ToolOutput, "output"}, {ToolExit, "exit_code"},
			{Duration, "duration_ms"}, {ToolStatus, "status"}})
	case hookpoints.PreShellExec.Name:
		return slices.Concat(nesting, call, []known{{Command, "command"}, {Cwd, "cwd"}})
	case hookpoints.PreMCPCall.Name:
		return slices.Concat(nesting, call, []known{{Server, "server"}, {ServerTool, "tool"}, {Cwd, "cwd"}})
	case hookpoints.PreFileRead.Name:
		return slices.Concat(nesting, call, []known{{Path, "path"}, {Cwd, "cwd"}})
	}
	return append(nesting, turnValues(at)...)
}

// turnValues is valuesAt for the points of turns, contexts and sub-agents.
func turnValues(at hookpoints.Name) []known {
	switch at {
	case hookpoints.PreStop.Name:
		return []known{{Response, "response"}, {FollowUps, "follow_ups"}, {Usage, "usage"}}
	case hookpoints.PostToolBatch.Name:
		return []known{{Calls, "calls"}}
	case hookpoints.OnTurnFailed.Name:
		return []known{{Failure, "error"}, {FailureKind, "status"}, {Response, "response"}}
	case hookpoints.PreCompact.Name, hookpoints.PreRollingCompact.Name:
		return []known{{Messages, "message_count"}}
	case hookpoints.PostCompact.Name, hookpoints.PostRollingCompact.Name:
		return []known{{Summary, "summary"}, {Messages, "message_count"}}
	case hookpoints.PreSpawnAgent.Name:
		return []known{{Task, "input"}, {Model, "model"}, {CallID, "tool_call_id"}}
	case hookpoints.PostSpawnAgent.Name:
		return []known{{Task, "input"}, {Model, "model"}, {CallID, "tool_call_id"}, {Response, "response"},
			{ToolStatus, "status"}, {Duration, "duration_ms"}}
	}
	return nil
}

// MomentAt returns the moment at a point, by the payload and the facts about the run. It also reports whether
// it is a moment of this kind: a call that failed is not a ToolSucceeded.
func MomentAt(at hookpoints.Name, k Kind, payload json.RawMessage, about Run) (m Moment, is bool) {
	m = Moment{Kind: k, Values: about.values()}
	for _, from := range valuesAt(at) {
		if value := gjson.GetBytes(payload, from.name); value.Exists() {
			m.Values[from.value] = json.RawMessage(value.Raw)
		}
	}
	m.add(at, payload)
	m.addCall()
	return m, m.is(k)
}

// addCall adds the command of a shell, or the server and its tool, that a call is about.
func (m Moment) addCall() {
	switch tools.Category(m.Text(ToolCategory)) {
	case tools.CategoryShell:
		if command := gjson.GetBytes(m.Values[ToolInput], gjson.Escape(m.Text(ToolSubject))); !m.Has(Command) {
			m.Set(Command, command.Str)
		}
	case tools.CategoryMCP:
		if server, tool := serverTool("mcp__%s__%s", m.Text(ToolName)); !m.Has(Server) {
			m.Set(Server, server)
			m.Set(ServerTool, tool)
		}
	}
}

// add adds the values that are not simply a member of the payload.
func (m Moment) add(at hookpoints.Name, payload json.RawMessage) {
	set := func(v Value, text string) { m.Values[v] = strictjson.Quote(text) }
	switch at {
	case hookpoints.PreToolOutput.Name:
		whole := m.Text(ToolOutput)
		set(ToolOutput, strings.TrimPrefix(whole, gjson.GetBytes(payload, "preface").Str))
		if m.Text(ToolStatus) != string(hookpoints.StatusRan) {
			set(ToolError, whole)
		}
	case hookpoints.PreStop.Name:
		m.Values[StopActive] = json.RawMessage("false")
		if gjson.GetBytes(payload, "follow_ups").Int() > 0 {
			m.Values[StopActive] = json.RawMessage("true")
		}
	case hookpoints.PreCompact.Name, hookpoints.PostCompact.Name:
		set(Trigger, "manual")
	case hookpoints.PreRollingCompact.Name, hookpoints.PostRollingCompact.Name:
		set(Trigger, "auto")
	}
}

// HasFailed reports whether the agent says at its stop that the turn failed, or that the person ended it.
func (m Moment) HasFailed() bool {
	kind := m.Text(FailureKind)
	return kind == string(hookpoints.TurnInterrupted) || kind == string(hookpoints.TurnError)
}

// is reports whether a moment with the values is of a kind.
func (m Moment) is(k Kind) bool {
	category := m.Text(ToolCategory)
	ran := m.Text(ToolStatus) == string(hookpoints.StatusRan)
	switch k {
	case PromptExpanded:
		return m.Has(Recipe)
	case TurnFailed:
		return m.Text(FailureKind) != string(hookpoints.TurnInterrupted)
	case TurnInterrupted:
		return m.Text(FailureKind) == string(hookpoints.TurnInterrupted)
	case ToolSucceeded:
		return ran
	case ToolFailed:
		return m.Text(ToolStatus) == string(hookpoints.StatusFailed)
	case AfterTool:
		return hookpoints.CallStatus(m.Text(ToolStatus)).DidRun()
	case AfterShell:
		return ran && category == "shell"
	case AfterMCP:
		return ran && category == "mcp"
	case AfterEdit:
		return ran && (category == "write" || category == "edit")
	}
	return true
}
