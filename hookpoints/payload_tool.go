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
	// ToolCallID is the model's name for this call.
	ToolCallID string `json:"tool_call_id,omitempty"`
	// Recipe names the recipe that is being run, absent without one.
	Recipe string `json:"recipe,omitempty"`
	// Nested is true when that recipe runs beside the conversation, because a
	// hook asked for it; absent otherwise.
	Nested bool `json:"nested,omitempty"`
}

// PreToolAnswer is the answer at pre_tool.
type PreToolAnswer struct {
	// Arguments replaces the arguments, whole.
	Arguments json.RawMessage `json:"arguments,omitzero" merge:"replace"`
	// Block keeps the tool from running.
	Block bool `json:"block,omitzero" merge:"block"`
	// Message is what the model is told instead of a result; the plugin's name
	// follows it.
	Message string `json:"message,omitzero" merge:"with block"`
	// BlockedBy is the plugin that blocked; the host says it, no plugin can.
	BlockedBy string `json:"-"`
}

// SetBlockedBy takes the name of the plugin that blocked.
func (v *PreToolAnswer) SetBlockedBy(plugin string) { v.BlockedBy = plugin }

// CallStatus says what became of a call.
type CallStatus string

// What can become of a call.
const (
	StatusRan     CallStatus = "ran"     // the tool ran and succeeded
	StatusFailed  CallStatus = "failed"  // it ran and failed
	StatusBlocked CallStatus = "blocked" // a plugin blocked it: it did not run
	StatusDenied  CallStatus = "denied"  // it was not allowed, or made no sense: it did not run
)

// BlockedNote is what the model reads behind the reason of a plugin that blocked
// a call.
func BlockedNote(plugin string) string { return fmt.Sprintf("\n(blocked by plugin %q)", plugin) }

// DidRun reports whether the tool ran.
func (s CallStatus) DidRun() bool { return s == StatusRan || s == StatusFailed }

// PostToolPayload is the payload of post_tool.
type PostToolPayload struct {
	// ToolName is the tool that was called.
	ToolName string `json:"tool_name"`
	// Arguments are those that the tool ran with.
	Arguments json.RawMessage `json:"arguments"`
	// Result is the tool's output after pre_tool_output.
	Result string `json:"result"`
	// Truncated is true if this is only the beginning of what is too large for a
	// payload.
	Truncated bool `json:"truncated,omitempty"`
	// OutputPath is then the path of a file with the whole output.
	OutputPath string `json:"output_path,omitempty"`
	// Cached is true when the output was cached because of its size.
	Cached bool `json:"cached"`
	// Status is "ran"; "failed" if the tool ran and failed; "blocked" if a plugin
	// blocked the call; "denied" if it was refused otherwise. The last two did
	// not run.
	Status CallStatus `json:"status"`
	// BlockedBy names the plugin that blocked the call, absent if none did.
	BlockedBy string `json:"blocked_by,omitempty"`
	// ToolCallID is the model's name for this call.
	ToolCallID string `json:"tool_call_id,omitempty"`
}

// PreToolOutputPayload is the payload of pre_tool_output.
type PreToolOutputPayload struct {
	// ToolName is the tool that was called.
	ToolName string `json:"tool_name"`
	// Arguments are those that the tool ran with.
	Arguments json.RawMessage `json:"arguments"`
	// Output is what the tool answered, or what the model is told instead.
	Output string `json:"output"`
	// Truncated is true if this is only the beginning of what is too large for a
	// payload.
	Truncated bool `json:"truncated,omitempty"`
	// OutputPath is then the path of a file with the whole output.
	OutputPath string `json:"output_path,omitempty"`
	// Status is "ran"; "failed" if the tool ran and failed; "blocked" if a plugin
	// blocked the call; "denied" if it was refused otherwise. The last two did
	// not run.
	Status CallStatus `json:"status"`
	// BlockedBy names the plugin that blocked the call, absent if none did.
	BlockedBy string `json:"blocked_by,omitempty"`
	// Preface is what the output begins with that is not the tool's own: how it
	// failed. Absent if there is none.
	Preface string `json:"preface,omitempty"`
	// ToolCallID is the model's name for this call.
	ToolCallID string `json:"tool_call_id,omitempty"`
	// ExitCode is 0 for a tool that succeeded, else its process's exit status,
	// or 1 if it has none.
	ExitCode int `json:"exit_code"`
	// DurationMS is how long the tool ran, in milliseconds.
	DurationMS int64 `json:"duration_ms"`
	// Recipe names the recipe that is being run, absent without one.
	Recipe string `json:"recipe,omitempty"`
	// Nested is true when that recipe runs beside the conversation, because a
	// hook asked for it; absent otherwise.
	Nested bool `json:"nested,omitempty"`
}

