// Package tools defines what a model can call: a [Tool], and a [Set] of them
// with unique names.
//
// The package promises that a Set never holds two tools with the same name, that it keeps
// the order in which tools were added, and that [Schema.Check] names the invalid argument
// of a call. It runs nothing by itself: the caller of a Tool applies time limits, hooks
// and filters.
package tools

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
)

// Kind is where a tool comes from, as in the payload of the pre_api_tools hook.
type Kind string

// The kinds of tools.
const (
	Builtin Kind = "builtin" // part of chibi
	File    Kind = "file"    // reads files and cached outputs
	Plugin  Kind = "plugin"  // brought by a plugin
	Coding  Kind = "coding"  // works on files, runs commands, fetches URLs
	MCP     Kind = "mcp"     // belongs to an MCP server
)

// Spec describes a tool to the model.
type Spec struct {
	// Name is unique in a Set, see [ValidName].
	Name string
	// Description tells the model what the tool does and when to use it.
	Description string
	// Parameters is the JSON Schema of the arguments, an object. Empty means
	// a tool without arguments.
	Parameters json.RawMessage
	// Kind says where the tool comes from.
	Kind Kind
	// Owner names the plugin that brought the tool; empty for others.
	Owner string
	// Category is the kind of thing that the tool does; "" if it did not say.
	Category Category
	// Uncategorized says of a tool without a category that it means to have none.
	Uncategorized bool
	// Subject names the argument that the category is about: the command, the path, the
	// URL. "" if there is none.
	Subject string
	// OfContext says that the tool changes notes of the context that it was made for, so
	// that chibi does not offer it to agents with a different conversation.
	OfContext bool
	// Parallel says that calls of the tool can run at the same time as other calls.
	Parallel bool
	// Remote says which tool of an MCP server it is; nil for others.
	Remote *Remote
}

// String names the tool, and the plugin that brought it.
func (s Spec) String() string {
	if s.Owner == "" {
		return fmt.Sprintf("tool %q", s.Name)
	}
	return fmt.Sprintf("tool %q of plugin %q", s.Name, s.Owner)
}

// Call is one call of a tool.
type Call struct {
	// ID is the model's identifier of this call; empty for a call by a person.
	ID string
	// Arguments is one JSON value, normally an object.
	Arguments json.RawMessage
	// Context names the conversation that the call belongs to.
	Context string
}

// Result is the result of a call.
type Result struct {
	// Text is the output; if File is set, the beginning of it.
	Text string
	// File has the whole output, where that is too large for memory; nil: Text is
	// all of it. The caller of the tool closes it.
	File *OutputFile
	// Failed says that the call failed. Failure then says how the process that wrote Text
	// ended; if Failure is empty, Text says what went wrong.
	Failed  bool
	Failure string
	// Reason is a line for people and traces about how the call failed, where Text tells the
	// model already; "": Failure says it, or the first line of Text.
	Reason string
	// Exit is the exit status of a process that failed; 0 if there is none.
	Exit int
	// Note is a sentence of chibi about the call, which the model always reads after the output;
	// "": there is nothing to say.
	Note string
	// How says in a few words how chibi ran the tool, for traces; empty: as all tools of its
	// kind.
	How string
	// Served says how long a server took, for a tool of an MCP server; nil for others.
	Served *Served
	// Next, if not empty, asks for another turn after the model's answer, with this text
	// as the prompt.
	Next string
}

// Told returns the text for the model: how the call failed, and the output.
func (r Result) Told() string {
	if r.isFailureAlone() {
		return r.Failure
	}
	return r.Preface() + r.Text
}

// Preface returns the part of Told before the output of a process that failed.
func (r Result) Preface() string {
	if r.Failure == "" || r.isFailureAlone() {
		return r.Failure
	}
	return r.Failure + "\nstdout before that:\n"
}

// isFailureAlone reports whether a process failed and wrote nothing.
func (r Result) isFailureAlone() bool { return r.Failure != "" && strings.TrimSpace(r.Text) == "" }

// Tool is something that a model can call. Implementations are safe for
// concurrent use.
type Tool interface {
	// Spec describes the tool; it always returns the same.
	Spec() Spec
	// Call runs the tool. A failure is a Result with Failed set, which the model
	// reads; an error means that ctx ended.
	Call(ctx context.Context, call Call) (Result, error)
}

// Is reports whether a tool is of a category. A tool of an MCP server is of the category
// [CategoryMCP] and of the one that the person gave it.
func (s Spec) Is(c Category) bool {
	return s.Category == c || c == CategoryMCP && s.Remote != nil
}
