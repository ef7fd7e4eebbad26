package plugin

import (
	"context"
	"encoding/json"
	"slices"
	"time"

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
	// Hooks are the points at which chibi asks the plugin.
	Hooks []hookpoints.Name
	// Events holds the names of its points in the plugin's protocol, for traces and
	// lists; a point that is missing has its own name.
	Events map[hookpoints.Name]string
	// Guards are the points of Hooks at which the plugin only ever blocks. At a chain point
	// chibi asks it after all others, with the final payload.
	Guards []hookpoints.Name
	// Resident is true if the plugin says that one process answers all its events.
	Resident bool
	// Async are the points of Hooks, observe points other than on_end, at which nobody waits for
	// the plugin. It handles its events there in their order, and they are over before chibi
	// asks it at another point. Call [Host.Join] before you give the host up.
	Async []hookpoints.Name
	// Pure is true if calling the handler in vain or twice has no effect: at chain points it
	// may be called before its turn, at the same time as its neighbours, and an answer that
	// is not used is discarded, its context ended. It says nothing about Tools.
	Pure bool
	// HidesNothing is true if its changes of texts take no secrets out: a trace may keep the text from before.
	HidesNothing bool
	// OnFailure says what a failure means at a point that can block; "" if
	// nobody has said: then it has no opinion, as with Ignore, except that
	// before a tool runs it blocks a call that it could not see, see
	// [Answer.Unread]. OnFailureAt says it for single points, see
	// [Plugin.FailureAt].
	OnFailure   Failure
	OnFailureAt map[hookpoints.Name]Failure
	// Timeout bounds how long a [HandlerFunc], or a function of [HandlePoint], may take with an
	// event; 0: it is not bounded. Then its context is ended, and the plugin has failed, whether
	// the function returns or not; a later answer is discarded and counted, see
	// [Host.Late]. Other handlers, such as those that run processes, have bounds of their own.
	Timeout time.Duration
	// Sequence, if not empty, names a group of plugins that the host asks one after another,
	// in order, even where it asks others concurrently.
	Sequence string
	// Round, if not empty, names a round: at chain points the host asks neighbours of one round at once, all with
	// the payload that the plugins before them left, and all to the end. Their answers are used in order; the
	// rewrite of each is the difference from the payload that it received. It does not apply where the plugin is a
	// guard. Pure has no effect for a plugin in a round.
	Round string
	// Transcript is true if the plugin wants chibi to keep a view of the conversation, see [Identity].
	Transcript bool
	// Note is a note about the plugin for lists; empty: none.
	Note string
	// Tools are what the model may call. A plugin without any only has hooks: its
	// name then means nothing to the model, and other plugins' tools may have it.
	// LostTools counts further tools that the plugin describes and that chibi left out.
	Tools     []tools.Tool
	LostTools int
	// NotTools are the names of the plugin's parts that are not tools, for messages about
	// unknown tools.
	NotTools []string
	// Handler answers events. It may be nil if Hooks is empty.
	Handler Handler
}

// IsCalled reports whether a plugin has a name: its own, or one that its schema gives.
func (p *Plugin) IsCalled(name string) bool {
	return p.Name == name || slices.Contains(p.NotTools, name) ||
		slices.ContainsFunc(p.Tools, func(t tools.Tool) bool { return t.Spec().Name == name })
}

// Find returns the plugin of a name. The names of plugins precede those in their schemas.
func Find(plugins []Plugin, name string) *Plugin {
	i := slices.IndexFunc(plugins, func(p Plugin) bool { return p.Name == name })
	if i < 0 {
		i = slices.IndexFunc(plugins, func(p Plugin) bool { return p.IsCalled(name) })
	}
	if i < 0 {
		return nil
	}
	return &plugins[i]
}

// Origin says where a plugin was found.
type Origin struct {
	// Protocol names how the host speaks to the plugin, such as "chibi".
	Protocol string
	// Path is the plugin's file; empty for plugins inside the program. Line is the line of
	// it that has the plugin, 0 if that is the whole file.
	Path string
	Line int
}

// Failure is what a failure of a plugin means.
type Failure string

// What a failure can mean.
const (
	Ignore Failure = "ignore" // the plugin has no opinion
	Block  Failure = "block"  // at a point that can block, the plugin blocks
)

// Event is one event of a conversation.
type Event struct {
	// Point is the hook point.
	Point hookpoints.Name
	// Payload is a JSON object on one line. A [HandlerFunc] has a copy of its own; other
	// handlers must not modify it.
	Payload json.RawMessage

	plugin   *Plugin // that is asked; nil: nobody said
	room     *share  // of the room for the answers of all plugins asked
	identify any     // a func() Identity; nil: nobody said
}

// Answer is a plugin's answer to an event. The zero value means no opinion.
type Answer struct {
	// Body is a JSON object with the fields of the point's answer. Empty, or
	// an object without fields, means no opinion.
	Body json.RawMessage
	// Exit is the exit status of the process that answered; nil if none ran.
	Exit *int
	// Unreadable says why the output was not an answer, such as "not JSON:
	// ..."; Body is then empty.
	Unreadable string
	// Explain returns why a Body that is not a JSON object is not an answer; nil: the
	// host explains it.
	Explain func(body []byte) string
	// Doubt describes parts of the output that are unknown to the protocol and may have
	// been meant as a block. At a point that can block it is reported once per run, and
	// for a plugin whose failure blocks there it is a failure, unless Body blocks.
	Doubt string
	// Unread is true if the plugin did not read a payload that was passed on standard
	// input only, or failed before it had read all of a request to its resident process:
	// then it has failed, unless it blocks. It also applies with an error.
	Unread bool
	// Asked is true if the plugin asked the person at the terminal: if it then fails at a
	// point that can block, it blocks. It also applies with an error.
	Asked bool
	// Skipped says why chibi did not ask the plugin; empty: it did.
	Skipped string
	// How says in a few words how chibi asked the plugin, for traces; empty: as all plugins
	// of its protocol. It also applies with an error.
	How string
	// Notes are notes for a person, a sentence each: what the protocol's adapter
	// ignored, or a message of the plugin.
	Notes []string
}

// Handler answers events. Implementations are safe for concurrent use. An
// error means that the plugin failed; it does not end the conversation.
type Handler interface {
	Handle(ctx context.Context, ev Event) (Answer, error)
}

// FailureAt returns the meaning of a plugin's failure at a point that can block: Block;
// Ignore if a person set it; "" if nobody set any.
func (p *Plugin) FailureAt(point hookpoints.Name) Failure {
	if failure, set := p.OnFailureAt[point]; set {
		return failure
	}
	return p.OnFailure
}
