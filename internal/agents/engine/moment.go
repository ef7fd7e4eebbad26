package engine

import (
	"encoding/json"
	"maps"

	"github.com/chibi-host/chibi/internal/strictjson"
	"github.com/tidwall/gjson"
)

// Kind is what happens, whatever an agent calls it.
type Kind string

// The kinds of moments. The comment says where chibi fires them.
const (
	SessionStart    Kind = "session start"    // the first pre_message of a run, and pre_system_prompt
	SessionEnd      Kind = "session end"      // on_end
	Prompt          Kind = "prompt"           // pre_message
	PromptExpanded  Kind = "recipe by name"   // pre_message of a prompt that runs a recipe
	SelectTools     Kind = "tool selection"   // pre_api_tools
	BeforeRequest   Kind = "before a request" // pre_api_request
	AfterResponse   Kind = "after a response" // post_turn
	BeforeTool      Kind = "before a tool"    // pre_tool
	AskPermission   Kind = "permission asked" // pre_permission
	BeforeShell     Kind = "before a command" // pre_shell_exec
	BeforeMCP       Kind = "before MCP"       // pre_mcp_call
	BeforeRead      Kind = "before a read"    // pre_file_read
	AfterTool       Kind = "after a tool"     // pre_tool_output, whether it succeeded or failed
	ToolSucceeded   Kind = "tool succeeded"   // pre_tool_output with status ran
	ToolFailed      Kind = "tool failed"      // pre_tool_output with status failed
	AfterShell      Kind = "after a command"  // pre_tool_output of a tool of category shell
	AfterMCP        Kind = "after MCP"        // pre_tool_output of a tool of an MCP server
	AfterEdit       Kind = "after an edit"    // pre_tool_output of a tool of category write or edit
	AfterBatch      Kind = "after all tools"  // post_tool_batch
	Stop            Kind = "stop"             // pre_stop
	TurnFailed      Kind = "turn failed"      // on_turn_failed with status error
	TurnInterrupted Kind = "turn interrupted" // on_turn_failed with status interrupted
	BeforeCompact   Kind = "before compact"   // pre_compact and pre_rolling_compact
	AfterCompact    Kind = "after compact"    // post_compact and post_rolling_compact
	AgentStart      Kind = "sub-agent start"  // pre_spawn_agent
	AgentStop       Kind = "sub-agent stop"   // post_spawn_agent
	Never           Kind = "never"            // chibi has no such moment
)

// Value names a value of a Moment. Values are JSON; the comment has the type.
type Value string

