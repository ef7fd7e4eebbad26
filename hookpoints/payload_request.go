package hookpoints

import "encoding/json"

// PreAPIToolsPayload is the payload of pre_api_tools.
type PreAPIToolsPayload struct {
	// ContextName is the name of the context.
	ContextName string `json:"context_name"`
	// Tools are the tools that chibi would offer to the model.
	Tools []ListedTool `json:"tools"`
	// RecursionDepth is the number of rounds that the tool recurse has requested.
	RecursionDepth int `json:"recursion_depth"`
	Nesting
}

// ListedTool is one tool in a [PreAPIToolsPayload].
type ListedTool struct {
	// Name is the tool's name.
	Name string `json:"name"`
	// Type is "builtin", "file", "plugin", "coding" or "mcp".
	Type string `json:"type"`
}

// PreAPIToolsAnswer is the answer at pre_api_tools. A filtered tool is neither
// offered to the model nor run if the model calls it anyway.
type PreAPIToolsAnswer struct {
	// Include keeps only these tools; [] keeps none. SERVER_TOOL also names mcp__SERVER__TOOL.
	Include []string `json:"include,omitzero" merge:"intersect" among:"tools.#.name"`
	// Exclude removes these tools.
	Exclude []string `json:"exclude,omitzero" merge:"unite" among:"tools.#.name"`
	// SystemMessage is a text for the person, never for the model.
	SystemMessage string `json:"system_message,omitzero" merge:"tell"`
}

// PreAPIRequestPayload is the payload of pre_api_request.
type PreAPIRequestPayload struct {
	// ContextName is the name of the context.
	ContextName string `json:"context_name"`
	// RequestBody is the whole body: model, messages, tools, temperature, ...
	RequestBody json.RawMessage `json:"request_body"`
	// RecursionDepth is the number of rounds that the tool recurse has requested.
	RecursionDepth int `json:"recursion_depth"`
	Nesting
}

// PreAPIRequestAnswer is the answer at pre_api_request. The answer that Fire returns holds
// the whole patched body, or nothing if no plugin changed it.
type PreAPIRequestAnswer struct {
	// RequestBody has the members to change; null deletes one.
	RequestBody json.RawMessage `json:"request_body,omitzero" merge:"patch"`
	// SystemMessage is a text for the person, never for the model.
	SystemMessage string `json:"system_message,omitzero" merge:"tell"`
}
