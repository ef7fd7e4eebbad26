package engine

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/chibi-host/chibi/hookpoints"
	"github.com/chibi-host/chibi/internal/clip"
)

// Effect is a hook's answer to a [Moment], in no agent's words. The zero value means no opinion.
type Effect struct {
	// Decision is the verdict. Before a tool, and where the agent asks for permission, it allows, asks or
	// denies. Elsewhere only DecisionDeny has a meaning: it refuses a prompt or a compaction, it makes a turn
	// that would end go on with Reason, and it puts Reason beside the result of a tool (with OutputReplaced, in
	// its place).
	Decision hookpoints.Decision `json:",omitzero"`
	// Reason is why.
	Reason string
	// Halt ends the turn; the person sees HaltReason.
	Halt       bool
	HaltReason string
	// Context is text for the model, SystemMessage is text for the person.
	Context, SystemMessage string
	// Input replaces the arguments of the tool, in the agent's names; nil: they stay. With InputPatch it is a
	// patch of them.
	Input      json.RawMessage `json:",omitzero"`
	InputPatch bool
	// Output replaces the result of the tool; nil: it stays. OutputReplaced says that a denial after the tool
	// replaces the result by Reason.
	Output         *string
	OutputReplaced bool
	// Prompt replaces the prompt; nil: it stays.
	Prompt *string
	// Request is a JSON merge patch of the request's body, nil: none. If it has messages, each is {role,
	// content} with a text only. A text that differs from the text of the message at the same position replaces
	// that text.
	Request json.RawMessage `json:",omitzero"`
	// Include names the only tools that are offered, by the agent's names; nil: all.
	Include []string
	// Env are variables for processes that start later in the session.
	Env map[string]string
	// Failed says why the hook failed, "" if it did not.
	Failed string
	// Notes name the parts of the answer that have no effect, a sentence each.
	Notes []string
}

// Note adds a sentence about a part that has no effect.
func (e *Effect) Note(format string, args ...any) {
	e.Notes = append(e.Notes, fmt.Sprintf(format, args...))
}

// String describes an effect in a few words; "no opinion" for the zero value.
func (e Effect) String() string {
	if e.Failed != "" {
		return "it failed: " + e.Failed
	}
	var list []string
	say := func(is bool, format string, args ...any) {
		if is {
			list = append(list, strings.TrimSuffix(fmt.Sprintf(format, args...), ": "))
		}
	}
	say(e.Halt, "ends the turn: %s", clip.Text(e.HaltReason, 200))
	say(e.Decision != "", "%s: %s", e.Decision, clip.Text(e.Reason, 200))
	say(e.Input != nil, "rewrites the arguments: %s", clip.Text(string(e.Input), 200))
	say(e.Output != nil, "replaces the result")
	say(e.Prompt != nil, "replaces the prompt")
	say(e.Request != nil, "changes the request")
	say(e.Include != nil, "offers only the tools %q", e.Include)
	say(e.Context != "", "tells the model: %s", clip.Text(e.Context, 200))
	say(e.SystemMessage != "", "tells the person: %s", clip.Text(e.SystemMessage, 200))
	say(len(e.Env) > 0, "sets variables")
	if len(list) == 0 {
		return "no opinion"
	}
	return strings.Join(list, "; ")
}

// Member names a member of an [Effect], for tables.
type Member string

// The members of effects. The comment has the type of the answer's value.
const (
	SetDecision      Member = "decision"       // the word in the row
	SetReason        Member = "reason"         // string
	SetHalt          Member = "halt"           // any: the row's Is says which
	SetHaltReason    Member = "halt_reason"    // string
	SetContext       Member = "context"        // string, or list of strings
	SetSystemMessage Member = "system_message" // string
	SetInput         Member = "input"          // object
	SetInputPatch    Member = "input_patch"    // object, or a string that holds one
	SetOutput        Member = "output"         // string; objects by the dialect's Result
	SetPrompt        Member = "prompt"         // string
	SetEnv           Member = "env"            // object of strings
	SetRequest       Member = "request"        // object, in the agent's form (see Exceptions)
	SetInclude       Member = "include"        // object, in the agent's form (see Exceptions)
	Invalid          Member = "invalid"        // anything: the whole answer is a failure
	NoEffect         Member = "no effect"      // anything: a note says that it has no effect
	Silent           Member = "silent"         // anything: it has no effect, and nobody expects one
)
