package plugin

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/chibi-host/chibi/hookpoints"
	"github.com/chibi-host/chibi/internal/strictjson"
	"github.com/chibi-host/chibi/merge"
	"github.com/tidwall/gjson"
	"golang.org/x/sync/errgroup"
)

// dispatch is one moment on its way through its subscribers.
type dispatch struct {
	host    *Host
	id      int64
	info    hookpoints.Info
	payload []byte
	room    *room
	refine  []Refine
	// check tells whether an answer's fields have the point's types.
	check   func(answer []byte) error
	replies []*reply
	// final is the payload as rewrites have left it; nil: as it was.
	final []byte
	// blocker is the plugin that blocked, "" if none did.
	blocker string
	// appendedBy names the plugin of each element of a field that is appended to.
	appendedBy []string
}

// reply is what one subscriber said, and the record of it.
type reply struct {
	plugin *Plugin
	// body is a non-empty JSON object of the right types, or nil.
	body    []byte
	unread  bool // see Answer.Unread
	asked   bool // see Answer.Asked
	record  Record
	notices []string
	stop    error // ends the run
}

func newDispatch(h *Host, info hookpoints.Info, payload []byte) *dispatch {
	return &dispatch{host: h, id: h.dispatches.Add(1), info: info, payload: payload, room: newRoom(h.MaxAnswers)}
}

// run asks the subscribers in the way of the point's mode and returns the
// combined answer, nil for none.
func (d *dispatch) run(ctx context.Context, subscribers []*Plugin) (answer []byte, err error) {
	defer func() { d.report(answer) }()
	switch d.info.Mode {
	case hookpoints.Observe:
		return nil, d.observe(ctx, subscribers)
	case hookpoints.Gather:
		return d.gather(ctx, subscribers)
	case hookpoints.Chain:
		return d.chain(ctx, subscribers)
	case hookpoints.Claim:
		return d.claim(ctx, subscribers)
	}
	return nil, fmt.Errorf("hook point %s: unknown mode %q", d.info.Name, d.info.Mode)
}

// askAll asks several plugins at once, those of one sequence one after another,
// and returns their replies in order. The error is the end of ctx.
func (d *dispatch) askAll(ctx context.Context, plugins []*Plugin, payload []byte) ([]*reply, error) {
	replies := make([]*reply, len(plugins))
	var g errgroup.Group
	g.SetLimit(d.host.parallel())
	for _, sequence := range sequences(plugins) {
		g.Go(func() error {
			for _, i := range sequence {
				replies[i] = d.ask(ctx, plugins[i], payload)
			}
			return nil
		})
	}
	g.Wait()
	d.replies = append(d.replies, replies...)
	return replies, ctx.Err()
}

// sequences groups the indexes of plugins that are asked one after another;
// most plugins are alone.
func sequences(plugins []*Plugin) (groups [][]int) {
	of := map[string]int{}
	for i, p := range plugins {
		at, begun := of[p.Sequence]
		if p.Sequence != "" && begun {
			groups[at] = append(groups[at], i)
			continue
		}
		of[p.Sequence] = len(groups)
		groups = append(groups, []int{i})
	}
	return groups
}

// askOne asks one plugin. The error is the end of ctx.
func (d *dispatch) askOne(ctx context.Context, p *Plugin, payload []byte) (*reply, error) {
	r := d.ask(ctx, p, payload)
	d.replies = append(d.replies, r)
	return r, ctx.Err()
}

// ask runs a plugin's handler and makes a reply of whatever it does.
func (d *dispatch) ask(ctx context.Context, p *Plugin, payload []byte) *reply {
	r := d.newReply(p, payload)
	if d.host.Waiting != nil {
		defer d.host.Waiting(d.info.Name, p.Name)()
	}
	room := d.room.share()
	answer, err := handle(ctx, p.Handler, Event{Point: d.info.Name, Payload: payload, room: room})
	if err == nil && !answer.counted && !room.take(len(answer.Body)) {
		err = room.failure()
	}
	r.record.DurationMS = float64(time.Since(r.record.Time).Microseconds()) / 1000
	r.record.Exit = answer.Exit
	r.unread, r.asked = answer.Unread, answer.Asked
	r.record.AnswerBytes = len(answer.Body)
	for _, note := range answer.Notes {
		r.remark(note)
		r.notices = append(r.notices, note)
	}
	switch {
	case err != nil:
		d.failed(r, err)
	case answer.Skipped != "":
		r.record.Result, r.record.Why = Skipped, answer.Skipped
	case answer.Unreadable != "":
		d.unreadable(r, answer.Unreadable)
	default:
		d.read(r, answer.Body)
		d.doubt(r, answer.Doubt)
	}
	if r.unread {
		d.notRead(r)
	}
	return r
}

