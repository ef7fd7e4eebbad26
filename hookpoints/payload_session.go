package hookpoints

// OnStartPayload is the payload of on_start.
type OnStartPayload struct {
	// CurrentContext is the context that this run uses.
	CurrentContext string `json:"current_context"`
	// Verbose is true with -v.
	Verbose bool `json:"verbose"`
	// Provider is the host of the model's server, "demo" for the built-in model.
	Provider string `json:"provider"`
	// Model is the model's name, "demo" for the built-in model, "" if you configured none.
	Model string `json:"model"`
	// ChibiHome is chibi's home directory, as in $CHIBI_HOME.
	ChibiHome string `json:"chibi_home"`
	// ProjectRoot is the directory of the project: $CHIBI_PROJECT_ROOT, else the nearest parent directory under
	// version control (.git and others), else the current directory.
	ProjectRoot string `json:"project_root"`
	// ToolCount is the number of tools before any filter.
	ToolCount int `json:"tool_count"`
}

// OnEndPayload is the payload of on_end.
type OnEndPayload struct {
	// CurrentContext is the context that this run uses.
	CurrentContext string `json:"current_context"`
	// Verbose is true with -v.
	Verbose bool `json:"verbose"`
	// Reason is "user_exit", "interrupt" (Ctrl-C, SIGTERM) or "error".
	Reason string `json:"reason"`
	// Turns is the number of prompts that this run answered.
	Turns int `json:"turns"`
}

// OnContextSwitchPayload is the payload of on_context_switch.
type OnContextSwitchPayload struct {
	// FromContext is the context that was current before.
	FromContext string `json:"from_context"`
	// ToContext is the context that the run uses.
	ToContext string `json:"to_context"`
	// IsTransient is true for this run only (-C), false if the switch stays (-c).
	IsTransient bool `json:"is_transient"`
}

// ContextPayload is the payload of pre_clear, post_clear, pre_compact and
// post_compact.
type ContextPayload struct {
	// ContextName is the name of the context.
	ContextName string `json:"context_name"`
	// MessageCount is the number of messages in the context's window.
	MessageCount int `json:"message_count"`
	// Summary is the summary of earlier conversation, "" if there is none.
	Summary string `json:"summary"`
}

// CompactAnswer is the answer at pre_compact and pre_rolling_compact.
type CompactAnswer struct {
	// Block prevents the compaction; the conversation stays as it is.
	Block bool `json:"block,omitzero" merge:"block"`
	// Message tells the person why.
	Message string `json:"message,omitzero" merge:"with block"`
	// SystemMessage is a text for the person, never for the model.
	SystemMessage string `json:"system_message,omitzero" merge:"tell"`
	// BlockedBy is the plugin that blocked. The host sets it; a plugin cannot.
	BlockedBy string `json:"-"`
}

// SetBlockedBy takes the name of the plugin that blocked.
func (a *CompactAnswer) SetBlockedBy(plugin string) { a.BlockedBy = plugin }

// PreRollingCompactPayload is the payload of pre_rolling_compact.
type PreRollingCompactPayload struct {
	// ContextName is the name of the context.
	ContextName string `json:"context_name"`
	// MessageCount is the number of messages in the context's window.
	MessageCount int `json:"message_count"`
	// NonSystemCount is the number of these messages that are not system messages.
	NonSystemCount int `json:"non_system_count"`
	// Summary is the summary of earlier conversation, "" if there is none.
	Summary string `json:"summary"`
}

// PostRollingCompactPayload is the payload of post_rolling_compact.
type PostRollingCompactPayload struct {
	// ContextName is the name of the context.
	ContextName string `json:"context_name"`
	// MessageCount is the number of messages that remain in the window.
	MessageCount int `json:"message_count"`
	// MessagesArchived is the number of messages that left the window.
	MessagesArchived int `json:"messages_archived"`
	// Summary is the new summary.
	Summary string `json:"summary"`
}
