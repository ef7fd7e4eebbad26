package plugin

import (
	"errors"
	"fmt"

	"github.com/chibi-host/chibi/hookpoints"
	"github.com/chibi-host/chibi/merge"
	"github.com/dustin/go-humanize"
)

// failed turns a failure into no opinion or a block.
func (d *dispatch) failed(r *reply, err error) {
	r.record.Result, r.record.Why = Failed, err.Error()
	if r.ended && !r.asked {
		return
	}
	if d.stops(r.plugin, err) {
		r.stop = err
		return
	}
	message, notice := d.refusal(r, err)
	if message == "" {
		r.notices = append(r.notices, err.Error()+"; went on without it")
		return
	}
	r.body, _ = JSON(map[string]any{"block": true, "message": message})
	r.notices = append(r.notices, err.Error()+"; "+notice)
}

// refusal returns the message of a failure that blocks, "" if it does not block. This is
// the only place that decides what a failure means.
func (d *dispatch) refusal(r *reply, err error) (message, notice string) {
	p := r.plugin
	switch {
	case !d.info.CanBlock():
		return "", ""
	case r.unread && p.FailureAt(d.info.Name) != Ignore && d.info.Name == hookpoints.PreTool.Name:
		message = fmt.Sprintf("plugin %q could not see this call, which is too large for that hook: %v. "+
			"Make the call smaller", p.Name, err)
		return message, fmt.Sprintf("blocked; on_failure = \"ignore\" in [plugins.%q] of the configuration lets such calls "+
			"pass", p.Name)
	case r.asked:
		return fmt.Sprintf("plugin %q asked the person and then failed: %v", p.Name, err), "blocked, as it was asking you"
	case p.FailureAt(d.info.Name) == Block:
		return fmt.Sprintf("plugin %q failed, and its failure blocks: %v", p.Name, err), "blocked, as its on_failure asks for"
	}
	return "", ""
}

// unreadable treats an unreadable answer as no opinion, or as a failure if the plugin's
// failure blocks, because the answer may have been a block.
func (d *dispatch) unreadable(r *reply, why string) {
	if d.refusedBecause(r, why) {
		d.failed(r, errors.New(why))
		return
	}
	r.record.Result = Ignored
	r.remark(why)
	r.notices = append(r.notices, why+"; ignored")
}

// refusedBecause reports whether an invalid answer blocks like a failure.
func (d *dispatch) refusedBecause(r *reply, why string) bool {
	message, _ := d.refusal(r, errors.New(why))
	return message != ""
}

// notRead turns an answer to a payload that the plugin did not read into a failure, unless
// it blocks; observers need not read theirs.
func (d *dispatch) notRead(r *reply) {
	if d.info.Mode == hookpoints.Observe || r.record.Result == Failed || d.refuses(r) {
		return
	}
	r.body = nil
	d.failed(r, fmt.Errorf("it read nothing of a payload of %s, which only standard input can carry",
		humanize.Bytes(uint64(r.record.PayloadBytes))))
}

// refuses reports whether an answer blocks the event.
func (d *dispatch) refuses(r *reply) bool { return merge.Blocks(d.info, r.body) }
