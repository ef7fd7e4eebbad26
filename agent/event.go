package agent

import (
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/chibi-host/chibi/hookpoints"
	"github.com/chibi-host/chibi/permissions"
	"github.com/chibi-host/chibi/tools"
	"github.com/dustin/go-humanize"
	"github.com/dustin/go-humanize/english"
)

// Event is something other than a hook that happens in a turn. As JSON it is a part
// of a line of a trace file.
type Event struct {
	// Kind says what happened.
	Kind EventKind `json:"kind"`
	// Text is the prompt, the answer, the error, the notice, or the event of the context.
	Text string `json:"text,omitempty"`
	// Change is set for EventContext, with the names of the contexts that it is about.
	Change   ContextChange `json:"change,omitempty"`
	Contexts []string      `json:"contexts,omitempty"`
	// By names the plugin that caused it, if one did: EventFollowUp.
	By string `json:"-"`
	// Request is set for EventRequest, Call for EventTool, EventOutput and EventCall, Loaded for
	// EventLoaded, Permission for EventPermission.
	Request    *RequestEvent    `json:"request,omitempty"`
	Call       *CallEvent       `json:"call,omitempty"`
	Loaded     *LoadedEvent     `json:"loaded,omitempty"`
	Permission *PermissionEvent `json:"permission,omitempty"`
	// Subagent is set for EventAgent.
	Subagent *AgentEvent `json:"subagent,omitempty"`
	// Agent is the id of the sub-agent in which it happens, "" outside of one.
	Agent string `json:"agent,omitempty"`
	// Rewritten is set for EventRewritten.
	Rewritten []Rewritten `json:"-"`
}

// Rewritten are the arguments of an earlier call that plugins changed: as the model
// wrote and still sees them, and as the tool got them.
type Rewritten struct{ Before, After string }

// EventKind is a kind of event.
type EventKind string

// The kinds of events.
const (
	EventPrompt  EventKind = "prompt"  // a prompt was given
	EventRequest EventKind = "request" // a request is about to be sent
	EventCall    EventKind = "call"    // a tool call is over
	EventAnswer  EventKind = "answer"  // the prompt was answered
	EventError   EventKind = "error"   // the prompt was not answered
	EventLoaded  EventKind = "loaded"  // the plugins and tools of the run; after each prompt
	EventContext EventKind = "context" // the context was switched, cleared, compacted or replaced
	EventNotice  EventKind = "notice"  // the person was shown a notice
	// EventPermission says who allowed or denied a call, before it runs.
	EventPermission EventKind = "permission"
	// EventAgent says that a sub-agent begins, or how it ended; the text is its task, or
	// its result.
	EventAgent EventKind = "agent"
	// EventRewritten is not about the turn itself: it reports the changes of plugins to
	// earlier calls of the conversation, so that a trace can leave the originals out.
	EventRewritten EventKind = "earlier"
)

// These events are shown to a person during the turn. They are not a part of a
// trace, whose records of hooks and calls have the same facts.
const (
	EventTool      EventKind = "tool"      // a tool is about to run
	EventOutput    EventKind = "output"    // a tool ran; what it wrote, as plugins leave it to the model
	EventFollowUp  EventKind = "follow_up" // a plugin continues the turn with a message
	EventCompacted EventKind = "compacted" // the text says how many entries became what
	EventRecursion EventKind = "round"     // a further turn begins, with a note of the model to itself
)

// IsTraced reports whether events of this kind are a part of a trace.
func (k EventKind) IsTraced() bool {
	switch k {
	case EventPrompt, EventRequest, EventCall, EventAnswer, EventError, EventLoaded, EventContext, EventNotice,
		EventPermission, EventAgent:
		return true
	}
	return false
}

// ContextChange is what happened to a context.
type ContextChange string

// The changes of a context.
const (
	ContextSwitched  ContextChange = "switched"  // the run changed from one to another
	ContextCleared   ContextChange = "cleared"   // the conversation was archived
	ContextCompacted ContextChange = "compacted" // a summary replaced the conversation or a part of it
	ContextReplaced  ContextChange = "replaced"  // plugins replaced the conversation
)

