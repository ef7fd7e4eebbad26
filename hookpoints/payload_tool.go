package hookpoints

import (
	"encoding/json"
	"fmt"
)

// PreToolPayload is the payload of pre_tool.
type PreToolPayload struct {
	// ToolName is the tool's name.
	ToolName string `json:"tool_name"`
	// Arguments are the arguments of the call, as plugins have left them.
	Arguments json.RawMessage `json:"arguments"`
	// ToolCallID is the model's identifier of the call.
	ToolCallID string `json:"tool_call_id,omitempty"`
	// Category is the tool's kind: "shell" for one that runs commands, "read", "write", "edit", "search", "fetch",
	// "agent" or "mcp"; absent if it has none.
	Category string `json:"category,omitempty"`
	// Subject is the argument that the category is about, such as the command, the path or the URL; absent if the
	// call has no such argument.
	Subject string `json:"subject,omitempty"`
	InRecipe
}

// PreToolAnswer is the answer at pre_tool.
type PreToolAnswer struct {
	// Arguments replaces all arguments.
	Arguments json.RawMessage `json:"arguments,omitzero" merge:"replace"`
	// Block prevents the call.
	Block bool `json:"block,omitzero" merge:"block"`
	// Decision is "deny", which blocks the call; "ask", so that chibi asks the person in spite of rules and
	// --trust-tools; or "allow", as at the permission points, unless a later plugin changes the arguments.
	Decision Decision `json:"decision,omitzero" merge:"strictest"`
	// Reason tells the model why, if the call is refused, and the person whom chibi asks.
	Reason string `json:"reason,omitzero" merge:"with decision"`
	// Halt prevents the call and ends the turn.
	Halt bool `json:"halt,omitzero" merge:"halt"`
	// Message goes to the model in place of a result, and the plugin's name after it; with halt, to the person too.
	Message string `json:"message,omitzero" merge:"with block halt"`
	// Context is a text for the model, in a block with the plugin's name; chibi stores it with the conversation.
	Context string `json:"context,omitzero" merge:"texts"`
	// SystemMessage is a text for the person, never for the model.
	SystemMessage string `json:"system_message,omitzero" merge:"tell"`
	// Contexts are the contexts of all plugins. The host sets them; a plugin cannot.
	Contexts []Text `json:"-"`
	// Halted says which plugin ended the turn. The host sets it; a plugin cannot.
	Halted Halted `json:"-"`
	// DecidedBy is the plugin whose decision it is. The host sets it; a plugin cannot.
	DecidedBy string `json:"-"`
	// BlockedBy is the plugin that blocked. The host sets it; a plugin cannot.
	BlockedBy string `json:"-"`
}

// SetBlockedBy takes the name of the plugin that blocked.
func (v *PreToolAnswer) SetBlockedBy(plugin string) { v.BlockedBy = plugin }

// SetDecidedBy takes the name of the plugin whose decision it is.
func (v *PreToolAnswer) SetDecidedBy(plugin string) { v.DecidedBy = plugin }

// SetTexts takes the contexts of all plugins.
func (v *PreToolAnswer) SetTexts(texts []Text) { v.Contexts = texts }

// SetHalted takes the plugin that ended the turn.
func (v *PreToolAnswer) SetHalted(by Halted) { v.Halted = by }

// CallStatus is the outcome of a call.
type CallStatus string

// The outcomes of a call.
const (
	StatusRan     CallStatus = "ran"     // the tool ran and succeeded
	StatusFailed  CallStatus = "failed"  // it ran and failed
	StatusBlocked CallStatus = "blocked" // a plugin blocked it: it did not run
	StatusDenied  CallStatus = "denied"  // it was not allowed or not valid: it did not run
)

// BlockedNote returns the text that the model sees after the reason of a plugin that
// blocked a call.
func BlockedNote(plugin string) string { return fmt.Sprintf("\n(blocked by plugin %q)", plugin) }

// DidRun reports whether the tool ran.
func (s CallStatus) DidRun() bool { return s == StatusRan || s == StatusFailed }

// Outcome is how a call ended.
type Outcome struct {
	// Status is "ran"; "failed", after it ran; "blocked" by a plugin, or "denied" for another reason: then it did not
	// run.
	Status CallStatus `json:"status"`
	// BlockedBy is the plugin that blocked the call; absent if none did.
	BlockedBy string `json:"blocked_by,omitempty"`
}

// Extent says how much of an output the payload has.
type Extent struct {
	// Truncated is true if the payload has only the beginning, because the output is too large.
	Truncated bool `json:"truncated,omitempty"`
	// OutputPath is a file with the whole output, if it is truncated.
	OutputPath string `json:"output_path,omitempty"`
}

