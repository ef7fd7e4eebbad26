package merge

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/chibi-host/chibi/internal/strictjson"
	"github.com/tidwall/gjson"
)

// Patch applies a JSON merge patch (RFC 7396) to a document: objects merge
// recursively, null deletes, any other value replaces. Parts that the patch does not name
// keep their bytes; new keys come last in the order of the patch. If the document has a
// patched key several times, the last one is used and the others are removed.
//
// Errors say which of the two is not JSON or nests too deeply.
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
// a path, whatever is in it. Of several members with that name the last counts, and Set replaces
// it. The errors are as in [Patch].
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

// patch applies a merge patch to a field of the payload.
func (a *Accumulator) patch(r *reply, name, patch string) {
	if !isObject(patch) {
		r.ignore("%q: a patch must be an object", name)
		return
	}
	now := a.payload.value(name)
	if changed := now.patch(gjson.Parse(patch)); changed != nil {
		a.rewrote(r, &change{field: name, patched: changed, now: now})
	}
}

// document is the payload with what replies have made of it.
type document struct {
	text   []byte
	values map[string]*node // fields that replies rewrite, as they are now
	stale  []string         // those that the text does not have yet
	found  extent           // the field that was located last
}

// extent is where the value of a field stands in a payload.
type extent struct {
	field      string
	begin, end int
}

// locate finds the value of a field in the text, once for all plugins that patch it.
func (d *document) locate(field string) *extent {
	if d.found.field != field {
		there := gjson.GetBytes(d.text, gjson.Escape(field))
		d.found = extent{field, there.Index, there.Index + len(there.Raw)}
	}
	return &d.found
}

// now returns the current text of a field that a reply has changed, nil for another one.
func (d *document) now(field string) []byte {
	if d.values[field] == nil {
		return nil
	}
	text, at := d.current(), d.locate(field)
	return text[at.begin:at.end]
}

// splice writes a field into the text.
func (d *document) splice(field string) {
	now, at := d.values[field], d.locate(field)
	if at.end == 0 { // the payload does not have it
		d.text, *at = put(d.text, field, now.raw()), extent{}
		return
	}
	out := slices.Grow([]byte(nil), len(d.text)-(at.end-at.begin)+now.size())
	out = now.appendTo(append(out, d.text[:at.begin]...))
	tail := d.text[at.end:]
	at.end = len(out)
	d.text = append(out, tail...)
}

// valid reports whether a text is JSON of a bounded depth. Other texts are not parsed here,
// because the parser is recursive.
func valid(text []byte) bool { return strictjson.Valid(text) }

// patch applies a merge patch (RFC 7396), which is valid JSON, and returns the
// places that it changed, nil for none. A member that it sets to its present value keeps its bytes.
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
		m.touched, m.gone, n.stale = true, true, true
		return &places{}
	}
	changed := there.patch(change)
	if changed != nil {
		n.object.last[name].touched, n.stale = true, true
	}
	return changed
}

// withoutNulls returns what a merge patch makes of a value that does not exist or is not an
// object: the patch itself, without the members that it deletes.
func withoutNulls(patch gjson.Result) string {
	if !patch.IsObject() || !strings.Contains(patch.Raw, "null") { // it is the same, however deep it is
		return patch.Raw
	}
	n := newNode("{}")
	n.patch(patch)
	return n.raw()
}
