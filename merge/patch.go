package merge

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"slices"
	"sort"
	"strings"

	"github.com/chibi-host/chibi/internal/strictjson"
	"github.com/tidwall/gjson"
)

// Patch applies a JSON merge patch (RFC 7396) to a document: objects merge
// deeply, null deletes, all else replaces. Whatever the patch does not name
// keeps its bytes; new keys come last in the order of the patch. Where the
// document has a patched key several times, the last one counts, as for most
// readers, and the others are dropped.
//
// Errors say which of the two is not JSON or nests too deep.
func Patch(doc, patch []byte) ([]byte, error) {
	if err := strictjson.Check(doc); err != nil {
		return nil, fmt.Errorf("the document cannot be used: %w", err)
	}
	if err := strictjson.Check(patch); err != nil {
		return nil, fmt.Errorf("the patch cannot be used: %w", err)
	}
	return patched(doc, patch), nil
}

// patched is Patch for texts that were checked.
func patched(doc, patch []byte) []byte {
	p := patcher{out: make([]byte, 0, len(doc)+len(patch))}
	p.value(string(doc), strings.TrimSpace(string(patch)))
	return p.out
}

// Set puts a value under one top-level key of an object. The key is a key, not
// a path, whatever is in it. Of several members with that name the last counts,
// so it is the one that is replaced. The errors are those of [Patch].
func Set(doc []byte, field string, value []byte) ([]byte, error) {
	if !valid(value) {
		return nil, fmt.Errorf("the value of %q is not JSON", field)
	}
	if !valid(doc) || !isObject(string(doc)) {
		return nil, errors.New("the document is not a JSON object")
	}
	return put(doc, field, value), nil
}

// put is Set for texts that were checked.
func put(doc []byte, field string, value []byte) []byte {
	all := membersOf(string(doc))
	if m, ok := all.find(field); ok {
		return slices.Concat(doc[:m.start], value, doc[m.start+len(m.value):])
	}
	name := strictjson.Quote(field)
	if len(all.list) > 0 {
		name = append([]byte{','}, name...)
	}
	shut := bytes.LastIndexByte(doc, '}')
	return slices.Concat(doc[:shut], name, []byte{':'}, value, doc[shut:])
}

// patcher writes the patched document in one pass over the original.
type patcher struct{ out []byte }

// value writes doc as patch changes it. Both are raw JSON.
func (p *patcher) value(doc, patch string) {
	if !isObject(patch) {
		p.out = append(p.out, patch...)
		return
	}
	if !isObject(doc) {
		doc = "{}"
	}
	changes := membersOf(patch)
	p.object(doc, changes)
}

// object writes an object whose members are changed, dropped or left alone.
func (p *patcher) object(doc string, changes *members) {
	open := strings.IndexByte(doc, '{')
	shut := strings.LastIndexByte(doc, '}')
	p.out = append(p.out, doc[:open+1]...)
	original := membersOf(doc)
	written := 0
	begin := open + 1 // where the bytes of the next member begin, white space included
	for i, m := range original.list {
		end := original.end(i, shut)
		change, patched := changes.find(m.key)
		if !patched || original.isLast(i) && change.value != "null" {
			written = p.comma(written)
		}
		switch {
		case !patched:
			p.out = append(p.out, doc[begin:end]...)
		case original.isLast(i) && change.value != "null":
			p.out = append(p.out, doc[begin:m.start]...)
			p.value(m.value, change.value)
			p.out = append(p.out, doc[m.start+len(m.value):end]...)
		}
		begin = end + 1
	}
	p.added(original, changes, written)
	p.out = append(p.out, doc[shut:]...)
}

// added writes the members that only the patch has.
func (p *patcher) added(original, changes *members, written int) {
	for i, m := range changes.list {
		if _, exists := original.find(m.key); exists || m.value == "null" || !changes.isLast(i) {
			continue
		}
		written = p.comma(written)
		p.out = append(p.out, strictjson.Quote(m.key)...)
		p.out = append(p.out, ':')
		if isObject(m.value) {
			p.value("{}", m.value)
		} else {
			p.out = append(p.out, m.value...)
		}
	}
}

func (p *patcher) comma(written int) int {
	if written > 0 {
		p.out = append(p.out, ',')
	}
	return written + 1
}

func isObject(raw string) bool {
	raw = strings.TrimLeft(raw, " \t\r\n")
	return len(raw) > 0 && raw[0] == '{'
}

// member is one key and value of an object.
type member struct {
	key   string // decoded
	value string // raw
	start int    // where the value begins in the object's text
}

// members are the members of one object, in order.
type members struct {
	text   string
	list   []member
	sorted []int32 // their indexes by key, those of one key in order
}

// membersOf reads the members of a valid object, and none of anything else.
func membersOf(object string) *members {
	m := &members{text: object}
	offset := len(object) - len(strings.TrimLeft(object, " \t\r\n"))
	if !isObject(object) {
		return m
	}
	gjson.Parse(object[offset:]).ForEach(func(key, value gjson.Result) bool {
		m.list = append(m.list, member{key: key.Str, value: value.Raw, start: offset + value.Index})
		return true
	})
	m.sorted = make([]int32, len(m.list))
	for i := range m.sorted {
		m.sorted[i] = int32(i)
	}
	slices.SortFunc(m.sorted, func(a, b int32) int {
		return cmp.Or(strings.Compare(m.list[a].key, m.list[b].key), cmp.Compare(a, b))
	})
	return m
}

// lastOf is the index of a key's last occurrence, -1 if there is none.
func (m *members) lastOf(key string) int {
	after := sort.Search(len(m.sorted), func(i int) bool { return m.list[m.sorted[i]].key > key })
	if after == 0 || m.list[m.sorted[after-1]].key != key {
		return -1
	}
	return int(m.sorted[after-1])
}

// find looks a key's last occurrence up.
func (m *members) find(key string) (member, bool) {
	if i := m.lastOf(key); i >= 0 {
		return m.list[i], true
	}
	return member{}, false
}

// value is a key's last value; it does not exist if there is none.
func (m *members) value(key string) gjson.Result {
	if i := m.lastOf(key); i >= 0 {
		return gjson.Parse(m.list[i].value)
	}
	return gjson.Result{}
}

// distinct counts the keys.
func (m *members) distinct() (n int) {
	for i, at := range m.sorted {
		if i == 0 || m.list[m.sorted[i-1]].key != m.list[at].key {
			n++
		}
	}
	return n
}

func (m *members) isLast(i int) bool { return m.lastOf(m.list[i].key) == i }

// end is where member i's bytes end: at its comma, or at the closing brace.
func (m *members) end(i, shut int) int {
	after := m.list[i].start + len(m.list[i].value)
	if i == len(m.list)-1 {
		return shut
	}
	return after + strings.IndexByte(m.text[after:], ',')
}
