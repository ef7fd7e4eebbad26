package merge

import (
	"strings"

	"github.com/tidwall/gjson"
)

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

// take makes the changed places of a document a plugin's own, down to a depth:
// of very many places the objects around them. now is the document as it is
// after the change.
func (o *owners) take(t taking, path string, changed *places, depth int, now *node) {
	if changed.isWhole() || depth == 0 {
		o.compare(t, path, now)
		o.from, o.value = t.from, now.result()
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
		child.take(t, pointer(path, name), changed.below[i], depth-1, now.member(name))
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
func (o *owners) compare(t taking, path string, now *node) {
	if o.from != "" && !same(o.value, now) {
		if o.from != t.from && !builtUpon(o.value, now.result()) {
			t.lost(path, o.from)
		}
		o.from, o.value = "", gjson.Result{}
	}
	for _, name := range sortedKeys(o.below) {
		o.below[name].compare(t, pointer(path, name), now.member(name))
	}
}

// same reports whether a value is still what it was.
func same(was gjson.Result, now *node) bool {
	return was.Exists() == (now != nil) && equal(was, now.result())
}

// builtUpon reports whether a text contains the text that it replaced: its author
// added to it, nothing was lost.
func builtUpon(before, after gjson.Result) bool {
	return before.Type == gjson.String && after.Type == gjson.String && strings.Contains(after.Str, before.Str)
}
