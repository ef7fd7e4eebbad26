package merge

import (
	"fmt"
	"slices"

	"github.com/chibi-host/chibi/hookpoints"
)

// Reply is what one subscriber answered at a point.
type Reply struct {
	// From is the plugin's name.
	From string
	// Guard is true at a chain point for a plugin that may only block there.
	Guard bool
	// Body is a JSON object whose fields have the point's types; empty for no
	// opinion. What is no JSON object is ignored, with a note.
	Body []byte
}

// Outcome is what came of one reply.
type Outcome string

// The outcomes.
const (
	NoEffect Outcome = ""        // nothing was asked for
	Changed  Outcome = "changed" // the answer took effect, at least in part
	Blocked  Outcome = "blocked" // it refused
	Claimed  Outcome = "claimed" // it claimed the event
	Ignored  Outcome = "ignored" // it had no effect; Notes say why
)

// Effect is what became of one reply.
type Effect struct {
	Outcome Outcome
	// Decides is true for the block or the claim that counts: the first.
	Decides bool
	// Changed are JSON Pointers to what it changed: places in the payload where
	// it rewrote, fields of the answer elsewhere.
	Changed []string
	// Lost says what of it other plugins replaced or made unused.
	Lost []Conflict
	// Why is the message of a block.
	Why string
	// Notes are remarks, a sentence each.
	Notes []Note
}

// Note is a remark on a reply.
type Note struct {
	Text string
	// Ignored is true if it says why something that was asked for has no effect,
	// which the plugin's author should know.
	Ignored bool
}

// Result is what all replies of one dispatch come to.
type Result struct {
	// Answer is the combined answer, nil if nobody had an opinion. Fields that
	// rewrite the payload hold the final value.
	Answer []byte
	// Payload is the payload as rewrites have left it.
	Payload []byte
	// BlockedBy is the plugin that blocked, empty if none did.
	BlockedBy string
	// AppendedBy names, for each element of a list that was appended to, the plugin
	// that it comes from.
	AppendedBy []string
	// Effects are those of the replies, in the order in which they were added.
	Effects []Effect
}

// Accumulator combines the replies of one dispatch as they arrive, because at
// chain and claim points what is asked next depends on them. It is not safe for
// concurrent use.
type Accumulator struct {
	info    hookpoints.Info
	payload *document
	replies []*reply
	settled *answer // by a block or a claim
	blocker string

	appendedBy []string
}

// New begins with a payload, a valid JSON object that is not checked again, at a
// point that [hookpoints.Validate] finds no fault with.
func New(info hookpoints.Info, payload []byte) *Accumulator {
	return &Accumulator{info: info, payload: newDocument(payload)}
}

// Fold combines replies that are all there: those of points that ask all at once,
// and anywhere those that would have been given one after another. Replies behind
// the one that settles a chain or a claim have no effect, as nobody would have been
// asked for them.
func Fold(info hookpoints.Info, payload []byte, replies []Reply) Result {
	a := New(info, payload)
	settled := false
	for _, r := range replies {
		if settled && !r.Guard {
			r.Body = nil
		}
		settled = a.Add(r) && info.Mode != hookpoints.Gather || settled
	}
	return a.Result()
}

// Next is the payload for the next subscriber. The caller must not modify it.
func (a *Accumulator) Next() []byte { return a.payload.bytes() }

// Add takes a reply, in plugin order, and reports whether the dispatch is settled:
// nobody need be asked who has not been. Replies of plugins that were asked
// nevertheless, at the same time, are added as well.
func (a *Accumulator) Add(r Reply) (settled bool) {
	added := &reply{from: r.From, guard: r.Guard, fields: &members{}}
	a.replies = append(a.replies, added)
	switch {
	case len(r.Body) == 0:
		return a.settled != nil
	case !valid(r.Body) || !isObject(string(r.Body)):
		added.ignore("its answer is not a JSON object")
		return a.settled != nil
	}
	added.fields = membersOf(string(r.Body))
	switch {
	case a.info.Mode == hookpoints.Observe:
		a.observe(added)
	case a.block(added), a.claim(added):
	case added.guard:
		a.onlyGuards(added)
	case a.info.Mode == hookpoints.Chain && a.settled == nil:
		a.rewrite(added)
	}
	return a.settled != nil
}

// Result is what the replies come to. Nothing is added after it.
func (a *Accumulator) Result() Result {
	combined := a.settled
	if combined == nil {
		combined = a.combine()
	}
	a.noteConflicts()
	effects := make([]Effect, len(a.replies))
	for i, r := range a.replies {
		effects[i] = r.Effect
	}
	return Result{Answer: combined.bytes(), Payload: a.payload.bytes(), BlockedBy: a.blocker, AppendedBy: a.appendedBy,
		Effects: effects}
}

// combine makes an answer of the fields by their rules.
func (a *Accumulator) combine() *answer {
	combined := &answer{}
	if a.info.Mode == hookpoints.Observe || a.info.Mode == hookpoints.Claim {
		return combined
	}
	replies := slices.DeleteFunc(slices.Clone(a.replies), func(r *reply) bool { return r.guard })
	for _, f := range a.info.Fields {
		if rule := foldOf(f.Rule); rule != nil {
			rule(a, f, replies, combined)
		}
	}
	return combined
}

// noteConflicts tells each loser what became of its change.
func (a *Accumulator) noteConflicts() {
	of := map[string][]*reply{}
	for _, r := range a.replies {
		of[r.from] = append(of[r.from], r)
	}
	for _, c := range a.payload.conflicts {
		for _, r := range of[c.Loser] {
			r.Lost = append(r.Lost, c)
		}
	}
}

// reply is a reply that was added, and what becomes of it.
type reply struct {
	Effect
	from   string
	guard  bool
	fields *members
}

// field is the raw value of a field, "" if it is absent or null.
func (r *reply) field(name string) string {
	if m, ok := r.fields.find(name); ok && m.value != "null" {
		return m.value
	}
	return ""
}

func (r *reply) changed(paths ...string) {
	if len(paths) > 0 {
		r.Outcome = Changed
	}
	r.Changed = append(r.Changed, paths...)
}

func (r *reply) note(format string, args ...any) {
	r.Notes = append(r.Notes, Note{Text: fmt.Sprintf(format, args...)})
}

// ignore notes why something in the reply has no effect.
func (r *reply) ignore(format string, args ...any) {
	r.Outcome = Ignored
	r.Notes = append(r.Notes, Note{Text: fmt.Sprintf(format, args...), Ignored: true})
}

// lost notes that another plugin's value stands where the reply's would.
func (r *reply) lost(path, winner string) {
	r.Lost = append(r.Lost, Conflict{Path: path, Winner: winner, Loser: r.from})
}