// The values of moments. Tools have chibi's names; tables translate them.
const (
	Session        Value = "session"         // string: UUID of the conversation
	PromptID       Value = "prompt_id"       // string: UUID of the prompt
	CallID         Value = "call_id"         // string: the model's id of a tool call
	Transcript     Value = "transcript"      // string: path of the transcript view, or null
	Cwd            Value = "cwd"             // string: the person's working directory
	Home           Value = "home"            // string: the person's home directory
	Project        Value = "project"         // string: where the session began
	EventName      Value = "event"           // string: the agent's name of the event; the engine knows it
	EnvFile        Value = "env_file"        // string: a file in which hooks leave variables
	Mode           Value = "mode"            // string: "run" or "chat"
	Time           Value = "time"            // string: RFC 3339 with milliseconds, UTC
	Model          Value = "model"           // string
	Effort         Value = "effort"          // string: of reasoning; absent if it is not set
	PermissionMode Value = "permission_mode" // string: "default" or "trusted"
	AgentID        Value = "agent_id"        // string, in a sub-agent
	AgentType      Value = "agent_type"      // string, in a sub-agent
	Source         Value = "source"          // string: "startup", "resume", "clear" or "compact"
	Reason         Value = "reason"          // string: why the session ends: other, clear, exit, error, interrupt
	Trigger        Value = "trigger"         // string: "manual" or "auto"
	Instructions   Value = "instructions"    // string: the person's wishes for a compaction
	Summary        Value = "summary"         // string: of a compaction
	PromptText     Value = "prompt"          // string
	Recipe         Value = "recipe"          // string: the recipe that a prompt runs
	ToolName       Value = "tool_name"       // string
	ToolInput      Value = "tool_input"      // object: the arguments
	ToolCategory   Value = "tool_category"   // string: of hookpoints.PreToolPayload
	ToolSubject    Value = "tool_subject"    // string: of hookpoints.PreToolPayload
	ToolOutput     Value = "tool_output"     // string: the tool's answer
	ToolError      Value = "tool_error"      // string: how it failed
	ToolExit       Value = "tool_exit"       // number: its exit status
	ToolStatus     Value = "tool_status"     // string: "ran" or "failed"
	Duration       Value = "duration"        // number: milliseconds
	Calls          Value = "calls"           // list: of hookpoints.PostToolBatchPayload
	Command        Value = "command"         // string: a command line
	Server         Value = "server"          // string: an MCP server
	ServerTool     Value = "server_tool"     // string: the tool by the server's name for it
	Path           Value = "path"            // string: a file, absolute
	FileContent    Value = "file_content"    // string: of the file that the tool is about to read, at most 1 MiB
	Response       Value = "response"        // string: the model's last text
	StopActive     Value = "stop_active"     // bool: a hook has continued this turn before
	FollowUps      Value = "follow_ups"      // number: how often
	Failure        Value = "failure"         // string: why a turn failed
	FailureKind    Value = "failure_kind"    // string: "error" or "interrupted"
	Task           Value = "task"            // string: of a sub-agent
	Request        Value = "request"         // object: the body of the request to the model
	Tools          Value = "tools"           // list of strings: the tools that would be offered
	Usage          Value = "usage"           // object: hookpoints.Usage
	Messages       Value = "messages"        // number: of the conversation
	AgentVersion   Value = "agent_version"   // string: the version that the agent gives its hooks
	ParentAgent    Value = "parent_agent"    // string, in a sub-agent: the agent that started it
	HookDir        Value = "hook_dir"        // string: the folder of the settings file that has the hook
	PlansDir       Value = "plans_dir"       // string: a folder for plans of the conversation
	Question       Value = "question"        // string: the question for the person
	Notice         Value = "notice"          // string: the kind of a notice, in the agent's word
)

// Moment is what happens, in no agent's words. The zero value is not a moment.
type Moment struct {
	// Kind is what happens.
	Kind Kind
	// Values is what chibi knows about it. A missing value is not known.
	Values map[Value]json.RawMessage
	// Extra are the members of an agent's payload that its table does not know, or whose value a moment does
	// not have, by their names there; nil in chibi.
	Extra map[string]json.RawMessage
	// There is the tool call in the agent's words; the zero value in chibi.
	There Call
	// More are further moments of the same call: one for each file of a patch after the first, or for each further
	// address that the tool fetches.
	More []Moment
	// Odd has a sentence for each member of an agent's payload that plugins decide by and whose shape differs
	// from the table's. The moment's value is then the text in the member.
	Odd []string
}

// Call is a tool call in an agent's words: the tool's name, its arguments and, after it, the
// result in the agent's shape.
type Call struct {
	Tool          string
	Input, Result json.RawMessage
}

// copied returns a moment with values of its own.
func (m Moment) copied() Moment {
	values := map[Value]json.RawMessage{}
	maps.Copy(values, m.Values)
	m.Values = values
	return m
}

// part returns a moment for a part of the call that m is about: m for the first, one more for the next.
func (m *Moment) part(i int) Moment {
	if i == 0 {
		return *m
	}
	more := Moment{Kind: m.Kind, Values: maps.Clone(m.Values), Extra: m.Extra, There: m.There}
	m.More = append(m.More, more)
	return more
}

// Text returns a value that is a string, "" for others.
func (m Moment) Text(v Value) string {
	if value := gjson.ParseBytes(m.Values[v]); value.Type == gjson.String {
		return value.Str
	}
	return ""
}

// Has reports whether a value is known and not null.
func (m Moment) Has(v Value) bool {
	return len(m.Values[v]) > 0 && string(m.Values[v]) != "null"
}

// Number returns a value that is a number, 0 for others.
func (m Moment) Number(v Value) int64 { return gjson.ParseBytes(m.Values[v]).Int() }

// Set notes a string, unless it is empty.
func (m Moment) Set(v Value, text string) {
	if text != "" {
		m.Values[v] = strictjson.Quote(text)
	}
}
