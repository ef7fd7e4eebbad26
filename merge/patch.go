package merge

import (
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
	n := newNode(string(doc))
	n.patch(gjson.ParseBytes(patch))
	return []byte(n.raw()), nil
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
	n := newNode(string(doc))
	n.put(field, string(value))
	return []byte(n.raw()), nil
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
	list   []member
	sorted []int32 // their indexes by key, those of one key in order
}

// membersOf reads the members of a valid object, and none of anything else.
func membersOf(object string) *members {
	m := &members{}
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
