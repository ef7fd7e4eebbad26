package hookpoints

import (
	"encoding/json"
	"fmt"
)

// PreToolPayload is the payload of pre_tool.
type PreToolPayload struct {
	// ToolName is the tool that the model called.
	ToolName string `json:"tool_name"`
	// Arguments are the call's arguments.
	Arguments json.RawMessage `json:"arguments"`
	// ToolCallID is the model's identifier of this call.
	ToolCallID string `json:"tool_call_id,omitempty"`
	// Category is the kind of thing that the tool does: "shell" for one that runs commands,
	// "read", "write", "edit", "search", "fetch", "agent" or "mcp"; absent if it does not say.
	Category string `json:"category,omitempty"`
	// Subject names the argument that the category is about: the command, the path, the
	// URL. Absent if there is none.
	Subject string `json:"subject,omitempty"`
	InRecipe
}

// PreToolAnswer is the answer at pre_tool.
type PreToolAnswer struct {
	// Arguments replaces all arguments.
	Arguments json.RawMessage `json:"arguments,omitzero" merge:"replace"`
	// Block prevents the tool from running.
	Block bool `json:"block,omitzero" merge:"block"`
	// Decision is "deny", which blocks the call; "ask", so that the person is asked even if a
	// rule or --trust-tools would allow it; or "allow", as at the permission points. "allow"
	// does not count if a later plugin changes the arguments.
	Decision Decision `json:"decision,omitzero" merge:"strictest"`
	// Reason is shown to the model if the call is refused, and to the person who is asked.
	Reason string `json:"reason,omitzero" merge:"with decision"`
	// Halt prevents the tool from running and ends the turn.
	Halt bool `json:"halt,omitzero" merge:"halt"`
	// Message is shown to the model instead of a result, followed by the plugin's
	// name; with halt, to the person too.
	Message string `json:"message,omitzero" merge:"with block halt"`
	// Context is a text for the model beside the result of the call, in a block with the plugin's name. It is
	// stored with the conversation.
	Context string `json:"context,omitzero" merge:"texts"`
	// SystemMessage is shown to the person, never to the model.
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
	// Status is "ran"; "failed" if the tool ran and failed; "blocked" if a plugin
	// blocked the call; "denied" if it was refused otherwise. In the last two cases the
	// tool did not run.
	Status CallStatus `json:"status"`
	// BlockedBy names the plugin that blocked the call; absent if none did.
	BlockedBy string `json:"blocked_by,omitempty"`
}

// Extent says how much of an output the payload has.
type Extent struct {
	// Truncated is true if this is only the beginning of an output that is too large
	// for a payload.
	Truncated bool `json:"truncated,omitempty"`
	// OutputPath is the path of a file with the whole output, if it is truncated.
	OutputPath string `json:"output_path,omitempty"`
}

// PostToolPayload is the payload of post_tool.
type PostToolPayload struct {
	// ToolName is the tool that was called.
	ToolName string `json:"tool_name"`
	// Arguments are the arguments that the tool ran with.
	Arguments json.RawMessage `json:"arguments"`
	// Result is the tool's output after pre_tool_output.
	Result string `json:"result"`
	Extent
	// Cached is true when the output was cached because of its size.
	Cached bool `json:"cached"`
	Outcome
	// ToolCallID is the model's identifier of this call.
	ToolCallID string `json:"tool_call_id,omitempty"`
	Nesting
}

