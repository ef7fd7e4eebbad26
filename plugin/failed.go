package plugin

import (
	"errors"
	"fmt"

	"github.com/chibi-host/chibi/hookpoints"
	"github.com/chibi-host/chibi/merge"
	"github.com/dustin/go-humanize"
)

// unanswered records why there is no answer: the plugin failed, got no question, or gave an
// answer that cannot be read.
func (r *reply) unanswered(answer Answer, err error) {
	switch {
	case err != nil:
		r.failed(err)
	case answer.Skipped != "":
		r.record.Result, r.record.Why = Skipped, answer.Skipped
	default:
		r.unreadable(answer.Unreadable)
	}
}

// failed turns a failure into no opinion, a block or the end of the run.
func (r *reply) failed(err error) {
	r.record.Result, r.record.Why = Failed, err.Error()
	if r.ended && !r.asked {
		return
	}
	if r.stops(err) {
		r.stop = err
		return
	}
	message, notice := r.refusal(err)
	if message == "" {
		r.notices = append(r.notices, err.Error()+"; went on without it")
		return
	}
	r.body = r.dispatch.info.Refusal(message)
	r.notices = append(r.notices, err.Error()+"; "+notice)
}

// refusal returns the message of a failure that blocks, "" if it does not block, and the
// end of the notice about it. This is the only place that decides whether a failure blocks.
func (r *reply) refusal(err error) (message, notice string) {
	p, at := r.plugin, r.dispatch.info
	switch {
	case !at.CanBlock():
		return "", ""
	case r.unread && p.FailureAt(at.Name) != Ignore && judgesCalls(at):
		message = fmt.Sprintf("plugin %q could not see this call, which is too large for that hook: %v. "+
			"Make the call smaller", p.Name, err)
		return message, fmt.Sprintf("blocked; on_failure = \"ignore\" in [plugins.%q] of the configuration lets such calls "+
			"pass", p.Name)
	case r.asked:
		return fmt.Sprintf("plugin %q asked the person and then failed: %v", p.Name, err), "blocked, as it was asking you"
	case p.FailureAt(at.Name) == Block:
		return fmt.Sprintf("plugin %q failed, and its failure blocks: %v", p.Name, err), "blocked, as its on_failure asks for"
	}
	return "", ""
}

// judgesCalls reports whether plugins decide at a point whether a tool runs.
func judgesCalls(at hookpoints.Info) bool {
	return at.Name == hookpoints.PreTool.Name || at.Group == hookpoints.GroupPermission
}

// unreadable treats an unreadable answer as no opinion, or as a failure if the plugin's
// failure blocks, because the answer may have been a block.
func (r *reply) unreadable(why string) {
	if refusedBecause(r, why) {
		r.failed(errors.New(why))
		return
	}
	r.record.Result = Ignored
	r.remark(why)
	r.notices = append(r.notices, why+"; ignored")
}

// refusedBecause reports whether an invalid answer blocks like a failure.
func refusedBecause(r *reply, why string) bool {
	message, _ := r.refusal(errors.New(why))
	return message != ""
}

// notRead turns an answer to a payload that the plugin did not read into a failure, unless
// it blocks; observers need not read theirs.
func (r *reply) notRead() {
	if r.dispatch.info.Mode == hookpoints.Observe || r.record.Result == Failed || r.refuses() {
		return
	}
	r.body = nil
	r.failed(fmt.Errorf("it read nothing of a payload of %s, which only standard input can carry",
		humanize.Bytes(uint64(r.record.PayloadBytes))))
}

// refuses reports whether an answer blocks the event.
func (r *reply) refuses() bool { return merge.Blocks(r.dispatch.info, r.body) }
