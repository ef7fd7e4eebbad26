package tools

import "maps"

// evaluated is which parts of a value the schemas that it satisfies have looked at: those
// that unevaluatedItems and unevaluatedProperties do not apply to.
type evaluated struct {
	members     map[string]bool
	allMembers  bool
	before      int // elements before this one
	elements    map[int]bool
	allElements bool
}

func (e *evaluated) member(name string) {
	if e.members == nil {
		e.members = map[string]bool{}
	}
	e.members[name] = true
}

func (e *evaluated) element(i int) {
	if e.elements == nil {
		e.elements = map[int]bool{}
	}
	e.elements[i] = true
}

func (e *evaluated) add(more *evaluated) {
	if e.members == nil {
		e.members = more.members
	} else {
		maps.Copy(e.members, more.members)
	}
	if e.elements == nil {
		e.elements = more.elements
	} else {
		maps.Copy(e.elements, more.elements)
	}
	e.allMembers = e.allMembers || more.allMembers
	e.allElements = e.allElements || more.allElements
	e.before = max(e.before, more.before)
}

// check checks a value, and adds to seen, which may be nil, what was looked at.
func (n *node) check(v any, seen *evaluated) *finding {
	var own evaluated
	for _, r := range n.rules {
		if f := r(v, &own); f != nil {
			return f
		}
	}
	if seen != nil {
		seen.add(&own)
	}
	return nil
}

// isNothing reports whether no value satisfies the schema because it says so: false.
func (n *node) isNothing() bool {
	if n.schema == false {
		return true
	}
	not, isObject := field(n.schema, "not").(map[string]any)
	return isObject && len(not) == 0 || field(n.schema, "not") == true
}
