package merge

import (
	"maps"
	"slices"
	"strings"

	"github.com/tidwall/gjson"
)

// change is the change of one field of the payload by one reply.
type change struct {
	field string
	// before and after are the values of a field that was replaced.
	before, after gjson.Result
	// patched are the places that a patch changed; nil: the value was replaced.
	patched *places
	// now is the current field.
	now *node
}

func (c *change) places() *places {
	if c.patched == nil {
		c.patched = diff(c.before, c.after)
	}
	return c.patched
}

// ownership records which plugin set each changed place of a payload, and the conflicts:
// places that one plugin set and another changed.
type ownership struct {
	writer    *reply // the last that changed something; own records its changes
	owned     map[string]*owners
	conflicts []Conflict
	coarse    map[Conflict]bool // those beyond MaxPaths, by the enclosing object
}

// own records the changes of the last writer. It is called when another plugin may change
// the payload too, because most payloads are changed by at most one plugin.
func (o *ownership) own() {
	if o.writer != nil {
		for _, c := range o.writer.rewrites {
			o.take(o.writer.from, c)
		}
	}
	o.writer = nil
}

// take records a plugin as the owner of a change.
func (o *ownership) take(from string, c *change) {
	changed, at := c.places(), pointer("", c.field)
	lost := func(path, loser string) { o.conflict(Conflict{Path: path, Winner: from, Loser: loser}) }
	o.ownersOf(c.field).take(taking{from, lost}, spot{at, c.now}, changed, changed.depth())
}

// noteConflicts adds each conflict to the replies of its loser.
func (a *Accumulator) noteConflicts() {
	a.own()
	of := map[string][]*reply{}
	for _, r := range a.replies {
		of[r.from] = append(of[r.from], r)
	}
	for _, c := range a.conflicts {
		for _, r := range of[c.Loser] {
			r.Lost = append(r.Lost, c)
		}
	}
}

// ownersOf returns the owners of a top-level field.
func (o *ownership) ownersOf(name string) *owners {
	if o.owned == nil {
		o.owned = map[string]*owners{}
	}
	if o.owned[name] == nil {
		o.owned[name] = &owners{}
	}
	return o.owned[name]
}

// conflict records a conflict; beyond MaxPaths, only the enclosing object.
func (o *ownership) conflict(lost Conflict) {
	if len(o.conflicts) < MaxPaths {
		o.conflicts = append(o.conflicts, lost)
		return
	}
	lost.Path = lost.Path[:strings.LastIndexByte(lost.Path, '/')]
	if o.coarse == nil {
		o.coarse = map[Conflict]bool{}
	}
	if !o.coarse[lost] {
		o.coarse[lost] = true
		o.conflicts = append(o.conflicts, lost)
	}
}

// owners records which plugin set the value at each place of a document, as a tree of
// its members.
type owners struct {
	from  string // "": no plugin set this value as a whole
	value gjson.Result
	below map[string]*owners
}

// taking is a change by a plugin. lost is called with each place that it takes from
// another plugin.
type taking struct {
	from string
	lost func(path, loser string)
}

// spot is a place in a document with its value after a change.
type spot struct {
	path string
	now  *node
}

func (s spot) member(name string) spot { return spot{pointer(s.path, name), s.now.member(name)} }

// take records a plugin as the owner of the changed places of a document, down to a
// depth: of very many places, only the enclosing objects.
func (o *owners) take(t taking, at spot, changed *places, depth int) {
	if changed.isWhole() || depth == 0 {
		o.compare(t, at)
		o.from, o.value = t.from, at.now.result()
		return
	}
	if o.from != "" { // until this change, the whole value was the plugin's
		o.handDown()
	}
	for i, name := range changed.names {
		if o.below == nil {
			o.below = map[string]*owners{}
		}
		child := o.below[name]
		if child == nil {
			child = &owners{}
			o.below[name] = child
		}
		child.take(t, at.member(name), changed.below[i], depth-1)
	}
}

// handDown makes the owner of a value the owner of each of its members, because some of
// them are about to change.
func (o *owners) handDown() {
	members := membersOf(o.value.Raw)
	if o.below == nil {
		o.below = map[string]*owners{}
	}
	for i, m := range members.list {
		if o.below[m.key] == nil && members.isLast(i) {
			o.below[m.key] = &owners{}
		}
		if child := o.below[m.key]; child.from == "" {
			child.from, child.value = o.from, gjson.Parse(m.value)
		}
	}
	o.from, o.value = "", gjson.Result{}
}

// compare removes the owners of values that are no longer what they set, and reports
// the losses.
func (o *owners) compare(t taking, at spot) {
	if o.from != "" && !equal(o.value, at.now.result()) {
		if o.from != t.from && !builtUpon(o.value, at.now.result()) {
			t.lost(at.path, o.from)
		}
		o.from, o.value = "", gjson.Result{}
	}
	for _, name := range slices.Sorted(maps.Keys(o.below)) {
		o.below[name].compare(t, at.member(name))
	}
}

// builtUpon reports whether a text contains the text that it replaced. Then its author
// only added to it, and nothing was lost.
func builtUpon(before, after gjson.Result) bool {
	return before.Type == gjson.String && after.Type == gjson.String && strings.Contains(after.Str, before.Str)
}
