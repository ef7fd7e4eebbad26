package plugin

import (
	"encoding/json"
	"strconv"
	"time"

	"github.com/chibi-host/chibi/hookpoints"
	"github.com/chibi-host/chibi/merge"
)

// Record describes what happened between the host and one plugin in one dispatch.
// As JSON it is a line of a trace file.
type Record struct {
	// Time is when chibi asked the plugin, or would have asked it.
	Time time.Time `json:"time"`
	// Dispatch is the same for all records of one dispatch; it counts from 1.
	Dispatch int64 `json:"dispatch"`
	// Agent is the id of the sub-agent in which the event happened, "" outside of one.
	Agent string `json:"agent,omitempty"`
	// Point is the hook point.
	Point hookpoints.Name `json:"point"`
	// Plugin is the plugin's name.
	Plugin string `json:"plugin"`
	// Protocol is how the host speaks to the plugin.
	Protocol string `json:"protocol,omitempty"`
	// Event is the name of the point in that protocol, if it differs.
	Event string `json:"event,omitempty"`
	// Guard is true if chibi asked the plugin as a guard.
	Guard bool `json:"guard,omitempty"`
	// Async is true if nobody waited for the plugin. Time is then when the event happened.
	Async bool `json:"async,omitempty"`
	// Round is the plugin's round, if chibi asked others of it at the same time.
	Round string `json:"round,omitempty"`
	// Result is the outcome.
	Result Result `json:"result"`
	// How says how chibi asked the plugin, if not as all plugins of its protocol.
	How string `json:"how,omitempty"`
	// DurationMS is how long the plugin took, in milliseconds.
	DurationMS float64 `json:"duration_ms"`
	// PayloadBytes is the size of the payload that the plugin received.
	PayloadBytes int `json:"payload_bytes"`
	// AnswerBytes is the size of its answer.
	AnswerBytes int `json:"answer_bytes"`
	// Exit is the exit status of its process, if there was one.
	Exit *int `json:"exit,omitempty"`
	// Changed are JSON Pointers to its changes: places in the payload
	// where it rewrote, fields of the answer elsewhere.
	Changed []string `json:"changed,omitempty"`
	// Did says what else it did than change and block, in words, such as "added context (12
	// characters)".
	Did []string `json:"did,omitempty"`
	// Lost lists its changes that other plugins replaced or made unused.
	Lost []merge.Conflict `json:"lost,omitempty"`
	// Why explains a failure, a block or a skip.
	Why string `json:"why,omitempty"`
	// Blocks is true if the event was refused because of this plugin: it was the
	// first that blocked, or whose failure did.
	Blocks bool `json:"blocks,omitempty"`
	// Notes are further notes, a sentence each.
	Notes []string `json:"notes,omitempty"`
	// NoteKinds are the kinds of Notes, in their order: "" for a remark of no kind;
	// shorter than Notes where none follows.
	NoteKinds []merge.NoteKind `json:"note_kinds,omitempty"`
	// Discarded are calls of a pure plugin before its turn whose answers were not used.
	// Everything else is about the call at its turn.
	Discarded []DiscardedCall `json:"discarded,omitempty"`
	// Payload is the payload that the plugin received.
	Payload json.RawMessage `json:"payload,omitempty"`
	// Answer is its answer.
	Answer json.RawMessage `json:"answer,omitempty"`
}

// DiscardedCall is a call whose answer was not used.
type DiscardedCall struct {
	// Time is when the plugin was called.
	Time time.Time `json:"time"`
	// DurationMS is how long the call took, in milliseconds.
	DurationMS float64 `json:"duration_ms"`
	// Why says why the answer was not used.
	Why string `json:"why"`
	// Failure is how the call failed, or that it was ended before it could answer; "" if
	// it did not fail.
	Failure string `json:"failure,omitempty"`
}

// Firing is one dispatch as a whole, after its end.
type Firing struct {
	// Dispatch is the dispatch of its records.
	Dispatch int64
	// Agent is the agent of its records.
	Agent string
	// Point is the hook point.
	Point hookpoints.Name
	// Payload is the payload that was fired, Final the same as rewrites have left it.
	Payload, Final json.RawMessage
	// Answer is the combined answer, nil for none.
	Answer json.RawMessage
	// HidesNothing is true if only plugins answered that hide nothing, and none failed.
	HidesNothing bool
}

// Result is the outcome of asking one plugin.
type Result string

// The results.
const (
	NoOpinion Result = "no opinion" // nothing was asked for
	Changed   Result = "changed"    // the answer took effect, at least in part
	Blocked   Result = "blocked"    // the plugin refused
	Claimed   Result = "claimed"    // the plugin claimed the event
	Added     Result = "added"      // the answer changed nothing, but added what Did says
	Ignored   Result = "ignored"    // the answer had no effect; Notes say why
	Failed    Result = "failed"     // the plugin failed; Why says how
	Skipped   Result = "skipped"    // the plugin was not asked; Why says why
)

// Notice is a message for a person about a plugin.
type Notice struct {
	// Plugin is the plugin's name.
	Plugin string
	// Point is where it happened; empty when it was not at a point.
	Point hookpoints.Name
	// Event is the name of the point in the plugin's protocol, if it has a different one.
	Event string
	// Text says what happened and its consequence, without the names above.
	Text string
	// Once is true if one run need show it only: nothing is wrong, and it does not change.
	Once bool
}

// String returns the notice as one line.
func (n Notice) String() string {
	where := ""
	if n.Point != "" {
		where = " at " + string(n.Point)
	}
	if n.Event != "" {
		where = " at " + n.Event
	}
	return "plugin " + strconv.Quote(n.Plugin) + where + ": " + n.Text
}
