package merge

import "github.com/chibi-host/chibi/hookpoints"

// Chain gives tests the payload of an Accumulator, without a point.
type Chain struct{ *Accumulator }

func NewChain(doc []byte) Chain { return Chain{New(hookpoints.Info{}, doc)} }

func (c Chain) Doc() []byte { return c.Next() }

func (c Chain) Field(name string) []byte { return []byte(c.payload.value(name).raw()) }

func (c Chain) Conflicts() []Conflict {
	c.own()
	return c.conflicts
}

// Replace and Patch return the paths that they changed.
func (c Chain) Replace(from, name string, value []byte) []string {
	r := &reply{from: from}
	c.own()
	c.replace(r, name, string(value))
	return r.Effect.Changed()
}

func (c Chain) Patch(from, name string, patch []byte) []string {
	r := &reply{from: from}
	c.own()
	c.patch(r, name, string(patch))
	return r.Effect.Changed()
}
