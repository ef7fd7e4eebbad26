package merge

import (
	"maps"
	"slices"
	"strings"

	"github.com/tidwall/gjson"
)

// change is what one reply made of a field of the payload.
type change struct {
	field string
	// before and after are a value that was replaced.
	before, after gjson.Result
	// patched are the places that a patch changed; nil: the value was replaced.
	patched *places
	// now is the field, as it is now.
	now *node
}

// places are where the change is.
func (c *change) places() *places {
	if c.patched == nil {
		c.patched = diff(c.before, c.after)
	}
	return c.patched
}

// ownership remembers whose changes stand where in a payload, and the conflicts: who
// changed what another one had set.
type ownership struct {
	writer    *reply // the last that changed something; it is noted what when another one is to
	owned     map[string]*owners
	conflicts []Conflict
	coarse    map[Conflict]bool // those beyond MaxPaths, by the object around them
}

// own notes what the last writer made its own. Most payloads are changed by one plugin,
// if any, so nothing is noted before another one may change them too.
func (o *ownership) own() {
	if o.writer != nil {
		for _, c := range o.writer.rewrites {
			o.take(o.writer.from, c)
		}
	}
	o.writer = nil
}

// take makes a change a plugin's own.
func (o *ownership) take(from string, c *change) {
	changed, at := c.places(), pointer("", c.field)
	lost := func(path, loser string) { o.conflict(Conflict{Path: path, Winner: from, Loser: loser}) }
	o.ownersOf(c.field).take(taking{from, lost}, spot{at, c.now}, changed, changed.depth())
}

// noteConflicts tells each loser what became of its change.
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

// ownersOf are those of a top-level fielo.
func (o *ownership) ownersOf(name string) *owners {
	if o.owned == nil {
		o.owned = map[string]*owners{}
	}
	if o.owned[name] == nil {
		o.owned[name] = &owners{}
	}
	return o.owned[name]
}

// conflict notes a conflict, of very many only the object around it.
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

func sortedKeys[T any](m map[string]T) []string { return slices.Sorted(maps.Keys(m)) }

// owners remember whose value stands where in a document, as a tree of its
// members.
type owners struct {
	from  string // "": nobody's value stands here as a whole
	value gjson.Result
	below map[string]*owners
}

// taking is a change by a plugin. lost is told whom it took a place from.
type taking struct {
	from string
	lost func(path, loser string)
}

// spot is a place in a document with what stands there after a change.
type spot struct {
	path string
	now  *node
}

func (s spot) member(name string) spot { return spot{pointer(s.path, name), s.now.member(name)} }

// take makes the changed places of a document a plugin's own, down to a depth: of very
// many places the objects around them.
func (o *owners) take(t taking, at spot, changed *places, depth int) {
	if changed.isWhole() || depth == 0 {
		o.compare(t, at)
		o.from, o.value = t.from, at.now.result()
		return
	}
	if o.from != "" { // what stood here was the plugin's value until this change
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

// handDown makes the members of a value, of which some are about to change, each
// owned by whom the whole was owned by.
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

// compare forgets who owned a value or parts of it that are no longer what they
// set, and tells of those who lost them.
func (o *owners) compare(t taking, at spot) {
	if o.from != "" && !equal(o.value, at.now.result()) {
		if o.from != t.from && !builtUpon(o.value, at.now.result()) {
			t.lost(at.path, o.from)
		}
		o.from, o.value = "", gjson.Result{}
	}
	for _, name := range sortedKeys(o.below) {
		o.below[name].compare(t, at.member(name))
	}
}

// builtUpon reports whether a text contains the text that it replaced: its author
// added to it, nothing was lost.
func builtUpon(before, after gjson.Result) bool {
	return before.Type == gjson.String && after.Type == gjson.String && strings.Contains(after.Str, before.Str)
}