// RequestEvent is a request to the model.
type RequestEvent struct {
	// For is the purpose of a request outside the conversation, such as "summary".
	For string `json:"for,omitempty"`
	// Tools are all tools. Configured are the tools that the configuration and the recipe allow,
	// Offered the tools of Configured that plugins leave.
	Tools      []string `json:"tools"`
	Configured []string `json:"configured"`
	Offered    []string `json:"offered"`
	// Unoffered has the reasons why tools are not among Configured, by their names.
	Unoffered map[string]string `json:"unoffered,omitempty"`
	// Sent are the tools in the body, if plugins changed them at pre_api_request.
	Sent []string `json:"sent,omitzero"`
	// Before and After are the members of the request's body other than messages
	// and tools, before and after plugins.
	Before json.RawMessage `json:"before"`
	After  json.RawMessage `json:"after"`
	// Bytes is the size of the body.
	Bytes int `json:"bytes"`
}

// LoadedEvent lists the plugins and tools of a run.
type LoadedEvent struct {
	Plugins []LoadedPlugin `json:"plugins"`
	Tools   []string       `json:"tools"`
}

// LoadedPlugin is a plugin that was loaded, or skipped.
type LoadedPlugin struct {
	Name string `json:"name"`
	// Points are the points at which chibi asks it, Events their names in its protocol if it
	// has its own, Tools the tools that it provides.
	Points []hookpoints.Name          `json:"points,omitempty"`
	Events map[hookpoints.Name]string `json:"events,omitempty"`
	Tools  []string                   `json:"tools,omitempty"`
	// Skipped is the reason why it was skipped, "" if it was not.
	Skipped string `json:"left_out,omitempty"`
}

// CallEvent is one call of a tool.
type CallEvent struct {
	// ID is the model's id of the call, Tool the tool's name.
	ID   string `json:"id"`
	Tool string `json:"tool"`
	// Arguments are the arguments with which the tool runs, after all rewrites.
	Arguments json.RawMessage `json:"-"`
	// Ran is false for a call that was refused or blocked; Why is the reason, as the model got it.
	Ran bool   `json:"ran"`
	Why string `json:"why,omitempty"`
	// BlockedBy is the plugin that blocked the call, "" if none did.
	BlockedBy string `json:"-"`
	// Failure says how a call that ran failed, "" if it did not; for EventOutput in one line.
	Failure string `json:"failure,omitempty"`
	// Change is the change of a file, nil without one: for EventTool.
	Change *FileChange `json:"-"`
	// Output is the tool's output, or the beginning of it, Bytes the size of all of it: for EventOutput.
	Output string `json:"-"`
	Bytes  int64  `json:"-"`
	// DurationMS is how long the tool ran, Exit its exit status.
	DurationMS int64 `json:"duration_ms"`
	Exit       int   `json:"exit"`
	// How says how chibi ran the tool, if not as all tools of its kind.
	How string `json:"how,omitempty"`
	// Served says how long an MCP server took; nil for other tools.
	Served *ServedEvent `json:"served,omitempty"`
	// Converted are JSON Pointers to the arguments of the model that were strings
	// and that the host converted to numbers, true, false or null,
	// according to the tool's parameters. A long list ends with the number of
	// further ones.
	Converted []string `json:"converted,omitempty"`
}

// FileChange counts the lines of a file that a call adds and removes.
type FileChange struct{ Added, Removed int }

// changeOf counts what a call changes; nil if it changes no file, or nobody knows how.
func changeOf(a tools.Access) *FileChange {
	if a.Content != nil && !a.Exists {
		return &FileChange{Added: strings.Count(strings.TrimSuffix(*a.Content, "\n")+"\n", "\n")}
	}
	_, lines, found := strings.Cut(a.Diff, "\n@@")
	if !found {
		return nil
	}
	return &FileChange{Added: strings.Count(lines, "\n+"), Removed: strings.Count(lines, "\n-")}
}

// ServedEvent says how long a call took at an MCP server, in parts that do not overlap.
type ServedEvent struct {
	// Server is the server's name.
	Server string `json:"server"`
	// StartMS is how long it took to connect to the server, in milliseconds: almost nothing if it was connected
	// before. WaitMS is how long the server waited for the person's answer. CallMS is how long the call itself took.
	StartMS float64 `json:"start_ms"`
	WaitMS  float64 `json:"wait_ms"`
	CallMS  float64 `json:"call_ms"`
}

