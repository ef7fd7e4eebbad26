package plugin

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"reflect"
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
	replies []*reply
	merged  *merge.Accumulator
}

// reply is what one subscriber said, and the record of it.
type reply struct {
	plugin *Plugin
	// body is a non-empty JSON object of the right types, or nil.
	body    []byte
	unread  bool // see Answer.Unread
	asked   bool // see Answer.Asked
	counted bool // it was added to the merged answer
	ended   bool // the run was interrupted before it answered
	record  Record
	notices []string
	stop    error // ends the run
}

func newDispatch(h *Host, info hookpoints.Info, payload []byte) *dispatch {
	return &dispatch{
		host: h, id: h.dispatches.Add(1), info: info, payload: payload, room: newRoom(h.MaxAnswers),
		merged: merge.New(info, payload),
	}
}

// run asks the subscribers in the way of the point's mode and returns what their
// answers come to.
func (d *dispatch) run(ctx context.Context, subscribers []*Plugin) (merge.Result, error) {
	err := d.askInOrder(ctx, subscribers)
	result := d.merged.Result()
	if err != nil {
		result.Answer = nil
	}
	d.report(result)
	return result, err
}

// askInOrder asks those that are asked one after another, each with the payload as
// the previous one left it, until the dispatch is settled, and then the others, all
// at once.
func (d *dispatch) askInOrder(ctx context.Context, subscribers []*Plugin) error {
	inTurn, atOnce := d.split(subscribers)
	for i, p := range inTurn {
		r, err := d.askOne(ctx, p, d.merged.Next())
		if err != nil {
			return err
		}
		if d.add(r) {
			d.skip(append(inTurn[i+1:], atOnce...), fmt.Sprintf("plugin %q %s", p.Name, settledBy(d.info.Mode)))
			return nil
		}
	}
	replies, err := d.askAll(ctx, atOnce, d.merged.Next())
	if err != nil {
		return err
	}
	for _, r := range replies {
		d.add(r)
	}
	return d.stopped(replies)
}

// split separates the subscribers that are asked one after another from those that
// are asked at once; at a chain point these are the guards.
func (d *dispatch) split(subscribers []*Plugin) (inTurn, atOnce []*Plugin) {
	for _, p := range subscribers {
		if d.info.Mode == hookpoints.Claim || d.info.Mode == hookpoints.Chain && !p.GuardsAt(d.info.Name) {
			inTurn = append(inTurn, p)
		} else {
			atOnce = append(atOnce, p)
		}
	}
	return inTurn, atOnce
}

// settledBy says what a plugin did that ended a dispatch.
func settledBy(mode hookpoints.Mode) string {
	if mode == hookpoints.Claim {
		return "claimed it"
	}
	return "blocked"
}

// add counts a reply, and reports whether the dispatch is settled.
func (d *dispatch) add(r *reply) bool {
	r.counted = true
	return d.merged.Add(merge.Reply{From: r.plugin.Name, Guard: r.record.Guard, Body: d.refined(r)})
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
	if err == nil && !room.used {
		err = room.take(len(answer.Body))
	}
	r.ended = errors.Is(err, context.Canceled) && ctx.Err() != nil
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

// tooDeep is the error of an answer that would make the payload nest deeper than
// the subscribers behind it can read: a guard that cannot read has no opinion.
func (d *dispatch) tooDeep(answer []byte) error {
	for _, f := range d.info.Fields {
		value := gjson.GetBytes(answer, gjson.Escape(f.Name))
		if f.Rule != hookpoints.RuleReplace || !value.Exists() {
			continue
		}
		if err := strictjson.CheckDepth([]byte(value.Raw), strictjson.MaxArgumentDepth); err != nil {
			return fmt.Errorf("its %q cannot be used: %w", f.Name, err)
		}
	}
	return nil
}

// check says which field of an answer does not have the type that the point gives it.
func (d *dispatch) check(answer []byte) error {
	return strictjson.Decode(answer, reflect.New(d.info.Answer).Interface())
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
