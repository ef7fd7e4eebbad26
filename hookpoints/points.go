package hookpoints

import "slices"

// Session.
var (
	OnStart = Point[OnStartPayload, None]{
		Name: "on_start", Group: GroupSession, Mode: Observe,
		When: "a run starts, before it does anything else",
	}
	OnEnd = Point[OnEndPayload, None]{
		Name: "on_end", Group: GroupSession, Mode: Observe,
		When: "chibi ends, also after an error or Ctrl-C",
	}
)

// Messages.
var (
	PreMessage = Point[PreMessagePayload, PreMessageAnswer]{
		Name: "pre_message", Group: GroupMessage, Mode: Chain,
		When: "a prompt comes in, before chibi stores or sends it",
	}
	PostMessage = Point[PostMessagePayload, None]{
		Name: "post_message", Group: GroupMessage, Mode: Observe,
		When: "chibi has stored the model's final answer to a prompt",
	}
)

// System prompt.
var (
	PreSystemPrompt = Point[SystemPromptPayload, SystemPromptAnswer]{
		Name: "pre_system_prompt", Group: GroupSystem, Mode: Gather,
		When: "chibi is about to build the system prompt; injected text comes first in it",
	}
	PostSystemPrompt = Point[SystemPromptPayload, SystemPromptAnswer]{
		Name: "post_system_prompt", Group: GroupSystem, Mode: Gather,
		When: "chibi has built the system prompt; injected text comes last in it",
	}
)

// Requests to the model.
var (
	PreAPITools = Point[PreAPIToolsPayload, PreAPIToolsAnswer]{
		Name: "pre_api_tools", Group: GroupRequest, Mode: Gather,
		When: "chibi is about to offer tools, in each request of a conversation; requests for summaries offer none",
	}
	PreAPIRequest = Point[PreAPIRequestPayload, PreAPIRequestAnswer]{
		Name: "pre_api_request", Group: GroupRequest, Mode: Chain,
		When: "chibi is about to send a request to the model, also one for a summary",
	}
)

// Tools.
var (
	PreTool = Point[PreToolPayload, PreToolAnswer]{
		Name: "pre_tool", Group: GroupToolCall, Mode: Chain,
		When: "the model called a tool, before it runs",
	}
	PostTool = Point[PostToolPayload, None]{
		Name: "post_tool", Group: GroupToolCall, Mode: Observe,
		When: "a tool call is complete and stored",
	}
	PreToolOutput = Point[PreToolOutputPayload, PreToolOutputAnswer]{
		Name: "pre_tool_output", Group: GroupToolCall, Mode: Chain,
		When: "a tool has answered, before chibi caches or stores its output or shows it to the model",
	}
	PostToolOutput = Point[PostToolOutputPayload, None]{
		Name: "post_tool_output", Group: GroupToolCall, Mode: Observe,
		When: "chibi has processed a tool's output for the model",
	}
)

// Permissions.
var (
	PreFileRead = Point[PreFileReadPayload, PermissionAnswer]{
		Name: "pre_file_read", Group: GroupPermission, Mode: Gather,
		When: "a tool is about to read or search files, after pre_tool",
	}
	PreFileWrite = Point[PreFileWritePayload, PermissionAnswer]{
		Name: "pre_file_write", Group: GroupPermission, Mode: Gather,
		When: "a tool is about to write or edit a file, after pre_tool",
	}
	PreShellExec = Point[PreShellExecPayload, PermissionAnswer]{
		Name: "pre_shell_exec", Group: GroupPermission, Mode: Gather,
		When: "a tool is about to run a command line, after pre_tool",
	}
	PreFetchURL = Point[PreFetchURLPayload, PermissionAnswer]{
		Name: "pre_fetch_url", Group: GroupPermission, Mode: Gather,
		When: "a tool is about to fetch a URL, after pre_tool",
	}
	PreMCPCall = Point[PreMCPCallPayload, PermissionAnswer]{
		Name: "pre_mcp_call", Group: GroupPermission, Mode: Gather,
		When: "a tool of an MCP server is about to run, after pre_tool",
	}
	PrePermission = Point[PrePermissionPayload, PrePermissionAnswer]{
		Name: "pre_permission", Group: GroupPermission, Mode: Gather,
		When: "chibi is about to ask the person about a call, also if there is no terminal",
	}
)

// Large tool outputs.
var (
	PreCacheOutput = Point[PreCacheOutputPayload, PreCacheOutputAnswer]{
		Name: "pre_cache_output", Group: GroupCache, Mode: Gather,
		When: "a tool's output is too large to show, before chibi caches it",
	}
	PostCacheOutput = Point[PostCacheOutputPayload, None]{
		Name: "post_cache_output", Group: GroupCache, Mode: Observe,
		When: "chibi has cached a tool's output",
	}
)

// Messages between contexts.
var (
	PreSendMessage = Point[PreSendMessagePayload, PreSendMessageAnswer]{
		Name: "pre_send_message", Group: GroupDelivery, Mode: Claim,
		When: "a message to another context is about to leave",
	}
	PostSendMessage = Point[PostSendMessagePayload, None]{
		Name: "post_send_message", Group: GroupDelivery, Mode: Observe,
		When: "a message to another context has arrived",
	}
)