// PreToolOutputPayload is the payload of pre_tool_output.
type PreToolOutputPayload struct {
	// ToolName is the tool that was called.
	ToolName string `json:"tool_name"`
	// Arguments are the arguments that the tool ran with.
	Arguments json.RawMessage `json:"arguments"`
	// Output is the output of the tool, or the text that replaces it for the model.
	Output string `json:"output"`
	Extent
	Outcome
	// Preface is the beginning of the output that is not from the tool itself: how the
	// tool failed. Absent if there is none.
	Preface string `json:"preface,omitempty"`
	// ToolCallID is the model's identifier of this call.
	ToolCallID string `json:"tool_call_id,omitempty"`
	// Category is the kind of thing that the tool does: "shell" for one that runs commands,
	// "read", "write", "edit", "search", "fetch", "agent" or "mcp"; absent if it does not say.
	Category string `json:"category,omitempty"`
	// Subject names the argument that the category is about: the command, the path, the
	// URL. Absent if there is none.
	Subject string `json:"subject,omitempty"`
	// ExitCode is 0 for a tool that succeeded, otherwise the exit status of its process,
	// or 1 if there is none.
	ExitCode int `json:"exit_code"`
	// DurationMS is how long the tool ran, in milliseconds.
	DurationMS int64 `json:"duration_ms"`
	InRecipe
}

// PreToolOutputAnswer is the answer at pre_tool_output.
type PreToolOutputAnswer struct {
	// Output replaces the output.
	Output *string `json:"output,omitzero" merge:"replace"`
	// Block withholds the output; the message is shown instead.
	Block bool `json:"block,omitzero" merge:"block"`
	// Halt ends the turn when this response has its results.
	Halt bool `json:"halt,omitzero" merge:"halt_last"`
	// Message is shown to the model instead of the output; without block, to the person
	// when the turn is halted.
	Message string `json:"message,omitzero" merge:"with block halt"`
	// Context is a text for the model beside the output, in a block with the plugin's name. It is
	// stored with the conversation.
	Context string `json:"context,omitzero" merge:"texts"`
	// SystemMessage is shown to the person, never to the model.
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
	// ToolName is the tool that was called.
	ToolName string `json:"tool_name"`
	// Arguments are the arguments that the tool ran with.
	Arguments json.RawMessage `json:"arguments"`
	// Output is the output after pre_tool_output.
	Output string `json:"output"`
	Extent
	// FinalOutput is the text that the model will see.
	FinalOutput string `json:"final_output"`
	// Cached is true when the output was cached because of its size.
	Cached bool `json:"cached"`
	Outcome
	// ToolCallID is the model's identifier of this call.
	ToolCallID string `json:"tool_call_id,omitempty"`
	Nesting
}

// PreCacheOutputPayload is the payload of pre_cache_output.
type PreCacheOutputPayload struct {
	// ToolName is the tool whose output is large.
	ToolName string `json:"tool_name"`
	// Arguments are the arguments that the tool ran with.
	Arguments json.RawMessage `json:"arguments"`
	// Content is the whole output.
	Content string `json:"content"`
	// Truncated is true if this is only the beginning of an output that is too large
	// for a payload.
	Truncated bool `json:"truncated,omitempty"`
	// ContentPath is the path of a file with the whole content.
	ContentPath string `json:"content_path,omitempty"`
	// CharCount is the number of characters of the content.
	CharCount int `json:"char_count"`
	// LineCount is the number of lines of the content.
	LineCount int `json:"line_count"`
	Nesting
}

// PreCacheOutputAnswer is the answer at pre_cache_output.
type PreCacheOutputAnswer struct {
	// Summary is shown to the model instead of the preview.
	Summary string `json:"summary,omitzero" merge:"first"`
	// SystemMessage is shown to the person, never to the model.
	SystemMessage string `json:"system_message,omitzero" merge:"tell"`
}

// PostCacheOutputPayload is the payload of post_cache_output.
type PostCacheOutputPayload struct {
	// ToolName is the tool whose output was cached.
	ToolName string `json:"tool_name"`
	// CacheID identifies the output for the file tools.
	CacheID string `json:"cache_id"`
	// CharCount is the number of characters of the output.
	CharCount int `json:"char_count"`
	// TokenEstimate is an estimate of the number of tokens of the output.
	TokenEstimate int `json:"token_estimate"`
	// LineCount is the number of lines of the output.
	LineCount int `json:"line_count"`
	Nesting
}
