package plugin

import (
	"context"
	"fmt"
	"slices"

	"github.com/chibi-host/chibi/hookpoints"
	"github.com/chibi-host/chibi/internal/strictjson"
	"github.com/chibi-host/chibi/merge"
	"github.com/tidwall/gjson"
)

// chain asks one subscriber after another, each with the payload as the
// previous one left it, and then the guards, all at once, with the final one.
func (d *dispatch) chain(ctx context.Context, subscribers []*Plugin) ([]byte, error) {
	rewriters, guards := d.split(subscribers)
	payload := merge.NewChain(d.payload)
	defer func() {
		d.final = payload.Doc()
		d.noteConflicts(payload)
	}()
	for i, p := range rewriters {
		r, err := d.askOne(ctx, p, payload.Doc())
		if err != nil {
			return nil, err
		}
		if block := d.block(r); block != nil {
			d.skip(append(rewriters[i+1:], guards...), fmt.Sprintf("plugin %q blocked", p.Name))
			return block, nil
		}
		d.rewrite(payload, r)
	}
	replies, err := d.askAll(ctx, guards, payload.Doc())
	if err != nil {
		return nil, err
	}
	if block := d.firstBlock(replies); block != nil {
		return block, nil
	}
	return d.rewritten(payload), nil
}

// split separates the plugins that may rewrite from those that only guard.
func (d *dispatch) split(subscribers []*Plugin) (rewriters, guards []*Plugin) {
	for _, p := range subscribers {
		if p.GuardsAt(d.info.Name) {
			guards = append(guards, p)
		} else {
			rewriters = append(rewriters, p)
		}
	}
	return rewriters, guards
}

// block returns the answer of a plugin that refuses, nil if it does not.
func (d *dispatch) block(r *reply) []byte {
	for _, f := range d.info.Fields {
		if f.Rule != hookpoints.RuleBlock || !r.isTrue(f.Name) {
			continue
		}
		if r.record.Result != Failed {
			r.record.Result = Blocked
		}
		if d.blocker == "" {
			d.blocker, r.record.Blocks = r.plugin.Name, true
		}
		answer := d.withCompanions(r, f.Name, fmt.Sprintf("blocked by plugin %q", r.plugin.Name))
		if r.record.Why == "" {
			r.record.Why = companionText(d.info, answer, f.Name)
		}
		return answer
	}
	return nil
}

// firstBlock reads the guards' replies: they may block and nothing else.
func (d *dispatch) firstBlock(replies []*reply) []byte {
	var first []byte
	var winner string
	for _, r := range replies {
		block := d.block(r)
		switch {
		case block == nil && d.hasOtherEffect(r):
			r.ignore("it is a guard here and may only block")
		case block != nil && first == nil:
			first, winner = block, r.plugin.Name
		case block != nil:
			r.remark(fmt.Sprintf("plugin %q blocked first", winner))
		}
	}
	return first
}

// hasOtherEffect reports whether an answer that does not block has a field with an
// effect of its own.
func (d *dispatch) hasOtherEffect(r *reply) bool {
	for _, f := range d.info.Fields {
		if f.Rule != hookpoints.RuleBlock && f.Rule != hookpoints.RuleWith && r.field(f.Name) != nil {
			return true
		}
	}
	return false
}

// rewrite applies one answer to the payload.
func (d *dispatch) rewrite(payload *merge.Chain, r *reply) {
	for _, f := range d.info.Fields {
		value := d.refined(r, f)
		if value == nil {
			continue
		}
		changes, err := apply(payload, r.plugin.Name, f, value)
		if err != nil {
			r.ignore(fmt.Sprintf("%q: %v", f.Name, err))
			continue
		}
		for _, c := range changes {
			r.changed(c.Path)
		}
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

// apply makes one field of an answer take effect on the payload.
func apply(payload *merge.Chain, from string, f hookpoints.AnswerField, value []byte) ([]merge.Change, error) {
	switch f.Rule {
	case hookpoints.RuleReplace:
		return payload.Replace(from, f.Name, value)
	case hookpoints.RulePatch:
		if value[0] != '{' {
			return nil, fmt.Errorf("a patch must be an object")
		}
		return payload.Patch(from, f.Name, value)
	}
	return nil, nil
}

// rewritten is the chain's answer: the final value of every field that was
// rewritten, and what the other rules make of the replies.
func (d *dispatch) rewritten(payload *merge.Chain) []byte {
	answer := newObject()
	for _, f := range d.info.Fields {
		switch f.Rule {
		case hookpoints.RuleReplace, hookpoints.RulePatch:
			if payload.Changed(f.Name) {
				answer.set(f.Name, payload.Field(f.Name))
				d.copyLatest(answer, f.Name)
			}
		default:
			d.fold(answer, f, d.replies)
		}
	}
	return answer.bytes()
}

// copyLatest copies what the last plugin that rewrote a field says beside it.
func (d *dispatch) copyLatest(answer *object, name string) {
	for _, r := range slices.Backward(d.replies) {
		if r.field(name) != nil {
			answer.copyCompanions(d.info, r, name)
			return
		}
	}
}

// noteConflicts tells each loser what became of its change.
func (d *dispatch) noteConflicts(payload *merge.Chain) {
	of := map[string][]*reply{}
	for _, r := range d.replies {
		of[r.plugin.Name] = append(of[r.plugin.Name], r)
	}
	for _, c := range payload.Conflicts() {
		for _, r := range of[c.Loser] {
			r.lost(c.Path, c.Winner)
		}
	}
}
