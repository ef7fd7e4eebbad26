package hookpoints

// ChatMessage is one message of a conversation in the payloads and answers of turn
// hooks.
type ChatMessage struct {
	// Role is "user", "assistant" or "tool".
	Role string `json:"role"`
	// Content is the text.
	Content string `json:"content"`
	// ToolCalls are the tool calls of an assistant's message.
	ToolCalls []ChatToolCall `json:"tool_calls,omitempty"`
	// ToolCallID is the identifier of the call that a tool's message answers.
	ToolCallID string `json:"tool_call_id,omitempty"`
}

// ChatToolCall is a call in a message of the model.
type ChatToolCall struct {
	// ID is the model's identifier of this call.
	ID string `json:"id"`
	// Name is the tool's name.
	Name string `json:"name"`
	// Arguments are the arguments as the model wrote them: a string, normally JSON.
	Arguments string `json:"arguments"`
}

// Usage counts tokens.
type Usage struct {
	// InputTokens is the number of tokens of the turn's requests.
	InputTokens int `json:"input_tokens"`
	// OutputTokens is the number of tokens of the model's responses.
	OutputTokens int `json:"output_tokens"`
	// CurrentContextWindow is the size of the last request and its answer.
	CurrentContextWindow int `json:"current_context_window"`
	// MaxContextWindow is the model's limit: context_window_limit, never 0.
	MaxContextWindow int `json:"max_context_window"`
}

// PostTurnPayload is the payload of post_turn.
type PostTurnPayload struct {
	// ContextName names the context.
	ContextName string `json:"context_name"`
	// TurnNumber counts the model's responses to this prompt, from 1.
	TurnNumber int `json:"turn_number"`
	// Response is the text of this response, "" if it only called tools.
	Response string `json:"response"`
	// ToolsUsed names the tools that this response calls, in order.
	ToolsUsed []string `json:"tools_used"`
	// Usage counts the tokens so far.
	Usage Usage `json:"usage"`
	// Messages is the conversation with this response.
	Messages []ChatMessage `json:"messages"`
	// RecursionDepth counts the rounds that the recurse tool has requested, from 0.
	RecursionDepth int `json:"recursion_depth"`
	// Recipe names the recipe that is being run; absent if there is none.
	Recipe string `json:"recipe,omitempty"`
	Nesting
}

// PostTurnAnswer is the answer at post_turn.
type PostTurnAnswer struct {
	// Messages replaces the conversation so far. A response that calls tools and its
	// results are kept after them.
	Messages []ChatMessage `json:"messages,omitzero" merge:"replace"`
	// DropSummary removes the summary of earlier conversation, because messages contain
	// its content. Otherwise the summary is kept.
	DropSummary bool `json:"drop_summary,omitzero" merge:"with messages"`
	// Recipe names a recipe to run on the conversation after the tools that the response
	// calls have answered; its answer replaces the conversation.
	Recipe string `json:"recipe,omitzero" merge:"first"`
	// RecipeArgs are the recipe's arguments.
	RecipeArgs map[string]string `json:"recipe_args,omitzero" merge:"with recipe"`
}

// PreStopPayload is the payload of pre_stop.
type PreStopPayload struct {
	// ContextName names the context.
	ContextName string `json:"context_name"`
	// Response is the model's answer.
	Response string `json:"response"`
	// Usage counts the tokens of the turn.
	Usage Usage `json:"usage"`
	// Messages is the conversation with the answer.
	Messages []ChatMessage `json:"messages"`
	// FollowUps is how many times pre_stop has already continued this turn.
	FollowUps int `json:"follow_ups"`
	// RecursionDepth counts the rounds that the recurse tool has requested, from 0.
	RecursionDepth int `json:"recursion_depth"`
	// Recipe names the recipe that is being run; absent if there is none.
	Recipe string `json:"recipe,omitempty"`
	Nesting
}

// PreStopAnswer is the answer at pre_stop.
type PreStopAnswer struct {
	// FollowUpMessages are sent as further user messages; the turn continues.
	FollowUpMessages []string `json:"follow_up_messages,omitzero" merge:"append"`
	// FollowUpsBy are the plugins that wrote them, one for each. The host sets it; a
	// plugin cannot.
	FollowUpsBy []string `json:"-"`
	// Messages replaces the conversation.
	Messages []ChatMessage `json:"messages,omitzero" merge:"first"`
	// DropSummary removes the summary of earlier conversation, because messages contain
	// its content. Otherwise the summary is kept.
	DropSummary bool `json:"drop_summary,omitzero" merge:"with messages"`
	// Recipe names a recipe to run on the conversation; its answer replaces the
	// conversation.
	Recipe string `json:"recipe,omitzero" merge:"first"`
	// RecipeArgs are the recipe's arguments.
	RecipeArgs map[string]string `json:"recipe_args,omitzero" merge:"with recipe"`
}

// SetAppendedBy takes the names of the plugins that wrote follow_up_messages, one
// for each message.
func (a *PreStopAnswer) SetAppendedBy(plugins []string) { a.FollowUpsBy = plugins }