// PreToolOutputAnswer is the answer at pre_tool_output.
type PreToolOutputAnswer struct {
	// Output replaces the output.
	Output *string `json:"output,omitzero" merge:"replace"`
	// Block withholds the output; the message is shown instead.
	Block bool `json:"block,omitzero" merge:"block"`
	// Message is what the model sees instead of the output.
	Message string `json:"message,omitzero" merge:"with block"`
}

// PostToolOutputPayload is the payload of post_tool_output.
type PostToolOutputPayload struct {
	// ToolName is the tool that was called.
	ToolName string `json:"tool_name"`
	// Arguments are those that the tool ran with.
	Arguments json.RawMessage `json:"arguments"`
	// Output is the output after pre_tool_output.
	Output string `json:"output"`
	// Truncated is true if this is only the beginning of what is too large for a
	// payload.
	Truncated bool `json:"truncated,omitempty"`
	// OutputPath is then the path of a file with the whole output.
	OutputPath string `json:"output_path,omitempty"`
	// FinalOutput is what the model will see.
	FinalOutput string `json:"final_output"`
	// Cached is true when the output was cached because of its size.
	Cached bool `json:"cached"`
	// Status is "ran"; "failed" if the tool ran and failed; "blocked" if a plugin
	// blocked the call; "denied" if it was refused otherwise. The last two did
	// not run.
	Status CallStatus `json:"status"`
	// BlockedBy names the plugin that blocked the call, absent if none did.
	BlockedBy string `json:"blocked_by,omitempty"`
	// ToolCallID is the model's name for this call.
	ToolCallID string `json:"tool_call_id,omitempty"`
}

// PreCacheOutputPayload is the payload of pre_cache_output.
type PreCacheOutputPayload struct {
	// ToolName is the tool whose output is large.
	ToolName string `json:"tool_name"`
	// Arguments are those that the tool ran with.
	Arguments json.RawMessage `json:"arguments"`
	// Content is the whole output.
	Content string `json:"content"`
	// Truncated is true if this is only the beginning of what is too large for a
	// payload.
	Truncated bool `json:"truncated,omitempty"`
	// ContentPath is the path of a file with the whole content.
	ContentPath string `json:"content_path,omitempty"`
	// CharCount is the number of characters of the content.
	CharCount int `json:"char_count"`
	// LineCount is the number of lines of the content.
	LineCount int `json:"line_count"`
}

// PreCacheOutputAnswer is the answer at pre_cache_output.
type PreCacheOutputAnswer struct {
	// Summary is shown to the model instead of the preview.
	Summary string `json:"summary,omitzero" merge:"first"`
}

// PostCacheOutputPayload is the payload of post_cache_output.
type PostCacheOutputPayload struct {
	// ToolName is the tool whose output was cached.
	ToolName string `json:"tool_name"`
	// CacheID is the name by which the file tools find it.
	CacheID string `json:"cache_id"`
	// CharCount is the number of characters of the output.
	CharCount int `json:"char_count"`
	// TokenEstimate is about how many tokens the output would take.
	TokenEstimate int `json:"token_estimate"`
	// LineCount is the number of lines of the output.
	LineCount int `json:"line_count"`
}
