// Package glob matches paths by patterns with stars: the patterns of a call ([Pattern]), and the
// patterns of files such as .gitignore ([Ignore]).
//
// It promises that matching takes no longer than the product of the lengths of pattern and
// path, but for the stars within one name, and that no pattern is an error where git takes
// it. It does no I/O; its values are safe for concurrent use once they are made.
package glob

import (
	"errors"
	"fmt"
	"strings"
)

// The bounds of a pattern.
const (
	maxAlternatives = 100
	maxParts        = 62 // a state has a bit for each and one more
	maxPattern      = 4096
)

// Pattern is a pattern for paths with slashes: "*" and "?" stand for characters of one name,
// "**" as a whole name for any number of directories, "{a,b}" for alternatives. Names that
// begin with a dot are like others.
type Pattern struct{ alternatives []parts }

type parts []name

// Compile reads a pattern of at most 4096 bytes, 62 names and 100 alternatives.
func Compile(pattern string) (*Pattern, error) {
	if len(pattern) > maxPattern {
		return nil, fmt.Errorf("the pattern has more than %d bytes", maxPattern)
	}
	texts, err := expand(pattern)
	if err != nil {
		return nil, err
	}
	p := &Pattern{}
	for _, text := range texts {
		names := split(text)
		if len(names) > maxParts {
			return nil, fmt.Errorf("the pattern has more than %d names", maxParts)
		}
		for _, n := range names {
			if !n.isWhole() {
				return nil, fmt.Errorf("%q is not a pattern: a bracket is not closed, or it ends with a backslash", text)
			}
		}
		p.alternatives = append(p.alternatives, names)
	}
	return p, nil
}

// split splits a pattern at slashes.
func split(pattern string) (list parts) {
	for part := range strings.SplitSeq(pattern, "/") {
		if part != "" && part != "." {
			list = list.with(newName(part))
		}
	}
	return list
}

// with adds a name. "**" twice is "**".
func (list parts) with(n name) parts {
	if last := len(list) - 1; n.kind == directories && last >= 0 && list[last].kind == directories {
		return list
	}
	return append(list, n)
}

// expand returns the alternatives of a pattern with braces. A brace that is not closed is a
// character.
func expand(pattern string) ([]string, error) {
	open, choices, rest, ok := firstBrace(pattern)
	if !ok {
		return []string{pattern}, nil
	}
	ends, err := expand(rest)
	if err != nil {
		return nil, err
	}
	var all []string
	for _, choice := range choices {
		middles, err := expand(choice)
		if err != nil {
			return nil, err
		}
		for _, middle := range middles {
			for _, end := range ends {
				all = append(all, pattern[:open]+middle+end)
			}
			if len(all) > maxAlternatives {
				return nil, errors.New("the pattern has more than 100 alternatives")
			}
		}
	}
	return all, nil
}

func firstBrace(pattern string) (open int, choices []string, rest string, ok bool) {
	depth, from := 0, 0
	for i := 0; i < len(pattern); i++ {
		switch c := pattern[i]; {
		case c == '\\':
			i++
		case c == '{':
			if depth == 0 {
				open, from, choices = i, i+1, nil
			}
			depth++
		case c == ',' && depth == 1:
			choices = append(choices, pattern[from:i])
			from = i + 1
		case c == '}' && depth > 0:
			if depth--; depth == 0 && len(choices) > 0 {
				return open, append(choices, pattern[from:i]), pattern[i+1:], true
			}
		}
	}
	return 0, nil, "", false
}

// State is how much of a pattern the path of a directory matches: a bit for each name of an
// alternative that can come next, and one for its end.
type State []uint64

// Start returns the state at the directory where paths begin.
func (p *Pattern) Start() State {
	s := make(State, len(p.alternatives))
	for i, list := range p.alternatives {
		s[i] = list.start()
	}
	return s
}

// In returns the state in a directory of the directory; false: nothing there can match.
func (p *Pattern) In(s State, name string) (State, bool) {
	next := make(State, len(s))
	isOpen := false
	for i, list := range p.alternatives {
		next[i] = list.step(s[i], name)
		isOpen = isOpen || next[i]&^list.end() != 0
	}
	return next, isOpen
}

// Matches reports whether a file of the directory matches.
func (p *Pattern) Matches(s State, name string) bool {
	for i, list := range p.alternatives {
		if s[i] != 0 && list.step(s[i], name)&list.end() != 0 {
			return true
		}
	}
	return false
}

func (list parts) end() uint64 { return 1 << len(list) }

func (list parts) start() uint64 { return list.closure(1) }

// closure adds what is reached because "**" may stand for nothing, but at the end: what is
// in a directory is not the directory.
func (list parts) closure(reached uint64) uint64 {
	for i := range max(len(list)-1, 0) {
		if list[i].kind == directories && reached&(1<<i) != 0 {
			reached |= 2 << i
		}
	}
	return reached
}

// step returns what is reached with one more name.
func (list parts) step(reached uint64, name string) uint64 {
	next := uint64(0)
	for i, part := range list {
		switch {
		case reached&(1<<i) == 0:
		case part.kind == directories && i == len(list)-1:
			next |= 3 << i
		case part.kind == directories:
			next |= 1 << i
		case part.match(name):
			next |= 2 << i
		}
	}
	return list.closure(next)
}

func (list parts) match(path string) bool {
	reached := list.start()
	for reached != 0 {
		name, rest, more := strings.Cut(path, "/")
		reached = list.step(reached, name)
		if !more {
			break
		}
		path = rest
	}
	return reached&list.end() != 0
}