// PostToolPayload is the payload of post_tool.
type PostToolPayload struct {
	// ToolName is the tool's name.
	ToolName string `json:"tool_name"`
	// Arguments are the arguments of the call, as plugins have left them.
	Arguments json.RawMessage `json:"arguments"`
	// Result is the output after pre_tool_output.
	Result string `json:"result"`
	Extent
	// Cached is true if chibi cached the output because of its size.
	Cached bool `json:"cached"`
	Outcome
	// ToolCallID is the model's identifier of the call.
	ToolCallID string `json:"tool_call_id,omitempty"`
	Nesting
}

// PreToolOutputPayload is the payload of pre_tool_output.
type PreToolOutputPayload struct {
	// ToolName is the tool's name.
	ToolName string `json:"tool_name"`
	// Arguments are the arguments of the call, as plugins have left them.
	Arguments json.RawMessage `json:"arguments"`
	// Output is the output of the tool, or the text that replaces it for the model.
	Output string `json:"output"`
	Extent
	Outcome
	// Preface is the beginning of the output, if chibi wrote it, and not the tool: how the tool failed.
	Preface string `json:"preface,omitempty"`
	// ToolCallID is the model's identifier of the call.
	ToolCallID string `json:"tool_call_id,omitempty"`
	// Category is the tool's kind: "shell" for one that runs commands, "read", "write", "edit", "search", "fetch",
	// "agent" or "mcp"; absent if it has none.
	Category string `json:"category,omitempty"`
	// Subject is the argument that the category is about, such as the command, the path or the URL; absent if the
	// call has no such argument.
	Subject string `json:"subject,omitempty"`
	// ExitCode is 0 for a tool that succeeded, otherwise the exit status of its process, or 1.
	ExitCode int `json:"exit_code"`
	// DurationMS is how long the tool ran, in milliseconds.
	DurationMS int64 `json:"duration_ms"`
	InRecipe
}

// PreToolOutputAnswer is the answer at pre_tool_output.
type PreToolOutputAnswer struct {
	// Output replaces the output.
	Output *string `json:"output,omitzero" merge:"replace"`
	// Block withholds the output; the model reads the message in its place.
	Block bool `json:"block,omitzero" merge:"block"`
	// Halt ends the turn when this response has its results.
	Halt bool `json:"halt,omitzero" merge:"halt_last"`
	// Message goes to the model in place of the output; with halt alone, to the person.
	Message string `json:"message,omitzero" merge:"with block halt"`
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
func (a *PreToolOutputAnswer) SetTexts(texts []Text) { a.Contexts = texts }

// SetHalted takes the plugin that ended the turn.
func (a *PreToolOutputAnswer) SetHalted(by Halted) { a.Halted = by }

// PostToolOutputPayload is the payload of post_tool_output.
type PostToolOutputPayload struct {
	// ToolName is the tool's name.
	ToolName string `json:"tool_name"`
	// Arguments are the arguments of the call, as plugins have left them.
	Arguments json.RawMessage `json:"arguments"`
	// Output is the output after pre_tool_output.
	Output string `json:"output"`
	Extent
	// FinalOutput is the text that the model will see.
	FinalOutput string `json:"final_output"`
	// Cached is true if chibi cached the output because of its size.
	Cached bool `json:"cached"`
	Outcome
	// ToolCallID is the model's identifier of the call.
	ToolCallID string `json:"tool_call_id,omitempty"`
	Nesting
}

// PreCacheOutputPayload is the payload of pre_cache_output.
type PreCacheOutputPayload struct {
	// ToolName is the tool's name.
	ToolName string `json:"tool_name"`
	// Arguments are the arguments of the call, as plugins have left them.
	Arguments json.RawMessage `json:"arguments"`
	// Content is the whole output.
	Content string `json:"content"`
	// Truncated is true if the payload has only the beginning, because the output is too large.
	Truncated bool `json:"truncated,omitempty"`
	// ContentPath is a file with the whole output.
	ContentPath string `json:"content_path,omitempty"`
	// CharCount is its number of characters.
	CharCount int `json:"char_count"`
	// LineCount is its number of lines.
	LineCount int `json:"line_count"`
	Nesting
}

// PreCacheOutputAnswer is the answer at pre_cache_output.
type PreCacheOutputAnswer struct {
	// Summary is the text that the model sees in place of the preview.
	Summary string `json:"summary,omitzero" merge:"first"`
	// SystemMessage is a text for the person, never for the model.
	SystemMessage string `json:"system_message,omitzero" merge:"tell"`
}

// PostCacheOutputPayload is the payload of post_cache_output.
type PostCacheOutputPayload struct {
	// ToolName is the tool's name.
	ToolName string `json:"tool_name"`
	// CacheID identifies the output for the file tools.
	CacheID string `json:"cache_id"`
	// CharCount is its number of characters.
	CharCount int `json:"char_count"`
	// TokenEstimate is an estimate of its number of tokens.
	TokenEstimate int `json:"token_estimate"`
	// LineCount is its number of lines.
	LineCount int `json:"line_count"`
	Nesting
}
