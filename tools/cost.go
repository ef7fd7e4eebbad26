package tools

import (
	"fmt"
	"regexp/syntax"
	"slices"
)

const (
	// maxWeight bounds how many schemas are applied to one value, maxHeight how deep
	// they refer to each other: with references that double at each step, a small schema
	// expands exponentially.
	maxWeight = 10_000
	maxHeight = 32
	// maxSteps bounds the cost of checking one call's arguments.
	maxSteps = 4 << 20
	// maxPattern bounds the size of a regular expression with its repetitions
	// expanded.
	maxPattern = 10_000
)

// tooHigh is the error of references and alternatives that are nested deeper than maxHeight.
func tooHigh() error {
	return fmt.Errorf("its references and alternatives are nested more than %d steps deep", maxHeight)
}

// weigh computes how many nodes apply to a value that the node applies to. An error means
// too many, too deep, or infinitely many.
func (n *node) weigh(depth int) error {
	switch {
	case n.weight > 0:
		return nil
	case n.open && n.ref != "":
		return fmt.Errorf("its $ref %q refers to itself", n.ref)
	case n.open:
		return fmt.Errorf("a $ref in it refers to itself")
	case depth > maxHeight:
		return tooHigh()
	}
	n.open = true
	defer func() { n.open = false }()
	weight, height := n.own, 0
	for _, child := range n.here {
		if err := child.weigh(depth + 1); err != nil {
			return err
		}
		weight += child.weight
		height = max(height, child.height+1)
		switch {
		case weight > maxWeight:
			return fmt.Errorf("checking one value takes more than %d steps", maxWeight)
		case height > maxHeight:
			return tooHigh()
		}
	}
	n.weight, n.height = weight, height
	return nil
}

// affordable reports whether checking a value takes at most maxSteps. It walks like the
// validator, through all alternatives.
func (n *node) affordable(value any) bool {
	left := maxSteps
	return n.spend(value, &left)
}

// spend subtracts the cost of a value from left; it returns false if that is used up.
func (n *node) spend(value any, left *int) bool {
	if *left -= n.own; *left < 0 || !read(value, left) {
		return false
	}
	if text, ok := value.(string); ok {
		*left -= len(text) / 16 * n.pattern
	}
	for _, child := range n.here {
		if !child.spend(value, left) {
			return false
		}
	}
	switch value := value.(type) {
	case map[string]any:
		for name, v := range value {
			if !n.spendMember(name, v, left) {
				return false
			}
		}
	case []any:
		for _, v := range value {
			if !spendAll(n.elements, v, left) {
				return false
			}
		}
	}
	return *left >= 0
}

func (n *node) spendMember(name string, value any, left *int) bool {
	*left -= len(name) / 16 * n.own
	if child := n.named[name]; child != nil && !child.spend(value, left) {
		return false
	}
	return spendAll(n.members, name, left) && spendAll(n.members, value, left)
}

func spendAll(nodes []*node, value any, left *int) bool {
	return !slices.ContainsFunc(nodes, func(n *node) bool { return !n.spend(value, left) })
}

// read subtracts the cost of reading a whole value: the validator may compare it or put it
// into an error.
func read(value any, left *int) bool {
	*left--
	switch value := value.(type) {
	case string:
		*left -= len(value) / 16
	case map[string]any:
		for name, v := range value {
			if *left -= len(name) / 16; !read(v, left) {
				return false
			}
		}
	case []any:
		for _, v := range value {
			if !read(v, left) {
				return false
			}
		}
	}
	return *left >= 0
}

// patternCost returns the size of a regular expression. It is an error if the expression is
// invalid or too large.
func patternCost(pattern string) (int, error) {
	tree, err := syntax.Parse(pattern, syntax.Perl)
	if err != nil {
		return 0, err
	}
	cost := patternSize(tree)
	if cost > maxPattern {
		return 0, fmt.Errorf("the pattern %.40q is too large with its repetitions expanded", pattern)
	}
	return cost, nil
}

func patternSize(tree *syntax.Regexp) int {
	size := 1 + len(tree.Rune)
	for _, part := range tree.Sub {
		size = min(size+patternSize(part), maxPattern+1)
	}
	if tree.Op == syntax.OpRepeat {
		size *= max(tree.Min, tree.Max, 1)
	}
	return min(size, maxPattern+1)
}
