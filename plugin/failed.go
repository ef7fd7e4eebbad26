package plugin

import (
	"errors"
	"fmt"

	"github.com/chibi-host/chibi/hookpoints"
	"github.com/chibi-host/chibi/merge"
	"github.com/dustin/go-humanize"
)

// failed makes a failure what it means here: no opinion, or a block.
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

// refusal is what a failure that blocks tells whoever wanted to go on, and the
// person; "" if it does not block. This is the one place that says what a
// failure means.
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

// unreadable is no opinion, except for a plugin whose failure blocks: what it
// said may have been a block.
func (d *dispatch) unreadable(r *reply, why string) {
	if d.refusedBecause(r, why) {
		d.failed(r, errors.New(why))
		return
	}
	r.record.Result = Ignored
	r.remark(why)
	r.notices = append(r.notices, why+"; ignored")
}

// refusedBecause reports whether an answer that means nothing blocks as a failure
// would.
func (d *dispatch) refusedBecause(r *reply, why string) bool {
	message, _ := d.refusal(r, errors.New(why))
	return message != ""
}

// notRead makes a failure of an answer to a payload that the plugin did not
// see, unless it refuses; observers need not see theirs.
func (d *dispatch) notRead(r *reply) {
	if d.info.Mode == hookpoints.Observe || r.record.Result == Failed || d.refuses(r) {
		return
	}
	r.body = nil
	d.failed(r, fmt.Errorf("it read nothing of a payload of %s, which only standard input can carry",
		humanize.Bytes(uint64(r.record.PayloadBytes))))
}

// refuses reports whether an answer blocks.
func (d *dispatch) refuses(r *reply) bool { return merge.Blocks(d.info, r.body) }
