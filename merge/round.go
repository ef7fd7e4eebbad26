package merge

import (
	"cmp"

	"github.com/chibi-host/chibi/hookpoints"
	"github.com/tidwall/gjson"
)

// Round is the payload that several plugins received at the same time. The rewrite of each
// plugin is its difference from that payload, so that plugins that rewrite different
// places do not undo each other. It is not safe for concurrent use.
type Round struct {
	info     hookpoints.Info
	received document
}

// NewRound returns a round at a point that is valid according to [hookpoints.Validate].
// The payload must be valid as for [New].
func NewRound(info hookpoints.Info, payload []byte) *Round {
	return &Round{info: info, received: document{text: payload, values: map[string]*node{}}}
}

// Rebase returns the answer of a plugin of the round as if the plugin had received another
// payload, the current one: its changes are made there, and everything else stays as it is
// there. Members that it deleted are deleted. Arrays and texts are changed as
// a whole. The answer must be valid like the replies of [Accumulator.Add].
func (b *Round) Rebase(answer, current []byte) []byte {
	rebased := newNode(string(answer))
	for _, f := range b.info.Fields {
		after := gjson.GetBytes(answer, gjson.Escape(f.Name))
		if after.Type == gjson.Null || !f.Rule.Rewrites() {
			continue
		}
		before, change := b.received.value(f.Name), ""
		if f.Rule == hookpoints.RulePatch {
			change = before.trim(after)
		} else {
			now := newNode(gjson.GetBytes(current, gjson.Escape(f.Name)).Raw)
			now.differ(before, after)
			change = now.raw()
		}
		rebased.put(f.Name, cmp.Or(change, "null")) // null: no opinion
	}
	return []byte(rebased.raw())
}

// differ makes a value differ in the way in which after differs from before. What is no
// object any more is an object without members, as in a merge patch.
func (n *node) differ(before *node, after gjson.Result) {
	if equal(before.result(), after) {
		return
	}
	if !after.IsObject() || !isObject(before.raw()) {
		n.replace(after.Raw)
		return
	}
	if n.members() == nil {
		n.replace("{}")
	}
	members := membersOf(after.Raw)
	for _, m := range before.members().list {
		if _, kept := members.last[m.name]; !kept {
			n.differMember(m.name, before.member(m.name), gjson.Result{})
		}
	}
	for i, m := range members.list {
		if members.isLast(i) {
			n.differMember(m.key, before.member(m.key), gjson.Parse(m.value))
		}
	}
}

// differMember is like differ, for a member of an object. One that does not exist after
// is deleted.
func (n *node) differMember(name string, before *node, after gjson.Result) {
	if equal(before.result(), after) {
		return
	}
	there := n.member(name)
	switch {
	case there == nil && !after.Exists():
		return
	case there == nil:
		there = &node{}
		there.differ(before, after)
		n.put(name, there.raw())
		return
	case after.Exists():
		there.differ(before, after)
	default:
		n.object.last[name].gone = true
	}
	n.object.last[name].touched, n.stale = true, true
}

// trim returns a merge patch without the parts that do not change the value, "" if nothing
// is left.
func (n *node) trim(patch gjson.Result) string {
	switch {
	case n == nil && patch.Type == gjson.Null: // it deletes a missing member
		return ""
	case patch.Type == gjson.Null:
		return patch.Raw
	case !patch.IsObject() && equal(n.result(), patch):
		return ""
	case !patch.IsObject() || n == nil || n.members() == nil:
		return patch.Raw
	}
	trimmed := newNode("{}")
	members := membersOf(patch.Raw)
	for i, m := range members.list {
		if change := n.member(m.key).trim(gjson.Parse(m.value)); members.isLast(i) && change != "" {
			trimmed.put(m.key, change)
		}
	}
	if !trimmed.stale {
		return ""
	}
	return trimmed.raw()
}
