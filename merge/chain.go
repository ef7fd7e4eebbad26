package merge

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/chibi-host/chibi/internal/strictjson"
	"github.com/tidwall/gjson"
)

// Chain is a payload on its way from plugin to plugin. It remembers who changed
// which place, and reports a conflict when a plugin changes what another one
// had set. It is not safe for concurrent use.
type Chain struct {
	original, doc []byte
	conflicts     []Conflict
	coarse        map[Conflict]bool // those beyond MaxPaths, by the object around them
	fields        map[string]*owners
}

// NewChain begins with a JSON object, which is not checked again.
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

// Conflicts lists what plugins lost to each other.
func (c *Chain) Conflicts() []Conflict { return c.conflicts }

// Replace gives a top-level field a new value on a plugin's behalf and says
// what that changed; a value equal to the present one is no change. The error
// says that the value is not JSON.
func (c *Chain) Replace(from, name string, value []byte) ([]Change, error) {
	if !valid(value) {
		return nil, fmt.Errorf("the value is not JSON")
	}
	return c.set(from, name, value, diff(gjson.ParseBytes(c.Field(name)), gjson.ParseBytes(value))), nil
}

// Patch applies a merge patch to a top-level field on a plugin's behalf and
// says what that changed. The error says that the patch is not JSON.
func (c *Chain) Patch(from, name string, patch []byte) ([]Change, error) {
	current := c.Field(name)
	if current == nil {
		current = []byte("{}")
	}
	if err := strictjson.Check(patch); err != nil {
		return nil, fmt.Errorf("the patch cannot be used: %w", err)
	}
	value := patched(current, patch)
	return c.set(from, name, value, touched(gjson.ParseBytes(current), gjson.ParseBytes(patch))), nil
}

// set stores a field's new value and notes whose it is.
func (c *Chain) set(from, name string, value []byte, changed *places) []Change {
	if changed == nil {
		return nil
	}
	c.doc = put(c.doc, name, value)
	depth := changed.depth()
	at := pointer("", name)
	lost := func(path, loser string) { c.conflict(Conflict{Path: path, Winner: from, Loser: loser}) }
	c.owners(name).take(taking{from, lost}, at, changed, depth, gjson.ParseBytes(value))
	var made []Change
	for _, path := range changed.list(nil, at, depth) {
		made = append(made, Change{Path: path, From: from})
	}
	return made
}

// owners are those of a top-level field.
func (c *Chain) owners(name string) *owners {
	if c.fields == nil {
		c.fields = map[string]*owners{}
	}
	if c.fields[name] == nil {
		c.fields[name] = &owners{}
	}
	return c.fields[name]
}

// conflict notes a conflict, of very many only the object around it.
func (c *Chain) conflict(lost Conflict) {
	if len(c.conflicts) < MaxPaths {
		c.conflicts = append(c.conflicts, lost)
		return
	}
	lost.Path = lost.Path[:strings.LastIndexByte(lost.Path, '/')]
	if c.coarse == nil {
		c.coarse = map[Conflict]bool{}
	}
	if !c.coarse[lost] {
		c.coarse[lost] = true
		c.conflicts = append(c.conflicts, lost)
	}
}

func sortedKeys[T any](m map[string]T) []string { return slices.Sorted(maps.Keys(m)) }

// field is the raw value of a top-level field, nil if there is none.
func field(doc []byte, name string) []byte {
	if m, ok := membersOf(string(doc)).find(name); ok {
		return []byte(m.value)
	}
	return nil
}
