package agent

import (
	"encoding/json"

	"github.com/chibi-host/chibi/hookpoints"
)

// Event is something that happens in a turn besides hooks: what traces are made
// of. As JSON it is part of a line of a trace file.
type Event struct {
	// Kind says what happened.
	Kind EventKind `json:"kind"`
	// Text is the prompt, the answer, the error, the notice, or what became of the
	// context.
	Text string `json:"text,omitempty"`
	// Change is set for EventContext, with the names of the contexts that it is about.
	Change   ContextChange `json:"change,omitempty"`
	Contexts []string      `json:"contexts,omitempty"`
	// By names the plugin that is behind it, where one is: EventFollowUp.
	By string `json:"-"`
	// Request is set for EventRequest, Call for EventTool and EventCall, Loaded for
	// EventLoaded.
	Request *RequestEvent `json:"request,omitempty"`
	Call    *CallEvent    `json:"call,omitempty"`
	Loaded  *LoadedEvent  `json:"loaded,omitempty"`
	// Rewritten is set for EventRewritten.
	Rewritten []Rewritten `json:"-"`
}

// Rewritten are the arguments of an earlier call that plugins changed: as the
// model wrote them, and sees them again, and as the tool ran with.
type Rewritten struct{ Before, After string }

// EventKind is a kind of event.
type EventKind string

// The kinds of events.
const (
	EventPrompt  EventKind = "prompt"  // a prompt was given
	EventRequest EventKind = "request" // a request is about to be sent
	EventCall    EventKind = "call"    // a tool call is over
	EventAnswer  EventKind = "answer"  // the prompt was answered
	EventError   EventKind = "error"   // it was not
	EventLoaded  EventKind = "loaded"  // these plugins and tools there are; after each prompt
	EventContext EventKind = "context" // the context was switched, cleared, compacted or replaced
	EventNotice  EventKind = "notice"  // the person was told something
	// EventRewritten tells nothing of the turn itself: it says what plugins have changed in the
	// conversation before, for those who keep what a turn holds.
	EventRewritten EventKind = "earlier"
)

// These events are for a person who looks on. They are no part of a trace, whose
// records of hooks and calls say the same.
const (
	EventTool      EventKind = "tool"      // a tool is about to run
	EventFollowUp  EventKind = "follow_up" // a plugin goes on with a message
	EventCompacted EventKind = "compacted" // the text says what became of how much
	EventRecursion EventKind = "round"     // a further turn begins, with a note of the model to itself
)

// IsTraced reports whether events of this kind are a part of a trace.
func (k EventKind) IsTraced() bool {
	switch k {
	case EventPrompt, EventRequest, EventCall, EventAnswer, EventError, EventLoaded, EventContext, EventNotice:
		return true
	}
	return false
}

// ContextChange is what became of a context.
type ContextChange string

// What can become of a context.
const (
	ContextSwitched  ContextChange = "switched"  // the run went from one to another
	ContextCleared   ContextChange = "cleared"   // the conversation was archived
	ContextCompacted ContextChange = "compacted" // a summary took its place, or that of a part
	ContextReplaced  ContextChange = "replaced"  // plugins gave another one
)

// RequestEvent is a request to the model.
type RequestEvent struct {
	// For says what a request beside the conversation is for, such as "summary".
	For string `json:"for,omitempty"`
	// Tools are all that there are, Configured those that the configuration
	// and the recipe leave, Offered those that plugins leave of them.
	Tools      []string `json:"tools"`
	Configured []string `json:"configured"`
	Offered    []string `json:"offered"`
	// Unoffered says why tools are not among Configured, by their names.
	Unoffered map[string]string `json:"unoffered,omitempty"`
	// Sent are the tools in the body, if plugins changed them at pre_api_request.
	Sent []string `json:"sent,omitzero"`
	// Before and After are the members of the request's body besides messages
	// and tools, before and after plugins.
	Before json.RawMessage `json:"before"`
	After  json.RawMessage `json:"after"`
	// Bytes is the size of the body.
	Bytes int `json:"bytes"`
}

// LoadedEvent says which plugins and tools there are.
type LoadedEvent struct {
	Plugins []LoadedPlugin `json:"plugins"`
	Tools   []string       `json:"tools"`
}

// LoadedPlugin is a plugin that was loaded, or left out.
type LoadedPlugin struct {
	Name string `json:"name"`
	// Points are those that it is asked at, Events what its protocol calls them where
	// it has its own names, Tools what it brings.
	Points []hookpoints.Name          `json:"points,omitempty"`
	Events map[hookpoints.Name]string `json:"events,omitempty"`
	Tools  []string                   `json:"tools,omitempty"`
	// LeftOut says why it was left out, "" if it was not.
	LeftOut string `json:"left_out,omitempty"`
}

// CallEvent is one call of a tool.
type CallEvent struct {
	// ID is the model's name for the call, Tool the tool's name.
	ID   string `json:"id"`
	Tool string `json:"tool"`
	// Arguments are those that the tool runs with, after all rewrites.
	Arguments json.RawMessage `json:"-"`
	// Ran is false for a call that was refused or blocked; Why says why, as the
	// model was told.
	Ran bool   `json:"ran"`
	Why string `json:"why,omitempty"`
	// BlockedBy is the plugin that blocked the call, "" if none did. Failure says
	// how a call failed that ran.
	BlockedBy string `json:"-"`
	Failure   string `json:"-"`
	// DurationMS is how long the tool ran, Exit how it ended.
	DurationMS int64 `json:"duration_ms"`
	Exit       int   `json:"exit"`
	// Converted are JSON Pointers to those of the model's arguments that were texts
	// and that the host made numbers, true, false or null of, as the tool's parameters
	// say; after many, how many more.
	Converted []string `json:"converted,omitempty"`
}
