package hookpoints

import "encoding/json"

// ChatMessage is one message of a conversation in the payloads and answers of turn
// hooks.
type ChatMessage struct {
	// Role is "user", "assistant" or "tool".
	Role string `json:"role"`
	// Content is the text.
	Content string `json:"content"`
	// ToolCalls are the calls of an assistant's message.
	ToolCalls []ChatToolCall `json:"tool_calls,omitempty"`
	// ToolCallID identifies the call that a tool's message answers.
	ToolCallID string `json:"tool_call_id,omitempty"`
}

// ChatToolCall is a call in a message of the model.
type ChatToolCall struct {
	// ID is the model's identifier of the call.
	ID string `json:"id"`
	// Name is the tool's name.
	Name string `json:"name"`
	// Arguments are the arguments as the model wrote them: a string, normally JSON.
	Arguments string `json:"arguments"`
}

// Usage counts tokens.
type Usage struct {
	// InputTokens counts the tokens of the turn's requests.
	InputTokens int `json:"input_tokens"`
	// OutputTokens counts the tokens of the model's responses.
	OutputTokens int `json:"output_tokens"`
	// CurrentContextWindow is the size of the last request and its answer.
	CurrentContextWindow int `json:"current_context_window"`
	// MaxContextWindow is the model's limit: context_window_limit, never 0.
	MaxContextWindow int `json:"max_context_window"`
}

// PostTurnPayload is the payload of post_turn.
type PostTurnPayload struct {
	// ContextName is the name of the context.
	ContextName string `json:"context_name"`
	// TurnNumber counts the model's responses to this prompt, from 1.
	TurnNumber int `json:"turn_number"`
	// Response is the text of this response, "" if it only called tools.
	Response string `json:"response"`
	// ToolsUsed are the tools that this response calls, in order.
	ToolsUsed []string `json:"tools_used"`
	// Usage counts the tokens so far.
	Usage Usage `json:"usage"`
	// Messages is the conversation with this response.
	Messages []ChatMessage `json:"messages"`
	// RecursionDepth is the number of rounds that the tool recurse has requested.
	RecursionDepth int `json:"recursion_depth"`
	InRecipe
}

// PostTurnAnswer is the answer at post_turn.
type PostTurnAnswer struct {
	// Messages replaces the conversation so far; a response that calls tools, and its results, stay after it.
	Messages []ChatMessage `json:"messages,omitzero" merge:"replace"`
	// DropSummary removes the summary of earlier conversation, because messages has its content.
	DropSummary bool `json:"drop_summary,omitzero" merge:"with messages"`
	// Recipe is a recipe to run on the conversation when the tools have answered; its answer replaces the
	// conversation.
	Recipe string `json:"recipe,omitzero" merge:"first"`
	// RecipeArgs are the recipe's arguments.
	RecipeArgs map[string]string `json:"recipe_args,omitzero" merge:"with recipe"`
	// Halt ends the turn: the tools that the response calls do not run.
	Halt bool `json:"halt,omitzero" merge:"halt_last"`
	// Message tells the person why.
	Message string `json:"message,omitzero" merge:"with halt"`
	// Context is a text for the model, in a block with the plugin's name; chibi stores it with the conversation.
	Context string `json:"context,omitzero" merge:"texts"`
	// SystemMessage is a text for the person, never for the model.
	SystemMessage string `json:"system_message,omitzero" merge:"tell"`
	// Contexts are the contexts of all plugins. The host sets them; a plugin cannot.
	Contexts []Text `json:"-"`
	// Halted says which plugin ended the turn. The host sets it; a plugin cannot.
	Halted Halted `json:"-"`
}

// SetTexts takes the contexts of all plugins.
func (a *PostTurnAnswer) SetTexts(texts []Text) { a.Contexts = texts }

// SetHalted takes the plugin that ended the turn.
func (a *PostTurnAnswer) SetHalted(by Halted) { a.Halted = by }

// PostToolBatchPayload is the payload of post_tool_batch.
type PostToolBatchPayload struct {
	// ContextName is the name of the context.
	ContextName string `json:"context_name"`
	// Calls are the calls of the response, in the order of their results.
	Calls []FinishedCall `json:"calls"`
	Nesting
}

// PostToolBatchAnswer is the answer at post_tool_batch.
type PostToolBatchAnswer struct {
	// Halt ends the turn: chibi sends no further request.
	Halt bool `json:"halt,omitzero" merge:"halt"`
	// Message tells the person why.
	Message string `json:"message,omitzero" merge:"with halt"`
	// Context is a text for the model, in a block with the plugin's name; chibi stores it with the conversation.
	Context string `json:"context,omitzero" merge:"texts"`
	// SystemMessage is a text for the person, never for the model.
	SystemMessage string `json:"system_message,omitzero" merge:"tell"`
	// Contexts are the contexts of all plugins. The host sets them; a plugin cannot.
	Contexts []Text `json:"-"`
	// Halted says which plugin ended the turn. The host sets it; a plugin cannot.
	Halted Halted `json:"-"`
}

// SetTexts takes the contexts of all plugins.
func (a *PostToolBatchAnswer) SetTexts(texts []Text) { a.Contexts = texts }

