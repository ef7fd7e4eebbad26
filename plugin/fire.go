package plugin

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"sync/atomic"
	"time"

	"github.com/chibi-host/chibi/hookpoints"
	"github.com/chibi-host/chibi/internal/clip"
	"github.com/chibi-host/chibi/internal/strictjson"
	"github.com/chibi-host/chibi/merge"
)

// Fire sends an event to the host's subscribers and returns their combined answer, the
// zero A if no plugin had an opinion. Fields that rewrite the payload hold the final value
// and are empty if nothing changed. refine corrects what plugins rewrite.
//
// A plugin's failure is not an error, see the package documentation. Errors are the error of
// ctx, an invalid point ([hookpoints.Validate]), even without subscribers, an invalid
// subscriber ([Host.Validate]), a payload that cannot be encoded as JSON, and at on_start a
// *[StartError].
func Fire[P, A any](ctx context.Context, h *Host, point hookpoints.Point[P, A], payload P,
	refine ...Refine) (verdict A, err error) {
	h = cmp.Or(h, &Host{})
	info, err := h.known(point)
	if err != nil {
		return verdict, err
	}
	inTurn, atOnce, err := h.subscribers(info)
	if err != nil || len(inTurn)+len(atOnce) == 0 {
		return verdict, err
	}
	body, err := strictjson.Encode(payload)
	if err != nil {
		return verdict, fmt.Errorf("payload of %s: %w", point.Name, err)
	}
	result, err := newDispatch(h, info, body, refine).run(ctx, inTurn, atOnce)
	if err != nil || result.Answer == nil {
		return verdict, err
	}
	if err := strictjson.Decode(result.Answer, &verdict); err != nil {
		return verdict, fmt.Errorf("combined answer of %s: %w", point.Name, err)
	}
	author := cmp.Or(result.BlockedBy, result.DecidedBy, result.Halted.Plugin)
	if author != "" || len(result.AppendedBy)+len(result.FirstBy)+len(result.Texts) > 0 {
		nameAuthors(&verdict, result)
	}
	return verdict, nil
}

// known returns what the host knows about a point, which it examines once, and the error
// of its definition.
func (h *Host) known(point hookpoints.AnyPoint) (hookpoints.Info, error) {
	known, found := h.points.Load(point)
	if !found {
		info := point.Info()
		known, _ = h.points.LoadOrStore(point, knownPoint{info, hookpoints.Validate(info)})
	}
	return known.(knownPoint).info, known.(knownPoint).err
}

// knownPoint is a point and the error of its definition.
type knownPoint struct {
	info hookpoints.Info
	err  error
}

// subscribers lists, in order, the plugins that the host asks at a point one after another, and
// the plugins that it asks at once; at a chain point these are the guards. The error is about a
// plugin without a usable handler, see [Host.Validate].
func (h *Host) subscribers(at hookpoints.Info) (inTurn, atOnce []*Plugin, err error) {
	for i := range h.Plugins {
		p := &h.Plugins[i]
		switch {
		case !slices.Contains(p.Hooks, at.Name):
		case p.isInside() && p.mistakeAt(at.Name) != nil:
			return nil, nil, p.mistakeAt(at.Name)
		case at.Mode == hookpoints.Claim, at.Mode == hookpoints.Chain && !p.GuardsAt(at.Name):
			inTurn = append(inTurn, p)
		default:
			atOnce = append(atOnce, p)
		}
	}
	return inTurn, atOnce, nil
}

// isInside reports whether the plugin is a function of the program, not a file.
func (p *Plugin) isInside() bool { return p.Origin.Path == "" || p.Handler == nil }

// Subscribes reports whether the host asks the plugin at the point.
func (p *Plugin) Subscribes(at hookpoints.Name) bool {
	return p.Handler != nil && slices.Contains(p.Hooks, at)
}

// IsHeard reports whether the host asks any plugin at the point. A nil host has none.
func (h *Host) IsHeard(at hookpoints.Name) bool {
	return h != nil && slices.ContainsFunc(h.Plugins, func(p Plugin) bool { return p.Subscribes(at) })
}

// GuardsAt reports whether the plugin only ever blocks at the point.
func (p *Plugin) GuardsAt(at hookpoints.Name) bool { return slices.Contains(p.Guards, at) }

// isAskedWithOthers reports whether a plugin of a chain may be asked before its turn.
func (p *Plugin) isAskedWithOthers() bool { return p.Pure || p.Round != "" }

