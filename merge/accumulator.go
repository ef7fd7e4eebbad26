package merge

import (
	"cmp"
	"slices"

	"github.com/chibi-host/chibi/hookpoints"
	"github.com/chibi-host/chibi/internal/strictjson"
	"github.com/tidwall/gjson"
	"github.com/tidwall/sjson"
)

// Accumulator combines the replies of one dispatch as they arrive, because at chain and
// claim points the next question depends on them. It is not safe for
// concurrent use.
type Accumulator struct {
	info    hookpoints.Info
	payload document
	replies []*reply
	settled []byte // the answer of the reply that blocked or claimed
	blocker string
	claimer string
	ownership
}

// New returns an accumulator for a payload at a point that is valid according to
// [hookpoints.Validate]. The payload must be a valid JSON object in UTF-8 without duplicate
// names; this is not checked.
func New(info hookpoints.Info, payload []byte) *Accumulator {
	return &Accumulator{info: info, payload: document{text: payload, values: map[string]*node{}}}
}

// Fold combines a complete list of replies, in plugin order, and returns the payload as
// rewrites have left it. It leaves out replies after the one that settles a chain or a claim,
// because chibi would not have asked for them. It keeps replies of guards, which chibi asks at
// once. A reply that is not a JSON object is ignored, with a note.
func Fold(info hookpoints.Info, payload []byte, replies []Reply) (result Result, final []byte) {
	a := New(info, payload)
	settled := false
	for _, r := range replies {
		asked := len(r.Body) > 0 && (!settled || r.Guard)
		body, err := strictjson.Normalize(r.Body)
		isObject := err == nil && body[0] == '{'
		if !asked || !isObject {
			body = nil
		}
		settled = a.Add(Reply{From: r.From, Guard: r.Guard, Body: body}) && info.Mode != hookpoints.Gather || settled
		if asked && !isObject {
			a.replies[len(a.replies)-1].ignore("its answer is not a JSON object")
		}
	}
	return a.Result(), a.Next()
}

// Next returns the current payload, for the next subscriber. The caller must not modify
// it.
func (a *Accumulator) Next() []byte { return a.payload.current() }

// current returns the text as rewrites have left it.
func (d *document) current() []byte {
	for _, name := range d.stale {
		d.splice(name)
	}
	d.stale = nil
	return d.text
}

// Add adds a reply, in plugin order, and reports whether the dispatch is settled, so that the host
// need ask no further plugin. Add the replies of plugins that it asked at the same time nevertheless.
// The body of the reply must be valid like the payload of New. A reply that
// refuses with other [hookpoints.Words] than the point's, by true or a text, refuses with the point's.
func (a *Accumulator) Add(r Reply) (settled bool) {
	added := &reply{from: r.From, guard: r.Guard, body: membersOf(string(r.Body))}
	a.replies = append(a.replies, added)
	if slices.ContainsFunc(added.body.list, func(m member) bool { return m.value == "true" || m.value[0] == '"' }) {
		added.refuseInWordsOf(a.info)
	}
	f, decides := deciding(a.info, added)
	switch {
	case a.info.Mode == hookpoints.Observe:
		added.observed(a.info)
	case decides:
		a.decide(added, f)
	case added.guard:
		added.onlyGuards(a.info)
	case a.info.Mode == hookpoints.Chain && a.settled == nil:
		a.rewrite(added)
	}
	return a.settled != nil
}

// SettledBy returns the plugin that settled the dispatch: the one that blocked, halted or
// claimed, "" if none did.
func (a *Accumulator) SettledBy() string { return cmp.Or(a.blocker, a.claimer) }

// deciding returns the field by which a reply settles the dispatch: it blocks or claims, or
// else it denies, in a chain, or else it ends the turn.
func deciding(info hookpoints.Info, r *reply) (by hookpoints.AnswerField, decides bool) {
	for _, f := range info.Fields {
		switch value := r.field(f.Name); {
		case value == "":
		case value == "true" && (f.Rule == hookpoints.RuleBlock || f.Rule == hookpoints.RuleClaim):
			return f, true
		case info.Mode == hookpoints.Chain && f.Rule == hookpoints.RuleStrictest && denies(value),
			value == "true" && f.Rule == hookpoints.RuleHalt && !decides:
			by, decides = f, true
		}
	}
	return by, decides
}

// field returns the raw value of a field, "" if it is absent or null.
func (r *reply) field(name string) string {
	if i, found := r.body.last[name]; found && r.body.list[i].value != "null" {
		return r.body.list[i].value
	}
	return ""
}

