package merge

import (
	"fmt"
	"strings"

	"github.com/tidwall/gjson"
)

// Chain is a payload on its way from plugin to plugin. It remembers who changed
// which place, and reports a conflict when a plugin changes what another one
// had set. It is not safe for concurrent use.
type Chain struct {
	original, doc []byte
	changes       []Change
	conflicts     []Conflict
	owned         []claim
}

// claim says whose value stands at a path.
type claim struct {
	path, from string
	value      gjson.Result
}

// NewChain begins with a JSON object.
func NewChain(doc []byte) *Chain { return &Chain{original: doc, doc: doc} }

// Doc is the payload as it is now. The caller must not modify it.
func (c *Chain) Doc() []byte { return c.doc }

// Field is the raw value of a top-level field as it is now, nil if there is
// none.
func (c *Chain) Field(name string) []byte { return field(c.doc, name) }

// Changed says whether a top-level field differs from what it was at first.
func (c *Chain) Changed(name string) bool {
	before, after := field(c.original, name), c.Field(name)
	if before == nil || after == nil {
		return (before == nil) != (after == nil)
	}
	return !Equal(before, after)
}

// Changes lists all changes in the order in which they were made.
func (c *Chain) Changes() []Change { return c.changes }

// Conflicts lists what plugins lost to each other.
func (c *Chain) Conflicts() []Conflict { return c.conflicts }

// Replace gives a top-level field a new value on a plugin's behalf and says
// what that changed; a value equal to the present one is no change. The error
// says that the value is not JSON.
func (c *Chain) Replace(from, name string, value []byte) ([]Change, error) {
	if !valid(value) {
		return nil, fmt.Errorf("the value is not JSON")
	}
	paths := diff(pointer("", name), gjson.ParseBytes(c.Field(name)), gjson.ParseBytes(value))
	return c.set(from, name, value, paths)
}

// Patch applies a merge patch to a top-level field on a plugin's behalf and
// says what that changed. The error says that the patch is not JSON.
func (c *Chain) Patch(from, name string, patch []byte) ([]Change, error) {
	current := c.Field(name)
	if current == nil {
		current = []byte("{}")
	}
	value, err := Patch(current, patch)
	if err != nil {
		return nil, err
	}
	paths := touched(pointer("", name), gjson.ParseBytes(current), gjson.ParseBytes(patch))
	return c.set(from, name, value, paths)
}

// set stores a field's new value and notes whose it is.
func (c *Chain) set(from, name string, value []byte, paths []string) ([]Change, error) {
	if len(paths) == 0 {
		return nil, nil
	}
	doc, err := Set(c.doc, name, value)
	if err != nil {
		return nil, err
	}
	c.doc = doc
	var made []Change
	for _, path := range paths {
		c.claim(from, path)
		made = append(made, Change{Path: path, From: from})
	}
	c.changes = append(c.changes, made...)
	return made, nil
}

// claim makes a path a plugin's own and reports whom it took it from.
func (c *Chain) claim(from, path string) {
	var kept []claim
	root := gjson.ParseBytes(c.doc)
	for _, o := range c.owned {
		if !overlap(o.path, path) {
			kept = append(kept, o)
			continue
		}
		now := at(root, o.path)
		switch {
		case now.Exists() == o.value.Exists() && equal(now, o.value):
			kept = append(kept, o)
		case o.from != from && !builtUpon(o.value, now):
			c.conflicts = append(c.conflicts, Conflict{Path: deeper(o.path, path), Winner: from, Loser: o.from})
		}
	}
	c.owned = append(kept, claim{path: path, from: from, value: at(root, path)})
}

// builtUpon says whether a text contains the text that it replaced: its author
// added to it, nothing was lost.
func builtUpon(before, after gjson.Result) bool {
	return before.Type == gjson.String && after.Type == gjson.String && strings.Contains(after.Str, before.Str)
}

// overlap says whether one path is the other or lies below it.
func overlap(a, b string) bool {
	return a == b || strings.HasPrefix(a, b+"/") || strings.HasPrefix(b, a+"/")
}

func deeper(a, b string) string {
	if len(b) > len(a) {
		return b
	}
	return a
}

// field is the raw value of a top-level field, nil if there is none.
func field(doc []byte, name string) []byte {
	if m, ok := membersOf(string(doc)).find(name); ok {
		return []byte(m.value)
	}
	return nil
}
