package agent

import (
	"encoding/json"
	"fmt"
	"slices"

	"github.com/chibi-host/chibi/contexts"
	"github.com/chibi-host/chibi/hookpoints"
	"github.com/chibi-host/chibi/merge"
	"github.com/chibi-host/chibi/tools"
	"github.com/tidwall/gjson"
)

// Step is something that happened in a turn besides hooks: what traces are made
// of. As JSON it is part of a line of a trace file.
type Step struct {
	// Kind says what happened.
	Kind StepKind `json:"kind"`
	// Text is the prompt, the answer, the error, the notice, or what became of the
	// context.
	Text string `json:"text,omitempty"`
	// By names the plugin that is behind it, where one is: StepFollowUp.
	By string `json:"-"`
	// Request is set for StepRequest, Call for StepTool and StepCall, Loaded for
	// StepLoaded.
	Request *RequestStep `json:"request,omitempty"`
	Call    *CallStep    `json:"call,omitempty"`
	Loaded  *LoadedStep  `json:"loaded,omitempty"`
	// Rewritten is set for StepEarlier.
	Rewritten []Rewritten `json:"-"`
}

// Rewritten are the arguments of an earlier call that plugins changed: as the
// model wrote them, and sees them again, and as the tool ran with.
type Rewritten struct{ Before, After string }

// StepKind is a kind of step.
type StepKind string

// The kinds of steps.
const (
	StepPrompt  StepKind = "prompt"  // a prompt was given
	StepRequest StepKind = "request" // a request is about to be sent
	StepCall    StepKind = "call"    // a tool call is over
	StepAnswer  StepKind = "answer"  // the prompt was answered
	StepError   StepKind = "error"   // it was not
	StepLoaded  StepKind = "loaded"  // these plugins and tools there are; after each prompt
	StepContext StepKind = "context" // the context was switched, cleared, compacted or replaced
	StepNotice  StepKind = "notice"  // the person was told something
	// StepEarlier is no step of a turn: it says what plugins have changed in the
	// conversation before, for those who keep what a turn holds.
	StepEarlier StepKind = "earlier"
)

// These steps are for a person who looks on. They are no part of a trace, whose
// records of hooks and calls say the same.
const (
	StepTool      StepKind = "tool"      // a tool is about to run
	StepFollowUp  StepKind = "follow_up" // a plugin goes on with a message
	StepCompacted StepKind = "compacted" // the text says what became of how much
	StepRound     StepKind = "round"     // another round begins, with a note of the model to itself
)

// IsTraced reports whether steps of this kind are a part of a trace.
func (k StepKind) IsTraced() bool {
	switch k {
	case StepPrompt, StepRequest, StepCall, StepAnswer, StepError, StepLoaded, StepContext, StepNotice:
		return true
	}
	return false
}

// RequestStep is a request to the model.
type RequestStep struct {
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

// LoadedStep says which plugins and tools there are.
type LoadedStep struct {
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

// CallStep is one call of a tool.
type CallStep struct {
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

// earlier tells what plugins changed in the calls of a conversation.
func (a *Agent) earlier(window []contexts.Entry) {
	written := map[string]string{}
	var list []Rewritten
	for _, e := range window {
		switch {
		case e.Type == contexts.TypeToolCall:
			written[e.CallID()] = e.Content
		case e.Type == contexts.TypeToolResult && e.Metadata != nil && e.Metadata.RanWith != nil:
			list = append(list, Rewritten{written[e.CallID()], string(e.Metadata.RanWith)})
		}
	}
	if len(list) > 0 {
		a.step(Step{Kind: StepEarlier, Rewritten: list})
	}
}

// step tells of a step.
func (a *Agent) step(s Step) {
	if a.Output.Step != nil {
		a.Output.Step(s)
	}
}

// changed tells what became of the context.
func (a *Agent) changed(format string, args ...any) {
	a.step(Step{Kind: StepContext, Text: fmt.Sprintf(format, args...)})
}

func namesOf(specs []tools.Spec) []string {
	names := []string{}
	for _, s := range specs {
		names = append(names, s.Name)
	}
	return names
}

// sent lists the tools of a body if they are not the offered ones.
func sent(body []byte, offered []string) []string {
	names := []string{}
	gjson.GetBytes(body, "tools.#.function.name").ForEach(func(_, name gjson.Result) bool {
		names = append(names, name.String())
		return true
	})
	if slices.Equal(names, offered) {
		return nil
	}
	return names
}

// parameters are the members of a request's body besides messages and tools.
func parameters(body []byte) json.RawMessage {
	params, err := merge.Patch(body, []byte(`{"messages":null,"tools":null}`))
	if err != nil {
		return json.RawMessage("{}")
	}
	return params
}
