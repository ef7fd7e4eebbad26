package merge

import (
	"maps"
	"slices"
	"strings"

	"github.com/tidwall/gjson"
)

// document is a payload on its way from plugin to plugin. It remembers who changed
// which place, and notes a conflict when a plugin changes what another one had set.
type document struct {
	root      *node
	text      []byte // the root as it is now, nil if it must be joined first
	conflicts []Conflict
	coarse    map[Conflict]bool // those beyond MaxPaths, by the object around them
	owned     map[string]*owners
}

func newDocument(text []byte) *document { return &document{root: newNode(string(text)), text: text} }

// bytes is the payload as it is now.
func (d *document) bytes() []byte {
	if d.text == nil {
		d.text = d.root.appendTo(nil)
	}
	return d.text
}

// changed reports whether a top-level field is spelled in another way than at first:
// whoever acts on it then gets the bytes that the last subscribers got.
func (d *document) changed(name string) bool {
	o := d.root.members()
	if o == nil || o.last[name] == nil {
		return false
	}
	field := o.last[name]
	return field.touched && field.value.raw() != field.value.origin
}

// replace gives a top-level field a new value on a plugin's behalf and returns the
// paths that this changed; a value equal to the present one is no change.
func (d *document) replace(from, name, value string) []string {
	changed := diff(d.root.member(name).result(), gjson.Parse(value))
	if changed != nil {
		d.root.put(name, value)
	}
	return d.took(from, name, changed)
}

// patch applies a merge patch to a top-level field on a plugin's behalf and returns
// the paths that this changed.
func (d *document) patch(from, name, patch string) []string {
	return d.took(from, name, d.root.patchMember(name, gjson.Parse(patch)))
}

// took notes whose the changed places of a field are.
func (d *document) took(from, name string, changed *places) []string {
	if changed == nil {
		return nil
	}
	d.text = nil
	depth, at := changed.depth(), pointer("", name)
	lost := func(path, loser string) { d.conflict(Conflict{Path: path, Winner: from, Loser: loser}) }
	d.ownersOf(name).take(taking{from, lost}, at, changed, depth, d.root.member(name))
	return changed.list(nil, at, depth)
}

// ownersOf are those of a top-level field.
func (d *document) ownersOf(name string) *owners {
	if d.owned == nil {
		d.owned = map[string]*owners{}
	}
	if d.owned[name] == nil {
		d.owned[name] = &owners{}
	}
	return d.owned[name]
}

// conflict notes a conflict, of very many only the object around it.
func (d *document) conflict(lost Conflict) {
	if len(d.conflicts) < MaxPaths {
		d.conflicts = append(d.conflicts, lost)
		return
	}
	lost.Path = lost.Path[:strings.LastIndexByte(lost.Path, '/')]
	if d.coarse == nil {
		d.coarse = map[Conflict]bool{}
	}
	if !d.coarse[lost] {
		d.coarse[lost] = true
		d.conflicts = append(d.conflicts, lost)
	}
}

func sortedKeys[T any](m map[string]T) []string { return slices.Sorted(maps.Keys(m)) }