// dispatch is one event on its way through the subscribers.
type dispatch struct {
	host    *Host
	id      int64
	info    hookpoints.Info
	payload []byte
	left    atomic.Int64 // remaining shared bytes for answers
	refine  []Refine
	replies []*reply
	merged  *merge.Accumulator
	async   bool      // nobody waits for it
	early   *schedule // of the plugins that are asked in turn; nil: none is asked before its turn
	// askNext asks the next of them: ask, or the schedule's method.
	askNext func(ctx context.Context, p *Plugin, payload []byte) *reply
}

// reply is the reply of one subscriber, with its record.
type reply struct {
	dispatch *dispatch
	plugin   *Plugin
	// body is a non-empty JSON object of the right types, or nil.
	body    []byte
	unread  bool // see Answer.Unread
	asked   bool // see Answer.Asked
	ended   bool // the run was interrupted before it answered
	record  Record
	notices []string
	stop    error // ends the run
}

func newDispatch(h *Host, info hookpoints.Info, payload []byte, refine []Refine) *dispatch {
	d := &dispatch{host: h, id: h.dispatches.Add(1), info: info, payload: payload, refine: refine}
	d.merged, d.askNext = merge.New(info, payload), d.ask
	d.left.Store(h.maxAnswers())
	return d
}

func (h *Host) maxAnswers() int64 { return cmp.Or(max(h.MaxAnswers, 0), DefaultAnswers) }

// run asks the subscribers and returns the combined answer.
func (d *dispatch) run(ctx context.Context, inTurn, atOnce []*Plugin) (merge.Result, error) {
	err := d.askAll(ctx, inTurn, atOnce)
	result := d.merged.Result()
	if err != nil {
		result.Answer = nil
	}
	d.report(ctx, result)
	return result, err
}

// askAll asks the plugins inTurn one after another, each with the payload as the previous
// one left it, until the dispatch is settled, and then those atOnce concurrently. The error is the
// error of ctx, or a [StartError].
func (d *dispatch) askAll(ctx context.Context, inTurn, atOnce []*Plugin) error {
	if d.host.later.unreported.Load() > 0 || slices.ContainsFunc(inTurn, (*Plugin).isAskedWithOthers) {
		defer d.prepare(ctx, inTurn, atOnce)()
	}
	for i, p := range inTurn {
		r := d.askNext(ctx, p, d.merged.Next())
		d.replies = append(d.replies, r)
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if d.add(r) && !d.early.isInRound() {
			d.skip(append(inTurn[i+1:], atOnce...))
			return nil
		}
	}
	if len(atOnce) == 0 {
		return nil
	}
	return d.askAtOnce(ctx, atOnce)
}

// add adds a reply and reports whether the dispatch is settled.
func (d *dispatch) add(r *reply) bool {
	body := r.body
	if len(d.refine) > 0 {
		body = d.refined(r)
	}
	return d.merged.Add(merge.Reply{From: r.plugin.Name, Guard: r.record.Guard, Body: body})
}

// ask runs a plugin's handler and returns its reply.
func (d *dispatch) ask(ctx context.Context, p *Plugin, payload []byte) *reply {
	r := d.newReply(p, payload)
	if d.host.Waiting != nil && !d.async {
		defer d.host.Waiting(d.info.Name, p.Name)()
	}
	room := &share{dispatch: d, own: ownAnswer}
	answer, err := handle(ctx, p.Handler, Event{Point: d.info.Name, Payload: payload, room: room,
		plugin: p, identify: ctx.Value(identityKey{})})
	if err == nil && !room.used {
		err = room.take(len(answer.Body))
	}
	r.unread, r.asked, r.ended = answer.Unread, answer.Asked, errors.Is(err, context.Canceled) && ctx.Err() != nil
	r.record.DurationMS = float64(time.Since(r.record.Time).Microseconds()) / 1000
	r.record.Exit, r.record.AnswerBytes, r.record.How = answer.Exit, len(answer.Body), answer.How
	r.record.Notes, r.notices = slices.Clone(answer.Notes), slices.Clone(answer.Notes)
	if err != nil || cmp.Or(answer.Skipped, answer.Unreadable) != "" {
		r.unanswered(answer, err)
	} else {
		r.read(answer)
	}
	if r.unread {
		r.notRead()
	}
	return r
}

