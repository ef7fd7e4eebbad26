package hookpoints

// InRecipe says of what the payload is a part.
type InRecipe struct {
	// Recipe names the recipe that is being run; absent if there is none.
	Recipe string `json:"recipe,omitempty"`
	Nesting
}

// InContext says of what the payload is a part, and in which context.
type InContext struct {
	// ContextName names the context.
	ContextName string `json:"context_name"`
	InRecipe
}

// PreMessagePayload is the payload of pre_message.
type PreMessagePayload struct {
	// Prompt is what the person typed.
	Prompt string `json:"prompt"`
	// ContextName names the context.
	ContextName string `json:"context_name"`
	// Summary is the summary of earlier conversation, "" if there is none.
	Summary string `json:"summary"`
	// Attempt is 2 or more if mail comes with the prompt that earlier runs took and did not answer, because they died,
	// and is not there otherwise.
	Attempt int `json:"attempt,omitempty"`
	InRecipe
}

// PreMessageAnswer is the answer at pre_message.
type PreMessageAnswer struct {
	// Prompt replaces the prompt.
	Prompt *string `json:"prompt,omitzero" merge:"replace"`
	// Block refuses the prompt: nothing is stored or sent.
	Block bool `json:"block,omitzero" merge:"block"`
	// Halt refuses the prompt too.
	Halt bool `json:"halt,omitzero" merge:"halt"`
	// Message is shown to the person when the prompt is refused.
	Message string `json:"message,omitzero" merge:"with block halt"`
	// Context is a text for the model beside the prompt, in a block with the plugin's name. It is
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
func (a *PreMessageAnswer) SetTexts(texts []Text) { a.Contexts = texts }

// SetHalted takes the plugin that ended the turn.
func (a *PreMessageAnswer) SetHalted(by Halted) { a.Halted = by }

// PostMessagePayload is the payload of post_message.
type PostMessagePayload struct {
	// Prompt is the prompt as it was typed, before pre_message changed it.
	Prompt string `json:"prompt"`
	// Response is the model's final answer.
	Response string `json:"response"`
	// ContextName names the context.
	ContextName string `json:"context_name"`
	Nesting
}

// SystemPromptPayload is the payload of pre_system_prompt and post_system_prompt.
type SystemPromptPayload struct {
	// ContextName names the context.
	ContextName string `json:"context_name"`
	// Summary is the summary of earlier conversation, "" if there is none.
	Summary string `json:"summary"`
	// Todos is the context's list of todos, "" if there is none.
	Todos string `json:"todos"`
	// Goals is the context's list of goals, "" if there is none.
	Goals string `json:"goals"`
	Nesting
}

// SystemPromptAnswer is the answer at pre_system_prompt and post_system_prompt.
type SystemPromptAnswer struct {
	// Inject is text for the system prompt.
	Inject string `json:"inject,omitzero" merge:"join"`
	// SystemMessage is shown to the person, never to the model.
	SystemMessage string `json:"system_message,omitzero" merge:"tell"`
}

// PreSendMessagePayload is the payload of pre_send_message.
type PreSendMessagePayload struct {
	// From names the sending context.
	From string `json:"from"`
	// To names the receiving context, or an address to which a plugin delivers.
	To string `json:"to"`
	// Content is the message.
	Content string `json:"content"`
	// ContextName names the context of this run.
	ContextName string `json:"context_name"`
}

// PreSendMessageAnswer is the answer at pre_send_message.
type PreSendMessageAnswer struct {
	// Delivered says that the plugin has delivered the message itself.
	Delivered bool `json:"delivered,omitzero" merge:"claim"`
	// Via names the delivery method; the plugin's name if it is empty.
	Via string `json:"via,omitzero" merge:"with delivered"`
	// SystemMessage is shown to the person, never to the model.
	SystemMessage string `json:"system_message,omitzero" merge:"tell"`
}

// PostSendMessagePayload is the payload of post_send_message.
type PostSendMessagePayload struct {
	PreSendMessagePayload
	// DeliveryResult says how it was delivered, as shown to the model.
	DeliveryResult string `json:"delivery_result"`
}
