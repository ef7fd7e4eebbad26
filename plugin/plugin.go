package plugin

import (
	"context"
	"encoding/json"

	"github.com/chibi-host/chibi/hookpoints"
	"github.com/chibi-host/chibi/tools"
)

// Plugin is one plugin: the tools that it brings and the points that it
// subscribes to.
type Plugin struct {
	// Name identifies the plugin to people and in configuration.
	Name string
	// Origin says where the plugin was found.
	Origin Origin
	// Hooks are the points that the plugin is asked at.
	Hooks []hookpoints.Name
	// Events is what the plugin's protocol calls its points, for traces and
	// lists; a point that is missing has its own name.
	Events map[hookpoints.Name]string
	// Guards are those of Hooks at which the plugin only ever blocks. At a
	// chain point it is asked after all others, with the final payload.
	Guards []hookpoints.Name
	// OnFailure says what a failure means at a point that can block; "" if
	// nobody has said: then it has no opinion, as with Ignore, except that
	// before a tool runs it blocks a call that it could not see, see
	// [Answer.Unread]. OnFailureAt says it for single points, see
	// [Plugin.FailureAt].
	OnFailure   Failure
	OnFailureAt map[hookpoints.Name]Failure
	// Sequence, if not empty, names plugins that are asked one after another,
	// in order, also where others are asked all at once.
	Sequence string
	// Note is what lists say of the plugin besides; empty: nothing.
	Note string
	// Tools are what the model may call. A plugin without any only has hooks: its
	// name then means nothing to the model, and other plugins' tools may have it.
	// LostTools counts those that the plugin describes besides and that were left out.
	Tools     []tools.Tool
	LostTools int
	// NotTools are what the plugin calls its parts that are no tools, for those who
	// look for them among the tools.
	NotTools []string
	// Handler answers events. It may be nil if Hooks is empty.
	Handler Handler
}

// Origin says where a plugin was found.
type Origin struct {
	// Protocol names how the host speaks to the plugin, such as "chibi".
	Protocol string
	// Path is the plugin's file; empty for plugins inside the program.
	Path string
}

// Failure says what a plugin's failure means.
type Failure string

// What a failure can mean.
const (
	Ignore Failure = "ignore" // the plugin has no opinion
	Block  Failure = "block"  // at a point that can block, the plugin blocks
)

// Event is one moment of a conversation.
type Event struct {
	// Point is the moment's name.
	Point hookpoints.Name
	// Payload is what the moment carries: one line of JSON, an object.
	// Handlers must not modify it.
	Payload json.RawMessage

	room *share // of the room for the answers of all plugins asked
}

// Answer is what a plugin says about an event. The zero value is no opinion.
type Answer struct {
	// Body is a JSON object with the fields of the point's answer. Empty, or
	// an object without fields, is no opinion.
	Body json.RawMessage
	// Exit is the exit status of the process that answered; nil if none ran.
	Exit *int
	// Unreadable says why the output was not an answer, such as "not JSON:
	// ..."; Body is then empty.
	Unreadable string
	// Explain says why a Body that is not a JSON object is not an answer; nil: the
	// host says it.
	Explain func(body []byte) string
	// Doubt says what of the output means nothing to the protocol, which may have
	// been a block in other words. At a point that can block it is said, once a
	// run, and for a plugin whose failure blocks there it is a failure, unless
	// Body blocks.
	Doubt string
	// Unread is true if the plugin took nothing of a payload that it could only
	// have read: whatever it answers but a block, it has failed. It counts
	// beside an error too.
	Unread bool
	// Asked is true if the plugin asked the person at the terminal: should it
	// fail then, at a point that can block, it blocks. It counts beside an error
	// too.
	Asked bool
	// Skipped says why the plugin had no need to be asked; empty: it was.
	Skipped string
	// Notes are what a person should know: what the protocol's adapter had to
	// refuse, or a remark of the plugin. A sentence each.
	Notes []string
}

// Handler answers events. Implementations are safe for concurrent use. An
// error means that the plugin failed; it does not end the conversation.
type Handler interface {
	Handle(ctx context.Context, ev Event) (Answer, error)
}

// HandlerFunc makes a Go function a Handler.
type HandlerFunc func(ctx context.Context, ev Event) (Answer, error)

// Handle calls f.
func (f HandlerFunc) Handle(ctx context.Context, ev Event) (Answer, error) { return f(ctx, ev) }

// FailureAt says what a failure of the plugin means at a point that can block:
// Block; Ignore if a person has said so; "" if nobody has said anything.
func (p *Plugin) FailureAt(point hookpoints.Name) Failure {
	if failure, set := p.OnFailureAt[point]; set {
		return failure
	}
	return p.OnFailure
}

// EventAt is what the plugin's protocol calls a point, "" where that is the
// point's own name.
func (p *Plugin) EventAt(point hookpoints.Name) string { return p.Events[point] }
