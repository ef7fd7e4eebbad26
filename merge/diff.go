package merge

import (
	"slices"
	"strings"

	"github.com/tidwall/gjson"
)

// Difference is a place in which two values differ.
type Difference struct {
	// Path is a JSON Pointer (RFC 6901).
	Path string
	// Before and After are the values there; nil: there is none.
	Before, After []byte
}

// Diff lists the deepest places in which two JSON values differ, sorted by path; if they
// are more than [MaxPaths], the enclosing objects. Arrays are compared as a whole, as they
// are replaced by [Patch]. It returns nil if the values are equal. A text that is not JSON
// counts as no value.
func Diff(before, after []byte) []Difference {
	old, new := parse(before), parse(after)
	found := diff(old, new)
	if found == nil {
		return nil
	}
	var list differences
	list.add("", found.depth(), found, [2]gjson.Result{old, new})
	slices.SortFunc(list, func(a, b Difference) int { return strings.Compare(a.Path, b.Path) })
	return list
}

// parse returns the value of a text, which does not exist if the text is not JSON.
func parse(text []byte) gjson.Result {
	if !valid(text) {
		return gjson.Result{}
	}
	return gjson.ParseBytes(text)
}

// differences are places with the values before and after.
type differences []Difference

// add lists places down to a depth.
func (list *differences) add(path string, depth int, p *places, values [2]gjson.Result) {
	if p.isWhole() || depth == 0 {
		*list = append(*list, Difference{Path: path, Before: rawOf(values[0]), After: rawOf(values[1])})
		return
	}
	old, new := membersOf(values[0].Raw), membersOf(values[1].Raw)
	for i, name := range p.names {
		list.add(pointer(path, name), depth-1, p.below[i], [2]gjson.Result{old.value(name), new.value(name)})
	}
}

func rawOf(value gjson.Result) []byte {
	if !value.Exists() {
		return nil
	}
	return []byte(value.Raw)
}

// diff finds the places in which two values differ.
func diff(before, after gjson.Result) *places {
	if !before.IsObject() || !after.IsObject() {
		if equal(before, after) {
			return nil
		}
		return &places{}
	}
	if before.Raw == after.Raw {
		return nil
	}
	found := &places{}
	old, new := membersOf(before.Raw), membersOf(after.Raw)
	for i, m := range old.list {
		if old.isLast(i) {
			found.add(m.key, diff(gjson.Parse(m.value), new.value(m.key)))
		}
	}
	for i, m := range new.list {
		if _, known := old.last[m.key]; !known && new.isLast(i) {
			found.add(m.key, &places{})
		}
	}
	return found.orNil()
}
