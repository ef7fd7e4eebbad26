package engine

import (
	"slices"
	"strings"
)

// CarriedMCPName makes the name of an MCP server's tool in all agents in which chibi is a plugin in JavaScript
// (see the package carrier). It is chibi's own name for the tool.
const CarriedMCPName = "mcp__%s__%s"

// CarriedExits says what exit statuses mean in these agents.
func CarriedExits() []Exit { return []Exit{{Status: "0", JSON: JSONDecides, Then: EndsOK}} }

// CarriedAt is the event of a kind in such an agent. takes names the members of an answer that the agent
// carries out, with spaces between them. lost has sentences about the parts that it does not carry out.
func CarriedAt(kind Kind, takes string, lost ...string) Event {
	name, own := carriedAs(kind)
	return Event{Name: name, Kind: kind, Bridged: true, Rows: carriedRows(takes), Lost: lost,
		Fields: append([]Field{Holds("event", EventName), Holds("session", Session),
			Holds("cwd", Cwd), Optional("agent", AgentID)}, own...)}
}

// carriedAs returns the name of an event, and the members that only its payload has.
func carriedAs(kind Kind) (name string, own []Field) {
	call := []Field{Formed("tool", ToolName, AsTool),
		Formed("input", ToolInput, AsInput), Holds("id", CallID)}
	switch kind {
	case SessionStart:
		return "session_start", []Field{Holds("source", Source)}
	case SessionEnd:
		return "session_end", []Field{Holds("reason", Reason)}
	case Prompt:
		return "prompt", []Field{Holds("prompt", PromptText)}
	case BeforeTool:
		return "tool_call", call
	case AfterTool:
		return "tool_result", slices.Concat(call, []Field{Holds("output", ToolOutput),
			Holds("status", ToolStatus)})
	case BeforeRequest:
		return "request", []Field{Holds("request", Request)}
	case AfterResponse:
		return "response", []Field{Holds("response", Response)}
	case Stop:
		return "stop", []Field{Holds("response", Response)}
	case TurnFailed:
		return "turn_failed", []Field{Holds("error", Failure),
			Holds("kind", FailureKind), Holds("response", Response)}
	case BeforeCompact:
		return "compact", []Field{Holds("trigger", Trigger)}
	case AfterCompact:
		return "compacted", []Field{Holds("trigger", Trigger), Holds("summary", Summary)}
	}
	return "", nil
}

// carriedRows are the members of an answer that an agent carries out.
func carriedRows(takes string) (list []Row) {
	reason := Row{Path: "message", Set: SetReason}
	for _, member := range strings.Fields(takes) {
		switch member {
		case "block":
			list = append(list, Row{Path: member, Is: "true", Set: SetDecision, To: "deny"}, reason)
		case "halt":
			list = append(list, Row{Path: member, Is: "true", Set: SetHalt},
				Row{Path: "message", Set: SetHaltReason})
		default:
			set := map[string]Member{"input": SetInput, "output": SetOutput, "prompt": SetPrompt,
				"context": SetContext, "notice": SetSystemMessage, "request": SetRequest}
			list = append(list, Row{Path: member, Set: set[member]})
		}
	}
	return list
}
