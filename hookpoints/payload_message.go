package hookpoints

// InRecipe says which recipe and which sub-agent the payload belongs to.
type InRecipe struct {
	// Recipe is the recipe that runs; absent if none does.
	Recipe string `json:"recipe,omitempty"`
	Nesting
}

// InContext says which recipe, which sub-agent and which context the payload belongs to.
type InContext struct {
	// ContextName is the name of the context.
	ContextName string `json:"context_name"`
	InRecipe
}

// PreMessagePayload is the payload of pre_message.
type PreMessagePayload struct {
	// Prompt is the prompt.
	Prompt string `json:"prompt"`
	// ContextName is the name of the context.
	ContextName string `json:"context_name"`
	// Summary is the summary of earlier conversation, "" if there is none.
	Summary string `json:"summary"`
	// Attempt is the number of this try, from 2, if the prompt brings mail that earlier runs took but did not
	// answer because they died; absent otherwise.
	Attempt int `json:"attempt,omitempty"`
	InRecipe
}

// PreMessageAnswer is the answer at pre_message.
type PreMessageAnswer struct {
	// Prompt replaces the prompt.
	Prompt *string `json:"prompt,omitzero" merge:"replace"`
	// Block refuses the prompt: chibi neither stores nor sends it.
	Block bool `json:"block,omitzero" merge:"block"`
	// Halt refuses the prompt and ends the turn.
	Halt bool `json:"halt,omitzero" merge:"halt"`
	// Message tells the person why.
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
func (a *PreMessageAnswer) SetTexts(texts []Text) { a.Contexts = texts }

// SetHalted takes the plugin that ended the turn.
func (a *PreMessageAnswer) SetHalted(by Halted) { a.Halted = by }

// PostMessagePayload is the payload of post_message.
type PostMessagePayload struct {
	// Prompt is the prompt before pre_message changed it.
	Prompt string `json:"prompt"`
	// Response is the model's final answer.
	Response string `json:"response"`
	// ContextName is the name of the context.
	ContextName string `json:"context_name"`
	Nesting
}

// SystemPromptPayload is the payload of pre_system_prompt and post_system_prompt.
type SystemPromptPayload struct {
	// ContextName is the name of the context.
	ContextName string `json:"context_name"`
	// Summary is the summary of earlier conversation, "" if there is none.
	Summary string `json:"summary"`
	// Todos are the todos of the context, "" if there are none.
	Todos string `json:"todos"`
	// Goals are the goals of the context, "" if there are none.
	Goals string `json:"goals"`
	Nesting
}

// SystemPromptAnswer is the answer at pre_system_prompt and post_system_prompt.
type SystemPromptAnswer struct {
	// Inject is text for the system prompt.
	Inject string `json:"inject,omitzero" merge:"join"`
	// SystemMessage is a text for the person, never for the model.
	SystemMessage string `json:"system_message,omitzero" merge:"tell"`
}

// PreSendMessagePayload is the payload of pre_send_message.
type PreSendMessagePayload struct {
	// From is the context that sends.
	From string `json:"from"`
	// To is the context that receives, or an address to which a plugin delivers.
	To string `json:"to"`
	// Content is the message.
	Content string `json:"content"`
	// ContextName is the context of this run.
	ContextName string `json:"context_name"`
}

// PreSendMessageAnswer is the answer at pre_send_message.
type PreSendMessageAnswer struct {
	// Delivered says that the plugin has delivered the message.
	Delivered bool `json:"delivered,omitzero" merge:"claim"`
	// Via names the way of delivery; the plugin's name if it is empty.
	Via string `json:"via,omitzero" merge:"with delivered"`
	// SystemMessage is a text for the person, never for the model.
	SystemMessage string `json:"system_message,omitzero" merge:"tell"`
}

// PostSendMessagePayload is the payload of post_send_message.
type PostSendMessagePayload struct {
	PreSendMessagePayload
	// DeliveryResult is the result that the model sees.
	DeliveryResult string `json:"delivery_result"`
}
