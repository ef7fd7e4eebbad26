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

// take makes the changed places of a document a plugin's own. now is the
// document as it is after the change, lost is told whom it took a place from.
func (o *owners) take(from string, changed *places, now gjson.Result, lost func(path, loser string)) {
	o.takeAt("", from, changed, now, lost)
}

func (o *owners) takeAt(path, from string, changed *places, now gjson.Result, lost func(path, loser string)) {
	if changed.isWhole() {
		o.compare(path, from, now, lost)
		o.from, o.value = from, now
		return
	}
	if o.from != "" && !same(o.value, now) {
		if o.from != from {
			lost(path+firstOf(changed), o.from)
		}
		o.from, o.value = "", gjson.Result{}
	}
	members := membersOf(now.Raw)
	for i, name := range changed.names {
		if o.below == nil {
			o.below = map[string]*owners{}
		}
		child := o.below[name]
		if child == nil {
			child = &owners{}
			o.below[name] = child
		}
		child.takeAt(pointer(path, name), from, changed.below[i], members.value(name), lost)
	}
}

// compare forgets who owned a value or parts of it that are no longer what they
// set, and tells of those who lost them.
func (o *owners) compare(path, from string, now gjson.Result, lost func(path, loser string)) {
	if o.from != "" && !same(o.value, now) {
		if o.from != from && !builtUpon(o.value, now) {
			lost(path, o.from)
		}
		o.from, o.value = "", gjson.Result{}
	}
	if len(o.below) == 0 {
		return
	}
	members := membersOf(now.Raw)
	for _, name := range sortedKeys(o.below) {
		o.below[name].compare(pointer(path, name), from, members.value(name), lost)
	}
}

// same reports whether a value is still what it was.
func same(was, now gjson.Result) bool { return was.Exists() == now.Exists() && equal(was, now) }

// builtUpon reports whether a text contains the text that it replaced: its author
// added to it, nothing was lost.
func builtUpon(before, after gjson.Result) bool {
	return before.Type == gjson.String && after.Type == gjson.String && strings.Contains(after.Str, before.Str)
}

// firstOf is the path of the first of several places.
func firstOf(p *places) (path string) {
	for !p.isWhole() {
		path, p = pointer(path, p.names[0]), p.below[0]
	}
	return path
}