// handle keeps a handler's panic from ending the program.
func handle(ctx context.Context, h Handler, ev Event) (answer Answer, err error) {
	defer func() {
		if cause := recover(); cause != nil {
			err = fmt.Errorf("it panicked: %v", cause)
		}
	}()
	return h.Handle(ctx, ev)
}

// read takes an answer's body into the reply, in its one spelling, if it is an
// object of the point's types with at least one field.
func (d *dispatch) read(r *reply, body []byte) {
	body = bytes.TrimSpace(body)
	if len(body) == 0 {
		return
	}
	body, err := strictjson.Normalize(body)
	switch {
	case errors.Is(err, strictjson.ErrDepth):
		d.unreadable(r, "its answer cannot be read: "+err.Error())
		return
	case err != nil || body[0] != '{':
		d.unreadable(r, "its answer is not a JSON object")
		return
	case string(body) == "{}":
		return
	}
	if err := d.check(body); err != nil {
		d.unreadable(r, "its answer has a field of the wrong type: "+err.Error())
		return
	}
	if err := d.tooDeep(body); err != nil {
		d.unreadable(r, err.Error())
		return
	}
	r.body, r.record.Answer = body, body
	if d.info.Mode != hookpoints.Observe {
		d.noteUnknown(r)
	}
}

func (d *dispatch) newReply(p *Plugin, payload []byte) *reply {
	return &reply{plugin: p, record: Record{
		Time: time.Now(), Dispatch: d.id, Point: d.info.Name, Plugin: p.Name,
		Protocol: p.Origin.Protocol, Event: p.EventAt(d.info.Name),
		Guard: d.info.Mode == hookpoints.Chain && p.GuardsAt(d.info.Name), Result: NoOpinion,
		Payload: payload, PayloadBytes: len(payload),
	}}
}

// skip records plugins that were not asked.
func (d *dispatch) skip(plugins []*Plugin, why string) {
	for _, p := range plugins {
		r := d.newReply(p, nil)
		r.record.Result, r.record.Why = Skipped, why
		d.replies = append(d.replies, r)
	}
}

// report hands out notices and records, in the order in which plugins were
// asked, and before them the dispatch as a whole.
func (d *dispatch) report(answer []byte) {
	if d.host.Fired != nil {
		final := d.final
		if final == nil {
			final = d.payload
		}
		d.host.Fired(Firing{Dispatch: d.id, Point: d.info.Name, Payload: d.payload, Final: final, Answer: answer})
	}
	for _, r := range d.replies {
		for _, text := range r.notices {
			d.host.notify(Notice{Plugin: r.plugin.Name, Point: d.info.Name, Event: r.record.Event, Text: text})
		}
		if d.host.Trace != nil {
			d.host.Trace(r.record)
		}
	}
}

// remark adds a sentence to the record.
func (r *reply) remark(note string) { r.record.Notes = append(r.record.Notes, note) }

// ignore marks an answer that has no effect and says why, once in the record
// and once to the person.
func (r *reply) ignore(why string) {
	r.record.Result = Ignored
	r.remark(why)
	r.notices = append(r.notices, why+"; ignored")
}

// changed marks an answer that took effect.
func (r *reply) changed(paths ...string) {
	if len(paths) > 0 && r.record.Result != Failed {
		r.record.Result = Changed
	}
	r.record.Changed = append(r.record.Changed, paths...)
}

// lost notes that another plugin's value stands where r's stood.
func (r *reply) lost(path, winner string) {
	r.record.Lost = append(r.record.Lost, merge.Conflict{Path: path, Winner: winner, Loser: r.plugin.Name})
}

// field is the raw value of one field of the answer, nil if it is absent or
// null.
func (r *reply) field(name string) []byte {
	v := gjson.GetBytes(r.body, gjson.Escape(name))
	if !v.Exists() || v.Type == gjson.Null {
		return nil
	}
	return []byte(v.Raw)
}

// isTrue says whether a field of the answer is the JSON value true.
func (r *reply) isTrue(name string) bool { return string(r.field(name)) == "true" }

// names lists the fields of the answer, without those that say nothing: null, and
// "block": false.
func (r *reply) names() []string {
	var names []string
	gjson.ParseBytes(r.body).ForEach(func(key, value gjson.Result) bool {
		if value.Type != gjson.Null && !(key.Str == "block" && value.Type == gjson.False) {
			names = append(names, key.String())
		}
		return true
	})
	return names
}
