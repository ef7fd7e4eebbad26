package tools

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/chibi-host/chibi/internal/clip"
	"github.com/chibi-host/chibi/internal/strictjson"
	"github.com/tidwall/gjson"
)

const (
	// maxConverted bounds how many conversions of one call are reported, maxPointer
	// the bytes of each JSON Pointer.
	maxConverted = 20
	maxPointer   = 200
	// maxNumber bounds the text of a number: languages differ in what they accept.
	maxNumber = 1000
)

// Convert corrects a common error of models: a number, true, false or null written as a
// string. A string is converted where the schema does not allow a string and its content
// is exactly the JSON of a value of an allowed type: "5" becomes 5 for an integer, "5.0"
// and " 5" do not. Digits are kept as written. Nothing else is changed, so arguments that
// pass [Schema.Check] are never changed.
//
// The arguments must be normalized by package strictjson. The second result lists the
// converted places as JSON Pointers; after many, how many more there are.
func (s *Schema) Convert(args json.RawMessage) (json.RawMessage, []string) {
	if s == nil || !s.converts {
		return args, nil
	}
	value, err := strictjson.Value(args)
	if object, ok := value.(map[string]any); err != nil || !ok || !s.root.affordable(object) {
		return args, nil // Check refuses them
	}
	c := converter{out: make([]byte, 0, len(args))}
	c.value(gjson.ParseBytes(args), constraintsOf(s.shape))
	if c.count == 0 || s.validate(value) == nil { // shapes do not depend on the version of JSON Schema
		return args, nil
	}
	if more := c.count - len(c.places); more > 0 {
		c.places = append(c.places, fmt.Sprintf("and %d more", more))
	}
	return c.out, c.places
}

type converter struct {
	out    []byte
	path   []string // of the value that is being written
	count  int      // of conversions
	places []string // of the first conversions
}

// value writes a value to which constraints apply.
func (c *converter) value(v gjson.Result, p constraints) {
	switch {
	case p.isFree():
		c.out = append(c.out, v.Raw...)
	case v.IsObject():
		p = p.among(typeObject)
		c.list("{", "}", v, func(name gjson.Result, _ int) constraints { return p.member(name.String()) })
	case v.IsArray():
		p = p.among(typeArray)
		c.list("[", "]", v, func(_ gjson.Result, i int) constraints { return p.element(i) })
	case v.Type == gjson.String && converts(v.Str, p.types()):
		c.out = append(c.out, v.Str...)
		c.note()
	default:
		c.out = append(c.out, v.Raw...)
	}
}

// list writes the members of an object or the elements of an array.
func (c *converter) list(open, shut string, v gjson.Result, at func(name gjson.Result, i int) constraints) {
	c.out = append(c.out, open...)
	i := 0
	v.ForEach(func(name, child gjson.Result) bool {
		if i > 0 {
			c.out = append(c.out, ',')
		}
		step := fmt.Sprint(i)
		if open == "{" {
			step = strictjson.EscapeToken(name.String())
			c.out = append(append(c.out, name.Raw...), ':')
		}
		c.path = append(c.path, step)
		c.value(child, at(name, i))
		c.path = c.path[:len(c.path)-1]
		i++
		return true
	})
	c.out = append(c.out, shut...)
}

// note records that the current value was converted.
func (c *converter) note() {
	if c.count++; c.count > maxConverted {
		return
	}
	pointer := "/" + strings.Join(c.path, "/")
	if len(pointer) > maxPointer {
		pointer = clip.Bytes(pointer, maxPointer) + "..."
	}
	c.places = append(c.places, pointer)
}

// constraints are what a schema requires of one value: all shapes apply, and at least one
// of each list of alternatives.
type constraints struct {
	shapes []*shape
	either [][]constraints
}

func constraintsOf(s *shape) (p constraints) {
	p.add(s)
	return p
}

// add adds a shape and those that it refers to. Their number is bounded, see weigh.
func (p *constraints) add(s *shape) {
	p.shapes = append(p.shapes, s)
	for _, other := range s.all {
		p.add(other)
	}
	for _, list := range s.either {
		alternatives := make([]constraints, len(list))
		for i, one := range list {
			alternatives[i] = constraintsOf(one)
		}
		p.either = append(p.either, alternatives)
	}
}

func (p constraints) isFree() bool { return len(p.shapes) == 0 && len(p.either) == 0 }

// types returns the types that the value may have, or a superset.
func (p constraints) types() typeSet {
	allowed := anyType
	for _, s := range p.shapes {
		allowed &= s.types
	}
	for _, alternatives := range p.either {
		var union typeSet
		for _, one := range alternatives {
			union |= one.types()
		}
		allowed &= union
	}
	return allowed
}

// among returns the constraints without alternatives that allow no value of a type.
func (p constraints) among(t typeSet) constraints {
	q := constraints{shapes: p.shapes}
	for _, alternatives := range p.either {
		var left []constraints
		for _, one := range alternatives {
			if one.types()&t != 0 {
				left = append(left, one.among(t))
			}
		}
		q.either = append(q.either, left)
	}
	return q
}

func (p constraints) member(name string) constraints {
	return p.below(func(s *shape) []*shape { return s.membersNamed(name) })
}

func (p constraints) element(i int) constraints {
	return p.below(func(s *shape) []*shape { return s.elementsAt(i) })
}

// below returns the constraints of a part of the value. It drops a list of alternatives
// if one of them has no constraints.
func (p constraints) below(of func(*shape) []*shape) (q constraints) {
	for _, s := range p.shapes {
		for _, part := range of(s) {
			q.add(part)
		}
	}
	for _, alternatives := range p.either {
		var parts []constraints
		for _, one := range alternatives {
			parts = append(parts, one.below(of))
		}
		if len(parts) > 0 && !slices.ContainsFunc(parts, constraints.isFree) {
			q.either = append(q.either, parts)
		}
	}
	return q
}
