package dialect

import (
	"regexp"
	"strings"
)

// lookahead is a condition on what follows the beginning of a value.
type lookahead struct {
	pattern string
	not     bool
}

// lookaheads takes a pattern apart that is ^, lookaheads, and a rest without them.
func lookaheads(pattern string) (heads []lookahead, rest string, is bool) {
	rest, anchored := strings.CutPrefix(pattern, "^")
	for anchored && (strings.HasPrefix(rest, "(?!") || strings.HasPrefix(rest, "(?=")) {
		end := closing(rest)
		if end < 0 {
			return nil, "", false
		}
		heads = append(heads, lookahead{rest[len("(?!"):end], rest[2] == '!'})
		rest = rest[end+1:]
	}
	return heads, rest, len(heads) > 0 && !hasAlternatives(rest)
}

// inParts returns the comparison with lookaheads and the rest.
func inParts(heads []lookahead, rest string) (func(value string) bool, error) {
	tail, err := regexp.Compile("^" + rest)
	if err != nil {
		return nil, err
	}
	patterns := make([]*regexp.Regexp, len(heads))
	for i, head := range heads {
		if patterns[i], err = regexp.Compile("^(?:" + head.pattern + ")"); err != nil {
			return nil, err
		}
	}
	return func(value string) bool {
		for i, head := range heads {
			if patterns[i].MatchString(value) == head.not {
				return false
			}
		}
		return tail.MatchString(value)
	}, nil
}

// closing returns the index of the parenthesis that closes the first one, -1 if there is
// none.
func closing(pattern string) int {
	end := -1
	scan(pattern, func(i, depth int) bool {
		if pattern[i] == ')' && depth == 0 {
			end = i
		}
		return end < 0
	})
	return end
}

// hasAlternatives reports whether a pattern has "|" outside of parentheses.
func hasAlternatives(pattern string) (has bool) {
	scan(pattern, func(i, depth int) bool {
		has = has || pattern[i] == '|' && depth == 0
		return !has
	})
	return has
}

// scan calls see for each parenthesis and "|" of a pattern with the depth of parentheses
// after it, as long as it returns true. What is escaped or in a class is left out.
func scan(pattern string, see func(i, depth int) bool) {
	depth, class := 0, false
	for i := 0; i < len(pattern); i++ {
		switch c := pattern[i]; {
		case c == '\\':
			i++
		case class:
			class = c != ']'
		case c == '[':
			class = true
		case c == '(' || c == ')' || c == '|':
			if c == '(' {
				depth++
			} else if c == ')' {
				depth--
			}
			if !see(i, depth) {
				return
			}
		}
	}
}