// Contexts.
var (
	OnContextSwitch = Point[OnContextSwitchPayload, None]{
		Name: "on_context_switch", Group: GroupContext, Mode: Observe,
		When: "the run switches to another context than the current one",
	}
	PreClear = Point[ContextPayload, None]{
		Name: "pre_clear", Group: GroupContext, Mode: Observe,
		When: "chibi is about to clear a context",
	}
	PostClear = Point[ContextPayload, None]{
		Name: "post_clear", Group: GroupContext, Mode: Observe,
		When: "chibi has cleared a context; the payload has its earlier size and summary",
	}
	PreCompact = Point[ContextPayload, CompactAnswer]{
		Name: "pre_compact", Group: GroupContext, Mode: Gather,
		When: "chibi is about to compact a whole context",
	}
	PostCompact = Point[ContextPayload, None]{
		Name: "post_compact", Group: GroupContext, Mode: Observe,
		When: "chibi has compacted a whole context",
	}
	PreRollingCompact = Point[PreRollingCompactPayload, CompactAnswer]{
		Name: "pre_rolling_compact", Group: GroupContext, Mode: Gather,
		When: "chibi is about to compact the oldest part of a context",
	}
	PostRollingCompact = Point[PostRollingCompactPayload, None]{
		Name: "post_rolling_compact", Group: GroupContext, Mode: Observe,
		When: "chibi has compacted the oldest part of a context",
	}
)

// Turns.
var (
	PostTurn = Point[PostTurnPayload, PostTurnAnswer]{
		Name: "post_turn", Group: GroupTurn, Mode: Chain,
		When: "the model has responded once, before the tools that it called run",
	}
	PostToolBatch = Point[PostToolBatchPayload, PostToolBatchAnswer]{
		Name: "post_tool_batch", Group: GroupTurn, Mode: Gather,
		When: "all calls of a response have their results, before the next request",
	}
	PreStop = Point[PreStopPayload, PreStopAnswer]{
		Name: "pre_stop", Group: GroupTurn, Mode: Gather,
		When: "the model has answered without calling a tool and the turn is about to end",
	}
	OnTurnFailed = Point[OnTurnFailedPayload, None]{
		Name: "on_turn_failed", Group: GroupTurn, Mode: Observe,
		When: "a turn has ended by an error or an interruption",
	}
)

// Sub-agents.
var (
	PreSpawnAgent = Point[PreSpawnAgentPayload, PreSpawnAgentAnswer]{
		Name: "pre_spawn_agent", Group: GroupAgent, Mode: Chain,
		When: "the model asked for a sub-agent, after pre_tool and the permission, before the sub-agent starts",
	}
	PostSpawnAgent = Point[PostSpawnAgentPayload, None]{
		Name: "post_spawn_agent", Group: GroupAgent, Mode: Observe,
		When: "a sub-agent has ended, or a plugin answered in its place or blocked it",
	}
)

// points lists every point in the order of the documentation.
func points() []AnyPoint {
	return []AnyPoint{
		&OnStart, &OnEnd,
		&PreMessage, &PostMessage,
		&PreSystemPrompt, &PostSystemPrompt,
		&PreAPITools, &PreAPIRequest,
		&PreTool, &PostTool, &PreToolOutput, &PostToolOutput,
		&PreFileRead, &PreFileWrite, &PreShellExec, &PreFetchURL, &PreMCPCall, &PrePermission,
		&PreCacheOutput, &PostCacheOutput,
		&PreSendMessage, &PostSendMessage,
		&OnContextSwitch, &PreClear, &PostClear,
		&PreCompact, &PostCompact, &PreRollingCompact, &PostRollingCompact,
		&PostTurn, &PostToolBatch, &PreStop, &OnTurnFailed,
		&PreSpawnAgent, &PostSpawnAgent,
	}
}

// AnyPoint is a [Point] of any payload and answer. In Go, only an interface can express that.
type AnyPoint interface {
	// Info describes the point.
	Info() Info
	name() Name
}

// All describes every point in the order of the documentation.
func All() (list []Info) {
	for _, point := range points() {
		list = append(list, point.Info())
	}
	return list
}

// Names lists the names of all points, in the order of the documentation.
func Names() (names []string) {
	for _, point := range points() {
		names = append(names, string(point.name()))
	}
	return names
}

// Exists reports whether a point of chibi's has the name. Unlike Find it examines no types:
// it is called for every hook of every plugin at every start.
func Exists(name Name) bool {
	return slices.ContainsFunc(points(), func(p AnyPoint) bool { return p.name() == name })
}

// AsksPermission reports whether a point of chibi's is a permission point. It examines no
// types either.
func AsksPermission(name Name) bool {
	list := []Name{PreFileRead.Name, PreFileWrite.Name, PreShellExec.Name, PreFetchURL.Name, PreMCPCall.Name,
		PrePermission.Name}
	return slices.Contains(list, name)
}

// Find describes the point of chibi's that has the name. Unlike All it examines the types
// of no other point.
func Find(name Name) (Info, bool) {
	for _, point := range points() {
		if point.name() == name {
			return point.Info(), true
		}
	}
	return Info{}, false
}