// rewrite makes a reply's rewrites take effect on the payload.
func (a *Accumulator) rewrite(r *reply) {
	if a.writer != nil {
		a.own()
	}
	for _, f := range a.info.Fields {
		switch value := r.field(f.Name); {
		case value == "":
		case f.Rule == hookpoints.RuleReplace:
			a.replace(r, f.Name, value)
		case f.Rule == hookpoints.RulePatch:
			a.patch(r, f.Name, value)
		}
	}
}

// replace gives a field of the payload a new value; one that is equal to the present one changes
// nothing.
func (a *Accumulator) replace(r *reply, name, value string) {
	now := a.payload.value(name)
	before, after := now.result(), gjson.Parse(value)
	if !equal(before, after) {
		now.replace(value)
		a.rewrote(r, &change{field: name, before: before, after: after, now: now})
	}
}

// value returns a field as it is now.
func (d *document) value(name string) *node {
	if d.values[name] == nil {
		d.values[name] = newNode(gjson.GetBytes(d.text, gjson.Escape(name)).Raw)
	}
	return d.values[name]
}

func (a *Accumulator) rewrote(r *reply, c *change) {
	r.Outcome, r.rewrites, a.writer = Changed, append(r.rewrites, c), r
	if !slices.Contains(a.payload.stale, c.field) {
		a.payload.stale = append(a.payload.stale, c.field)
	}
}

// Result returns the combined result. No reply may be added afterwards.
func (a *Accumulator) Result() Result {
	c := combination{info: a.info, replies: a.replies, payload: &a.payload, answer: a.settled}
	c.combine()
	if a.owned != nil {
		a.noteConflicts()
	}
	effects := make([]Effect, len(a.replies))
	for i, r := range a.replies {
		effects[i] = r.Effect
	}
	return Result{Answer: c.answer, BlockedBy: cmp.Or(a.blocker, c.deniedBy), DecidedBy: c.decidedBy,
		AppendedBy: c.appendedBy, FirstBy: c.firstBy, Texts: c.texts, Halted: c.halted, Effects: effects}
}

// combination makes the answer of the replies when all of them are there.
type combination struct {
	info       hookpoints.Info
	replies    []*reply
	payload    *document
	answer     []byte
	appendedBy []string
	firstBy    map[string]string
	decidedBy  string // whose decision is the strictest
	deniedBy   string // the same if it is a denial
	texts      []hookpoints.Text
	halted     hookpoints.Halted
}

// combine combines the fields that a reply has, by their rules: those that act when all
// replies are there. Of a dispatch that is settled, only what is beside the answer is left.
func (c *combination) combine() {
	settled := c.answer != nil
	for _, f := range c.info.Fields {
		switch {
		case !c.isSaid(f.Name):
		case settled:
			c.beside(f)
		case f.Rule == hookpoints.RuleReplace:
			c.rewritten(f, []byte(c.payload.values[f.Name].raw()))
		case f.Rule == hookpoints.RulePatch:
			c.rewritten(f, c.payload.now(f.Name))
		default:
			c.gather(f)
		}
	}
}

// isSaid reports whether a reply has a field.
func (c *combination) isSaid(name string) bool {
	return slices.ContainsFunc(c.replies, func(r *reply) bool { return r.field(name) != "" })
}

// rewritten adds the final value of a field of the payload, unless its text is the original
// one, with the dependent fields of the last reply that changed it.
func (c *combination) rewritten(f hookpoints.AnswerField, final []byte) {
	value := c.payload.values[f.Name]
	if value == nil || string(final) == value.origin {
		return
	}
	last := len(c.replies) - 1
	for !slices.ContainsFunc(c.replies[last].rewrites, func(w *change) bool { return w.field == f.Name }) {
		last--
	}
	c.putWith(c.replies[last], f.Name, final)
}

// putWith adds a field, with the reply's values of the fields that belong to it.
func (c *combination) putWith(r *reply, name string, value []byte) {
	c.answer = put(c.answer, name, value)
	for _, f := range c.info.Fields {
		if f.With != "" && r.field(f.Name) != "" && f.BelongsTo(name) {
			c.answer = put(c.answer, f.Name, r.field(f.Name))
		}
	}
}

// put sets a member of an object; nil is an empty object.
func put[Text string | []byte](object []byte, name string, value Text) []byte {
	object, _ = sjson.SetRawBytes(object, ":"+gjson.Escape(name), []byte(value)) // digits are a name too
	return object
}
