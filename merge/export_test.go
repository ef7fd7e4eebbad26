package merge

import "github.com/tidwall/gjson"

// Chain gives tests a document, on which an Accumulator rewrites.
type Chain struct{ *document }

func NewChain(doc []byte) Chain { return Chain{newDocument(doc)} }

func (c Chain) Doc() []byte { return c.bytes() }

func (c Chain) Field(name string) []byte { return []byte(c.root.member(name).raw()) }

func (c Chain) Changed(name string) bool { return c.changed(name) }

func (c Chain) Conflicts() []Conflict { return c.conflicts }

// Replace and Patch return the paths that they changed.
func (c Chain) Replace(from, name string, value []byte) []string {
	return c.replace(from, name, gjson.ParseBytes(value).Raw)
}

func (c Chain) Patch(from, name string, patch []byte) []string {
	return c.patch(from, name, string(patch))
}
