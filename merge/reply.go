package merge

import (
	"fmt"

	"github.com/chibi-host/chibi/hookpoints"
)

// Reply is the answer of one subscriber.
type Reply struct {
	// From is the plugin's name.
	From string
	// Guard is true at a chain point for a plugin that may only block there.
	Guard bool
	// Body is a JSON object whose fields have the point's types; empty for no
	// opinion.
	Body []byte
}

// Outcome is the outcome of one reply.
type Outcome string

// The outcomes.
const (
	NoEffect Outcome = ""        // nothing was asked for
	Changed  Outcome = "changed" // the answer took effect, at least in part
	Blocked  Outcome = "blocked" // it refused
	Claimed  Outcome = "claimed" // it claimed the event
	Ignored  Outcome = "ignored" // it had no effect; Notes say why
	Added    Outcome = "added"   // it changed nothing, but added what Did says
)

// Effect is the effect of one reply.
type Effect struct {
	Outcome Outcome
	// Decides is true for the block or the claim that took effect, which is the first, and
	// for the decision that is used.
	Decides bool
	// Lost lists its changes that other plugins replaced or made unused.
	Lost []Conflict
	// Why is the message of a block or the reason of a denial.
	Why string
	// Did says what else it did than change and block, such as "added context (12 characters)".
	Did []string
	// Tells are its texts for the person.
	Tells []string
	// Notes are notes, a sentence each.
	Notes []Note

	rewrites []*change // of the payload
	fields   []string  // of the answer to which it contributed
}

// Changed lists JSON Pointers to what the reply changed: places in the payload that it
// rewrote, or fields of the answer.
func (e Effect) Changed() (paths []string) {
	for _, c := range e.rewrites {
		p := c.places()
		paths = p.list(paths, pointer("", c.field), p.depth())
	}
	for _, name := range e.fields {
		paths = append(paths, "/"+name)
	}
	return paths
}

// Note is a note about a reply.
type Note struct {
	Text string
	// Kind is the kind of note, for selecting notes; "" for most.
	Kind NoteKind
	// Ignored is true if the note says why something in the reply has no effect, which
	// the plugin's author should know.
	Ignored bool
}

// NoteKind is a kind of note.
type NoteKind string

// The kinds of notes.
const (
	NoteNotOffered   NoteKind = "not_offered"   // a list names what the payload does not offer
	NoteBlockedFirst NoteKind = "blocked_first" // it blocked, but another plugin had blocked before
)

// Result is the combined result of one dispatch.
type Result struct {
	// Answer is the combined answer, nil if nobody had an opinion. Fields that
	// rewrite the payload hold the final value.
	Answer []byte
	// BlockedBy is the plugin that blocked or denied, empty if none did.
	BlockedBy string
	// DecidedBy is the plugin whose decision is the strictest, empty if nobody decided.
	DecidedBy string
	// AppendedBy names, for each element of a list that was appended to, the plugin
	// that it comes from.
	AppendedBy []string
	// FirstBy names, for each field whose first value is used, the plugin that it comes from.
	FirstBy map[string]string
	// Texts are the texts of a field with the rule texts, in plugin order. In Answer they
	// are joined.
	Texts []hookpoints.Text
	// Halted says which plugin ended the turn.
	Halted hookpoints.Halted
	// Effects are the effects of the replies, in the order in which they were added.
	Effects []Effect
}

// reply is a reply that was added, with its effect.
type reply struct {
	Effect
	from  string
	guard bool
	body  *members
}

// usesField records that a field of the reply is part of the answer.
func (r *reply) usesField(name string) {
	r.Outcome = Changed
	r.fields = append(r.fields, name)
}

// did records what the reply did besides changing the payload or the answer.
func (r *reply) did(format string, args ...any) {
	if r.Did = append(r.Did, fmt.Sprintf(format, args...)); r.Outcome == NoEffect || r.Outcome == Ignored {
		r.Outcome = Added
	}
}

func (r *reply) note(kind NoteKind, format string, args ...any) {
	r.Notes = append(r.Notes, Note{Text: fmt.Sprintf(format, args...), Kind: kind})
}

// ignore adds a note why something in the reply has no effect.
func (r *reply) ignore(format string, args ...any) {
	r.Outcome = Ignored
	r.Notes = append(r.Notes, Note{Text: fmt.Sprintf(format, args...), Ignored: true})
}

// lost records that another plugin's value was used instead of the reply's.
func (r *reply) lost(path, winner string) {
	r.Lost = append(r.Lost, Conflict{Path: path, Winner: winner, Loser: r.from})
}
