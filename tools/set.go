package tools

import "fmt"

// Set is an ordered collection of tools with unique names. The zero value is
// empty and ready for use. It is not safe for concurrent use while tools are
// added; after that it is.
type Set struct {
	order  []Tool
	byName map[string]Tool
}

// Add appends tools in order. It stops at a tool whose name is taken; the error names the
// tool and both owners.
func (s *Set) Add(list ...Tool) error {
	for _, t := range list {
		spec := t.Spec()
		if prior, taken := s.byName[spec.Name]; taken {
			return fmt.Errorf("tool %q of %s: the name is taken by %s", spec.Name, origin(spec), origin(prior.Spec()))
		}
		if s.byName == nil {
			s.byName = make(map[string]Tool)
		}
		s.byName[spec.Name] = t
		s.order = append(s.order, t)
	}
	return nil
}

// Lookup returns the tool of a name.
func (s *Set) Lookup(name string) (Tool, bool) {
	t, ok := s.byName[name]
	return t, ok
}

// Specs returns the descriptions of all tools, in order.
func (s *Set) Specs() []Spec {
	specs := make([]Spec, len(s.order))
	for i, t := range s.order {
		specs[i] = t.Spec()
	}
	return specs
}

// Len returns the number of tools; a nil Set has none.
func (s *Set) Len() int {
	if s == nil {
		return 0
	}
	return len(s.order)
}

func origin(s Spec) string {
	if s.Owner != "" {
		return fmt.Sprintf("plugin %q", s.Owner)
	}
	return "chibi"
}