// newServedEvent returns the event for a call; nil if no server took part.
func newServedEvent(s *tools.Served) *ServedEvent {
	if s == nil {
		return nil
	}
	ms := func(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }
	return &ServedEvent{Server: s.Server, StartMS: ms(s.Start), WaitMS: ms(s.Wait), CallMS: ms(s.Call)}
}

// AgentEvent is a sub-agent that begins or has ended.
type AgentEvent struct {
	// ID identifies it in the run, Type is the recipe that defines it, or "general".
	ID   string `json:"id"`
	Type string `json:"type"`
	// Tool is the tool that starts it, CallID the model's id of that call.
	Tool   string `json:"tool"`
	CallID string `json:"call,omitempty"`
	// Depth is 1 for a sub-agent of the conversation.
	Depth int `json:"depth"`
	// Model is the model that it uses.
	Model string `json:"model"`
	// Context is the context that keeps its conversation, "" if none does.
	Context string `json:"context,omitempty"`
	// Status is how it ended, "" if it begins; Why is the reason if it failed or was
	// blocked, Plugin the plugin that blocked it or answered in its place.
	Status hookpoints.SpawnStatus `json:"status,omitempty"`
	Why    string                 `json:"why,omitempty"`
	Plugin string                 `json:"plugin,omitempty"`
	// Responses is how often the model responded, InputTokens and OutputTokens count the tokens of that.
	Responses    int `json:"responses,omitempty"`
	InputTokens  int `json:"input_tokens,omitempty"`
	OutputTokens int `json:"output_tokens,omitempty"`
	// DurationMS is how long it took.
	DurationMS int64 `json:"duration_ms,omitempty"`
}

// Outcome says how the sub-agent ended and its cost, as the end of a sentence.
func (e AgentEvent) Outcome() string {
	text := string(e.Status)
	switch e.Status {
	case hookpoints.SpawnAnswered:
		if e.Plugin == "" { // in an older trace
			return "answered by a plugin"
		}
		return fmt.Sprintf("answered by plugin %q", e.Plugin)
	case hookpoints.SpawnBlocked:
		return fmt.Sprintf("blocked by plugin %q: %s", e.Plugin, strings.TrimSuffix(e.Why, "."))
	case hookpoints.SpawnFailed:
		text = "failed: " + strings.TrimSuffix(e.Why, ".")
	}
	return fmt.Sprintf("%s; %s, %s tokens in, %s out", text, english.Plural(e.Responses, "response", ""),
		humanize.Comma(int64(e.InputTokens)), humanize.Comma(int64(e.OutputTokens)))
}

// PermissionEvent says who allowed or denied a call of a tool.
type PermissionEvent struct {
	// ID is the model's id of the call, Tool the tool's name, Category the tool's category.
	ID       string         `json:"id"`
	Tool     string         `json:"tool"`
	Category tools.Category `json:"category,omitempty"`
	// To is where the call leads, if the decision is about a redirect and not the call itself.
	To string `json:"to,omitempty"`
	// Decision is the decision, By who made it, in words, Plugin the plugin that did, "" if
	// none did, Reason why, "" if nobody gave one.
	Decision permissions.Decision `json:"decision"`
	By       string               `json:"by"`
	Plugin   string               `json:"plugin,omitempty"`
	Reason   string               `json:"reason,omitempty"`
	// Asked is set if chibi asked the person.
	Asked *AskedEvent `json:"asked,omitempty"`
}

// AskedEvent is a question that the person has answered.
type AskedEvent struct {
	// By is who wanted chibi to ask the person, Plugin the plugin that did, Reason why, "" if nobody gave one.
	By     string `json:"by"`
	Plugin string `json:"plugin,omitempty"`
	Reason string `json:"reason,omitempty"`
	// Scope is how long the answer holds, "" for a refusal.
	Scope permissions.Scope `json:"scope,omitempty"`
	// DurationMS is how long the question took.
	DurationMS int64 `json:"duration_ms"`
}
