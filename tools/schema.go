package tools

import (
	"errors"
	"fmt"

	"github.com/google/jsonschema-go/jsonschema"
)

// ErrSchema means that a tool's schema is invalid, so that arguments cannot be checked
// against it.
var ErrSchema = errors.New("its parameters are not a usable JSON Schema")

// Schema is the compiled schema of a tool's parameters. A nil *Schema accepts any object.
// It is safe for concurrent use.
type Schema struct {
	root     *node
	required []string
	resolved *jsonschema.Resolved
	shape    *shape
	converts bool // Convert may change arguments
}

// validate runs the validator. It refuses a schema or value that makes it panic.
func (s *Schema) validate(value any) (err error) {
	defer func() {
		if cause := recover(); cause != nil {
			err = fmt.Errorf("the validator cannot use the arguments: %v", cause)
		}
	}()
	return s.resolved.Validate(value)
}

// keyword is the kind of value of a JSON Schema keyword. Keywords that are not listed are
// ignored, among them $id and $anchor, which could redirect a reference.
type keyword int

const (
	data        keyword = iota + 1 // not a schema
	here                           // a schema, or a list of them, for the same value
	hereBy                         // an object of schemas for the same value, or of data
	named                          // an object of schemas for members of that name
	members                        // a schema for members
	matching                       // an object of schemas for members by a pattern
	elements                       // a schema, or a list of them, for elements
	definitions                    // an object of schemas that apply where they are referred to
)

// node is one schema with the schemas that it applies to the same value, to members and to
// elements.
type node struct {
	schema                  any // as it is passed to the validator
	ref                     string
	here, members, elements []*node
	named                   map[string]*node
	// own is the cost of the node without its children, pattern the cost of its regular
	// expression for each byte.
	own, pattern int
	// weight is how many nodes are applied to one value, height how deep they nest.
	weight, height int
	open           bool // weight is being computed
}

// add adds a child where it applies.
func (n *node) add(kind keyword, name string, child *node) {
	switch kind {
	case here, hereBy:
		n.here = append(n.here, child)
	case members, matching:
		n.members = append(n.members, child)
	case elements:
		n.elements = append(n.elements, child)
	case named:
		if n.named == nil {
			n.named = map[string]*node{}
		}
		n.named[name] = child
	}
}

// field returns a member of an object, nil if there is none.
func field(object any, name string) any {
	members, _ := object.(map[string]any)
	return members[name]
}
