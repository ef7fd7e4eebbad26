package hookpoints

// Nesting says in which nested turn something happens. All of it is absent in the
// conversation itself.
type Nesting struct {
	// Nested is true inside a sub-agent, and in a recipe that a hook runs outside the conversation.
	Nested bool `json:"nested,omitempty"`
	// AgentID identifies the sub-agent in this run; absent outside of a sub-agent.
	AgentID string `json:"agent_id,omitempty"`
	// AgentType is the recipe that defines the sub-agent, "general", or "summarize_content"; absent outside of a
	// sub-agent.
	AgentType string `json:"agent_type,omitempty"`
}

// Spawned says which sub-agent the payload is about, and which call starts it.
type Spawned struct {
	// Context is the context that keeps the sub-agent's conversation; absent if none does.
	Context string `json:"context,omitempty"`
	// Depth is 1 for a sub-agent of the conversation, 2 for its sub-agents.
	Depth int `json:"depth"`
	// AgentID identifies the sub-agent in this run.
	AgentID string `json:"agent_id"`
	// AgentType is the recipe that defines the sub-agent, "general", or "summarize_content".
	AgentType string `json:"agent_type"`
	// ParentID identifies the sub-agent that starts this one; absent if the conversation does.
	ParentID string `json:"parent_agent_id,omitempty"`
	// ToolName is the tool that starts it.
	ToolName string `json:"tool_name"`
	// ToolCallID is the model's identifier of the call.
	ToolCallID string `json:"tool_call_id,omitempty"`
	// ContextName is the name of the context.
	ContextName string `json:"context_name"`
}

// PreSpawnAgentPayload is the payload of pre_spawn_agent.
type PreSpawnAgentPayload struct {
	// SystemPrompt is the sub-agent's system prompt, before other hooks and the project's instructions add text.
	SystemPrompt string `json:"system_prompt"`
	// Input is its task.
	Input string `json:"input"`
	// Model is its model.
	Model string `json:"model"`
	// Temperature is the temperature of its requests; absent if the call sets none.
	Temperature *float64 `json:"temperature,omitempty"`
	// MaxTokens bounds each of its responses; absent if the call sets no bound.
	MaxTokens *int `json:"max_tokens,omitempty"`
	// Tools are the tools that it can have at most.
	Tools []string `json:"tools"`
	Spawned
}

// PreSpawnAgentAnswer is the answer at pre_spawn_agent.
type PreSpawnAgentAnswer struct {
	// SystemPrompt replaces the system prompt.
	SystemPrompt *string `json:"system_prompt,omitzero" merge:"replace"`
	// Input replaces the task.
	Input *string `json:"input,omitzero" merge:"replace"`
	// Model replaces the model.
	Model *string `json:"model,omitzero" merge:"replace"`
	// Response is the result; chibi starts no sub-agent.
	Response string `json:"response,omitzero" merge:"first"`
	// Block prevents the start of the sub-agent.
	Block bool `json:"block,omitzero" merge:"block"`
	// Message is the result after a block; the plugin's name follows it.
	Message string `json:"message,omitzero" merge:"with block"`
	// SystemMessage is a text for the person, never for the model.
	SystemMessage string `json:"system_message,omitzero" merge:"tell"`
	// BlockedBy is the plugin that blocked. The host sets it; a plugin cannot.
	BlockedBy string `json:"-"`
	// AnsweredBy is the plugin whose response is used. The host sets it; a plugin cannot.
	AnsweredBy string `json:"-"`
}

// SetBlockedBy takes the name of the plugin that blocked.
func (a *PreSpawnAgentAnswer) SetBlockedBy(plugin string) { a.BlockedBy = plugin }

// SetFirstBy takes the names of the plugins whose values are used, by field.
func (a *PreSpawnAgentAnswer) SetFirstBy(plugins map[string]string) {
	a.AnsweredBy = plugins["response"]
}

// SpawnStatus is how a sub-agent ended.
type SpawnStatus string

// The ways in which a sub-agent ends.
const (
	SpawnRan      SpawnStatus = "ran"      // it gave a result
	SpawnFailed   SpawnStatus = "failed"   // it gave none, or only a part of one
	SpawnAnswered SpawnStatus = "answered" // a plugin gave the result; it was not started
	SpawnBlocked  SpawnStatus = "blocked"  // a plugin blocked it; it was not started
)

// PostSpawnAgentPayload is the payload of post_spawn_agent.
type PostSpawnAgentPayload struct {
	// SystemPrompt is the sub-agent's system prompt, as pre_spawn_agent left it.
	SystemPrompt string `json:"system_prompt"`
	// Input is its task, as pre_spawn_agent left it.
	Input string `json:"input"`
	// Model is its model.
	Model string `json:"model"`
	// Response is the result, or the partial result of a sub-agent that failed.
	Response string `json:"response"`
	// Status is "ran"; "failed" without a result, or with a part of one; "answered" or "blocked" by a plugin,
	// without a start.
	Status SpawnStatus `json:"status"`
	// Reason is the reason of a failure or a block; absent otherwise.
	Reason string `json:"reason,omitempty"`
	// BlockedBy is the plugin that blocked it; absent if none did.
	BlockedBy string `json:"blocked_by,omitempty"`
	// Usage counts its tokens.
	Usage Usage `json:"usage"`
	// Responses is how often the model responded in it.
	Responses int `json:"responses"`
	// DurationMS is its duration in milliseconds.
	DurationMS int64 `json:"duration_ms"`
	Spawned
}
