package merge

import (
	"maps"
	"slices"
	"strings"

	"github.com/chibi-host/chibi/internal/strictjson"
	"github.com/tidwall/gjson"
)

// node is a JSON value that can be changed. The members of an object are parsed when a
// change reaches them; values that no change reaches keep their bytes. A nil node is a
// value that does not exist.
type node struct {
	text   string // the current value, unless members below were changed
	origin string // the original value; empty: there was none
	object *object
	stale  bool // members were changed, and text is out of date
}

// object is an object's members, with all the bytes between them.
type object struct {
	open, shut string // the opening brace, and the bytes after the last value
	list       []*entry
	last       map[string]*entry // each name's last member, which is the effective one
}

// entry is a name and a value of an object.
type entry struct {
	name     string
	lead     string // the bytes before the value: a comma, except for the first, and the name
	value    *node
	touched  bool // changed
	gone     bool // deleted by a change
	shadowed bool // a later entry has the same name; this one is removed when that one is changed
}

// newNode returns the node of an original value. The text must be valid JSON.
func newNode(text string) *node { return &node{text: text, origin: text} }

// raw returns the value's current text.
func (n *node) raw() string {
	if n == nil {
		return ""
	}
	if n.stale {
		n.text, n.stale = string(n.appendTo(nil)), false
	}
	return n.text
}

// result returns the current value, which does not exist for a nil node.
func (n *node) result() gjson.Result { return gjson.Parse(n.raw()) }

// replace replaces the value's text. The new text must be valid JSON.
func (n *node) replace(text string) { n.text, n.object, n.stale = text, nil, false }

// appendTo appends the value's text to out.
func (n *node) appendTo(out []byte) []byte {
	if !n.stale {
		return append(out, n.text...)
	}
	out = append(slices.Grow(out, n.size()), n.object.open...)
	first := true
	for i, m := range n.object.list {
		if m.gone || m.shadowed && n.object.last[m.name].touched {
			continue
		}
		lead := m.lead
		if first && i > 0 {
			lead = lead[strings.IndexByte(lead, ',')+1:]
		}
		first = false
		out = m.value.appendTo(append(out, lead...))
	}
	return append(out, n.object.shut...)
}

// size estimates the length of the value's text, for the capacity of a buffer.
func (n *node) size() int {
	if !n.stale {
		return len(n.text)
	}
	size := len(n.object.open) + len(n.object.shut)
	for _, m := range n.object.list {
		size += len(m.lead) + m.value.size()
	}
	return size
}

// members parses the members of an object; it returns nil for another value.
func (n *node) members() *object {
	if n.object != nil || !isObject(n.text) {
		return n.object
	}
	end := strings.IndexByte(n.text, '{') + 1
	o := &object{open: n.text[:end], last: map[string]*entry{}}
	all := membersOf(n.text)
	for i, m := range all.list {
		e := &entry{name: m.key, lead: n.text[end:m.start], value: newNode(m.value), shadowed: !all.isLast(i)}
		o.list, o.last[m.key] = append(o.list, e), e
		end = m.start + len(m.value)
	}
	o.shut = n.text[end:]
	n.object = o
	return o
}

// member returns the value of an object's member, nil if there is none.
func (n *node) member(name string) *node {
	if n == nil || n.members() == nil {
		return nil
	}
	if m := n.object.last[name]; m != nil && !m.gone {
		return m.value
	}
	return nil
}

// put sets a member of an object: it replaces the member of that name, or adds one at
// the end.
func (n *node) put(name, text string) {
	o := n.members()
	m := o.last[name]
	if m == nil {
		m = &entry{name: name, lead: string(strictjson.Quote(name)) + ":", value: &node{}}
		if len(o.list) > 0 {
			m.lead = "," + m.lead
		}
		o.list, o.last[name] = append(o.list, m), m
	}
	m.value.replace(text)
	m.touched, m.gone, n.stale = true, false, true
}

// equal reports whether two values are equal. A value that does not exist does not equal
// any other value.
func equal(a, b gjson.Result) bool {
	switch {
	case a.Raw == b.Raw:
		return true
	case a.Type != b.Type || !a.Exists() || !b.Exists():
		return false
	case a.Type == gjson.Number:
		return parseDecimal(a.Raw) == parseDecimal(b.Raw)
	case a.Type == gjson.String:
		return a.Str == b.Str
	case a.IsArray() && b.IsArray():
		return slices.EqualFunc(a.Array(), b.Array(), equal)
	case a.IsObject() && b.IsObject():
		left, right := membersOf(a.Raw), membersOf(b.Raw)
		return maps.EqualFunc(left.last, right.last, func(i, j int) bool {
			return equal(gjson.Parse(left.list[i].value), gjson.Parse(right.list[j].value))
		})
	}
	return a.Type != gjson.JSON
}

// member is one key and value of an object.
type member struct {
	key   string // decoded
	value string // raw
	start int    // where the value begins in the object's text
}

// members holds the members of one object, in order.
type members struct {
	list []member
	last map[string]int // the index of each key's last occurrence, which is the effective one
}

// membersOf parses the members of a valid object; other values have none.
func membersOf(object string) *members {
	m := &members{last: map[string]int{}}
	if value := gjson.Parse(object); value.IsObject() {
		value.ForEach(func(key, value gjson.Result) bool {
			m.last[key.Str] = len(m.list)
			m.list = append(m.list, member{key: key.Str, value: value.Raw, start: value.Index})
			return true
		})
	}
	return m
}

func isObject(raw string) bool {
	raw = strings.TrimLeft(raw, " \t\r\n")
	return len(raw) > 0 && raw[0] == '{'
}

// value returns a key's last value, which does not exist if the key is missing.
func (m *members) value(key string) gjson.Result {
	if i, ok := m.last[key]; ok {
		return gjson.Parse(m.list[i].value)
	}
	return gjson.Result{}
}

func (m *members) isLast(i int) bool { return m.last[m.list[i].key] == i }
