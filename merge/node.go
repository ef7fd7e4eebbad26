package merge

import (
	"slices"
	"strings"

	"github.com/chibi-host/chibi/internal/strictjson"
	"github.com/tidwall/gjson"
)

// node is a JSON value that can be changed. The members of an object are read when
// a change reaches them; whatever no change reaches keeps its bytes. A nil node is
// a value that is not there.
type node struct {
	text   string // the value as it stands, unless members below were changed
	origin string // the value as it was at first; empty: there was none
	object *object
	joined bool // text is of now, although members were changed
}

// object is an object's members, with all the bytes between them.
type object struct {
	open, shut string // to the opening brace, and from the closing one
	list       []*entry
	last       map[string]*entry // each name's last member, which is the one that counts
}

// entry is a name and a value of an object.
type entry struct {
	name        string
	lead, trail string // the name with what stands around it, and what follows the value
	value       *node
	touched     bool // by a change
	gone        bool // deleted by one
	shadowed    bool // another one with that name follows; it goes when that one is touched
}

// newNode is a value that was there from the beginning. The text is valid JSON.
func newNode(text string) *node { return &node{text: text, origin: text, joined: true} }

// raw is the value's text as it is now.
func (n *node) raw() string {
	if n == nil {
		return ""
	}
	if !n.joined {
		n.text, n.joined = string(n.appendTo(nil)), true
	}
	return n.text
}

// result is the value as it is now; it does not exist for a nil node.
func (n *node) result() gjson.Result {
	if n == nil {
		return gjson.Result{}
	}
	return gjson.Parse(n.raw())
}

// appendTo writes the value.
func (n *node) appendTo(out []byte) []byte {
	if n.joined {
		return append(out, n.text...)
	}
	out = slices.Grow(out, n.size())
	out = append(out, n.object.open...)
	first := true
	for _, m := range n.object.list {
		if m.gone || m.shadowed && n.object.last[m.name].touched {
			continue
		}
		if !first {
			out = append(out, ',')
		}
		first = false
		out = append(out, m.lead...)
		out = m.value.appendTo(out)
		out = append(out, m.trail...)
	}
	return append(out, n.object.shut...)
}

// size is about how long the value's text is; never less than it, but for what
// quoting of new names adds.
func (n *node) size() int {
	if n.joined {
		return len(n.text)
	}
	size := len(n.object.open) + len(n.object.shut)
	for _, m := range n.object.list {
		size += len(m.lead) + m.value.size() + len(m.trail) + 1
	}
	return size
}

// members reads the members of an object; nil for another value.
func (n *node) members() *object {
	if n.object != nil || !isObject(n.text) {
		return n.object
	}
	text := n.text
	open, shut := strings.IndexByte(text, '{')+1, strings.LastIndexByte(text, '}')
	o := &object{open: text[:open], shut: text[shut:], last: map[string]*entry{}}
	begin := open
	for _, m := range membersOf(text).list {
		if len(o.list) > 0 { // what lies between two values: white space, a comma, the name
			comma := begin + strings.IndexByte(text[begin:], ',')
			o.list[len(o.list)-1].trail = text[begin:comma]
			begin = comma + 1
		}
		added := &entry{name: m.key, lead: text[begin:m.start], value: newNode(m.value)}
		if before := o.last[m.key]; before != nil {
			before.shadowed = true
		}
		o.list, o.last[m.key] = append(o.list, added), added
		begin = m.start + len(m.value)
	}
	if len(o.list) > 0 {
		o.list[len(o.list)-1].trail = text[begin:shut]
	}
	n.object = o
	return o
}

// member is the value of an object's member, nil if there is none.
func (n *node) member(name string) *node {
	if n == nil {
		return nil
	}
	if o := n.members(); o != nil {
		if m := o.last[name]; m != nil && !m.gone {
			return m.value
		}
	}
	return nil
}

// replace gives the value another text, which is valid JSON.
func (n *node) replace(text string) { n.text, n.object, n.joined = text, nil, true }

// put makes a value a member of an object: in the place of the one with its name,
// or as the last.
func (n *node) put(name, text string) {
	o := n.members()
	m := o.last[name]
	if m == nil {
		m = &entry{name: name, lead: string(strictjson.Quote(name)) + ":", value: &node{}}
		o.list, o.last[name] = append(o.list, m), m
	}
	m.value.replace(text)
	m.touched, m.gone, n.joined = true, false, false
}

// patch applies a merge patch (RFC 7396), which is valid JSON, and returns the
// places that it changed, nil for none. What it sets to the value that is there
// keeps its bytes.
func (n *node) patch(patch gjson.Result) *places {
	if !patch.IsObject() || n.members() == nil {
		if equal(n.result(), patch) {
			return nil
		}
		n.replace(withoutNulls(patch))
		return &places{}
	}
	changed := &places{}
	changes := membersOf(patch.Raw)
	for i, c := range changes.list {
		if changes.isLast(i) {
			changed.add(c.key, n.patchMember(c.key, gjson.Parse(c.value)))
		}
	}
	return changed.orNil()
}

// patchMember applies one member of a merge patch.
func (n *node) patchMember(name string, change gjson.Result) *places {
	there := n.member(name)
	switch {
	case there == nil && change.Type == gjson.Null:
		return nil
	case there == nil:
		n.put(name, withoutNulls(change))
		return &places{}
	case change.Type == gjson.Null:
		m := n.object.last[name]
		m.touched, m.gone, n.joined = true, true, false
		return &places{}
	}
	changed := there.patch(change)
	if changed != nil {
		n.object.last[name].touched, n.joined = true, false
	}
	return changed
}

// withoutNulls is what a merge patch makes of a value that is not there or is no
// object: itself, without the members that it deletes.
func withoutNulls(patch gjson.Result) string {
	if !patch.IsObject() {
		return patch.Raw
	}
	n := newNode("{}")
	n.patch(patch)
	return n.raw()
}