// SetHalted takes the plugin that ended the turn.
func (a *PostToolBatchAnswer) SetHalted(by Halted) { a.Halted = by }

// FinishedCall is a call that has its result.
type FinishedCall struct {
	// ToolName is the tool's name.
	ToolName string `json:"tool_name"`
	// Arguments are the arguments of the call, as plugins have left them.
	Arguments json.RawMessage `json:"arguments"`
	// ToolCallID is the model's identifier of the call.
	ToolCallID string `json:"tool_call_id"`
	// Status is the outcome of the call, as at post_tool.
	Status CallStatus `json:"status"`
	// Output is the text that the model will see.
	Output string `json:"output"`
	// Category is the tool's kind: "shell" for one that runs commands, "read", "write", "edit", "search", "fetch",
	// "agent" or "mcp"; absent if it has none.
	Category string `json:"category,omitempty"`
	// Subject is the argument that the category is about, such as the command, the path or the URL; absent if the
	// call has no such argument.
	Subject string `json:"subject,omitempty"`
}

// PreStopPayload is the payload of pre_stop.
type PreStopPayload struct {
	// ContextName is the name of the context.
	ContextName string `json:"context_name"`
	// Response is the model's answer.
	Response string `json:"response"`
	// Usage counts the tokens of the turn.
	Usage Usage `json:"usage"`
	// Messages is the conversation with the answer.
	Messages []ChatMessage `json:"messages"`
	// FollowUps is how often pre_stop has continued this turn.
	FollowUps int `json:"follow_ups"`
	// RecursionDepth is the number of rounds that the tool recurse has requested.
	RecursionDepth int `json:"recursion_depth"`
	InRecipe
}

// PreStopAnswer is the answer at pre_stop.
type PreStopAnswer struct {
	// FollowUpMessages are further messages of the user, with which the turn continues.
	FollowUpMessages []string `json:"follow_up_messages,omitzero" merge:"append"`
	// FollowUpsBy are the plugins that wrote them, one for each. The host sets it; a
	// plugin cannot.
	FollowUpsBy []string `json:"-"`
	// Messages replaces the conversation.
	Messages []ChatMessage `json:"messages,omitzero" merge:"first"`
	// DropSummary removes the summary of earlier conversation, because messages has its content.
	DropSummary bool `json:"drop_summary,omitzero" merge:"with messages"`
	// Recipe is a recipe to run on the conversation; its answer replaces the conversation.
	Recipe string `json:"recipe,omitzero" merge:"first"`
	// RecipeArgs are the recipe's arguments.
	RecipeArgs map[string]string `json:"recipe_args,omitzero" merge:"with recipe"`
	// Halt ends the turn, whatever other plugins want.
	Halt bool `json:"halt,omitzero" merge:"halt"`
	// Message tells the person why.
	Message string `json:"message,omitzero" merge:"with halt"`
	// Context is a text for the model, in a block with the plugin's name; chibi stores it with the conversation.
	Context string `json:"context,omitzero" merge:"texts"`
	// SystemMessage is a text for the person, never for the model.
	SystemMessage string `json:"system_message,omitzero" merge:"tell"`
	// Contexts are the contexts of all plugins. The host sets them; a plugin cannot.
	Contexts []Text `json:"-"`
	// Halted says which plugin ended the turn. The host sets it; a plugin cannot.
	Halted Halted `json:"-"`
}

// SetAppendedBy takes the names of the plugins that wrote follow_up_messages, one
// for each message.
func (a *PreStopAnswer) SetAppendedBy(plugins []string) { a.FollowUpsBy = plugins }

// SetTexts takes the contexts of all plugins.
func (a *PreStopAnswer) SetTexts(texts []Text) { a.Contexts = texts }

// SetHalted takes the plugin that ended the turn.
func (a *PreStopAnswer) SetHalted(by Halted) { a.Halted = by }

// TurnStatus is how a turn without an answer ended.
type TurnStatus string

// The ways in which a turn ends without an answer.
const (
	TurnError       TurnStatus = "error"       // something failed
	TurnInterrupted TurnStatus = "interrupted" // the person ended it, or the program was ended
)

// FailureKind is the part that failed when a turn ended by an error.
type FailureKind string

// The kinds of failures.
const (
	FailureTooLong FailureKind = "too_long" // the request is longer than the model accepts
	FailureServer  FailureKind = "server"   // the request to the model's server failed
	FailureBound   FailureKind = "bound"    // a bound was reached, such as max_tool_rounds
	FailureOther   FailureKind = "other"    // anything else, such as the store
)

// OnTurnFailedPayload is the payload of on_turn_failed.
type OnTurnFailedPayload struct {
	// ContextName is the name of the context.
	ContextName string `json:"context_name"`
	// Status is "error"; or "interrupted" by Ctrl-C or a signal.
	Status TurnStatus `json:"status"`
	// Kind is "server" for a failed request, "too_long" for one that the model does not accept, "bound" for a
	// reached bound such as max_tool_rounds, or "other"; absent after an interruption.
	Kind FailureKind `json:"kind,omitempty"`
	// Error is the message of the error.
	Error string `json:"error"`
	// Response is the part of the model's last answer that arrived, "" if nothing did.
	Response string `json:"response"`
	Nesting
}