func (d *dispatch) newReply(p *Plugin, payload []byte) *reply {
	return &reply{dispatch: d, plugin: p, record: Record{
		Time: time.Now(), Dispatch: d.id, Point: d.info.Name, Plugin: p.Name,
		Protocol: p.Origin.Protocol, Event: p.Events[d.info.Name],
		Guard: d.info.Mode == hookpoints.Chain && p.GuardsAt(d.info.Name), Result: NoOpinion,
		Payload: payload, PayloadBytes: len(payload),
	}}
}

// handle calls the handler; a panic of the handler is an error.
func handle(ctx context.Context, h Handler, ev Event) (answer Answer, err error) {
	defer func() {
		if cause := recover(); cause != nil {
			err = fmt.Errorf("it panicked: %v", cause)
		}
	}()
	return h.Handle(ctx, ev)
}

// read stores an answer's body in the reply, normalized, if it is a non-empty object with
// the types of the point.
func (r *reply) read(answer Answer) {
	body, err := strictjson.Normalize(bytes.TrimSpace(answer.Body))
	isAnswer := err == nil && body[0] == '{' && strictjson.CheckDepth(body, strictjson.MaxArgumentDepth) == nil &&
		strictjson.DecodeKnown(body, reflect.New(r.dispatch.info.Checked).Interface()) == nil
	switch {
	case !isAnswer:
		r.readClosely(answer)
	case string(body) != "{}":
		r.body, r.record.Answer = body, body
	}
	if answer.Doubt != "" {
		r.doubt(answer.Doubt)
	}
}

// Admit reserves room for more bytes of an answer. The room is shared by all plugins of
// a dispatch; an error means that there is none left. A handler that reads an answer in
// pieces calls it before it keeps a piece; other handlers need not, because their answers
// are counted when they are complete. Only the goroutine of the handler may call it.
func (ev Event) Admit(bytes int) error { return ev.room.take(bytes) }

// Identity returns to which conversation and prompt the event belongs, as IdentityOf does.
func (ev Event) Identity() Identity {
	if identify, ok := ev.identify.(func() Identity); ok {
		return identify()
	}
	return Identity{}
}

// share is the room for the answer of one plugin of a dispatch: its own part, then what
// is left of the shared part. Without it, plugins that are asked concurrently could fill
// the memory with answers that are each within the bound. It is for one goroutine; nil
// means unlimited room.
type share struct {
	dispatch *dispatch
	own      int
	used     bool // take was called
}

// take reserves room for more bytes. An error means that there is none left.
func (s *share) take(bytes int) error {
	if s == nil {
		return nil
	}
	s.used = true
	own := min(bytes, s.own)
	s.own -= own
	if bytes == own || s.dispatch.left.Add(-int64(bytes-own)) >= 0 {
		return nil
	}
	return s.dispatch.host.noRoom()
}

// maxTold bounds a text of a plugin for the person, in bytes.
const maxTold = 10_000

// report passes on notices and records, in the order in which plugins were asked, after
// the dispatch as a whole.
func (d *dispatch) report(ctx context.Context, result merge.Result) {
	if d.host.Fired != nil {
		d.fired(ctx, result)
	}
	for i, r := range d.replies { // replies that were not added come last
		if i < len(result.Effects) {
			r.take(ctx, result.Effects[i])
		}
		for _, text := range r.notices {
			d.host.notify(Notice{Plugin: r.plugin.Name, Point: d.info.Name, Event: r.record.Event, Text: text})
		}
		if d.host.Trace != nil {
			r.record.Agent = agentIn(ctx)
			d.host.Trace(r.record)
		}
	}
}

// take adds the effect of an answer to the record. A failure is still recorded as one.
func (r *reply) take(ctx context.Context, e merge.Effect) {
	if e.Outcome != merge.NoEffect && r.record.Result != Failed {
		r.record.Result = Result(e.Outcome)
	}
	r.record.Blocks = e.Decides && e.Outcome == merge.Blocked
	r.record.Why, r.record.Lost, r.record.Did = cmp.Or(r.record.Why, e.Why), e.Lost, e.Did
	if r.dispatch.host.Trace != nil { // only the trace needs the changes
		r.record.Changed = e.Changed()
	}
	for _, text := range e.Tells {
		r.notices = append(r.notices, clip.Bytes(text, maxTold))
	}
	for _, note := range e.Notes {
		r.takeNote(ctx, note)
	}
}
