package hookpoints

// Prompt is the payload of pre_message.
type Prompt struct {
	// Prompt is what the person typed.
	Prompt string `json:"prompt"`
	// ContextName names the context.
	ContextName string `json:"context_name"`
	// Summary is the summary of earlier conversation, "" if there is none.
	Summary string `json:"summary"`
	// Recipe names the recipe that is being run, absent without one.
	Recipe string `json:"recipe,omitempty"`
}

// PromptAnswer is the answer at pre_message.
type PromptAnswer struct {
	// Prompt replaces the prompt.
	Prompt *string `json:"prompt,omitzero" merge:"replace"`
	// Block refuses the prompt: nothing is stored or sent.
	Block bool `json:"block,omitzero" merge:"block"`
	// Message is what the person is told when the prompt is refused.
	Message string `json:"message,omitzero" merge:"with block"`
}

// Exchange is the payload of post_message.
type Exchange struct {
	// Prompt is the prompt as it was typed, before pre_message changed it.
	Prompt string `json:"prompt"`
	// Response is the model's final answer.
	Response string `json:"response"`
	// ContextName names the context.
	ContextName string `json:"context_name"`
}

// SystemPrompt is the payload of pre_system_prompt and post_system_prompt.
type SystemPrompt struct {
	// ContextName names the context.
	ContextName string `json:"context_name"`
	// Summary is the summary of earlier conversation, "" if there is none.
	Summary string `json:"summary"`
	// Todos is the context's list of todos, "" if there is none.
	Todos string `json:"todos"`
	// Goals is the context's list of goals, "" if there is none.
	Goals string `json:"goals"`
}

// Injection is the answer at pre_system_prompt and post_system_prompt.
type Injection struct {
	// Inject is text for the system prompt.
	Inject string `json:"inject,omitzero" merge:"join"`
}

// Mail is the payload of pre_send_message.
type Mail struct {
	// From names the sending context.
	From string `json:"from"`
	// To names the receiving context, or an address that a plugin delivers to.
	To string `json:"to"`
	// Content is the message.
	Content string `json:"content"`
	// ContextName names the context of this run.
	ContextName string `json:"context_name"`
}

// DeliveryClaim is the answer at pre_send_message.
type DeliveryClaim struct {
	// Delivered says that the plugin has delivered the message itself.
	Delivered bool `json:"delivered,omitzero" merge:"claim"`
	// Via names the way it went; the plugin's name if it is empty.
	Via string `json:"via,omitzero" merge:"with delivered"`
}

// DeliveredMail is the payload of post_send_message.
type DeliveredMail struct {
	// From names the sending context.
	From string `json:"from"`
	// To names the receiving context, or an address that a plugin delivers to.
	To string `json:"to"`
	// Content is the message.
	Content string `json:"content"`
	// ContextName names the context of this run.
	ContextName string `json:"context_name"`
	// DeliveryResult says how it was delivered, as the model is told.
	DeliveryResult string `json:"delivery_result"`
}
