package engine

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/tidwall/gjson"
)

// Matched returns the value of a moment that the agent compares matchers at an event with; "" if it ignores
// them there.
func (d Dialect) Matched(e Event, m Moment) string {
	d = e.of(d)
	if e.Matches == ToolName {
		tool, _ := d.There(m)
		return tool
	}
	return gjson.ParseBytes(d.Words.theirs(e.Matches, m.Values[e.Matches])).String()
}

// Matches returns a function that compares values at an event (see Matched) with a matcher. The error says why
// chibi cannot run the matcher; the function then does as the agent does.
func (d Dialect) Matches(e Event, matcher string) (func(value string) bool, error) {
	there := e.of(d)
	is, err := there.Matcher.compile(e.Name, strings.TrimSpace(matcher))
	if e.Matches == "" || is == nil {
		all := e.Matches == "" || err == nil
		return func(string) bool { return all }, err
	}
	if e.Matches != ToolName {
		return is, err
	}
	tools := there.Tools // alone: a Dialect is large, and there may be many matchers
	return func(value string) bool { return slices.ContainsFunc(tools.Names(value), is) }, err
}

// maxMatcher bounds a matcher, in bytes.
const maxMatcher = 8 << 10

// compile returns a function for a matcher. nil matches everything; with an error, nothing.
func (r MatcherRule) compile(event, matcher string) (func(value string) bool, error) {
	switch {
	case len(matcher) > maxMatcher:
		return nil, fmt.Errorf("the matcher has %d bytes, more than %d", len(matcher), maxMatcher)
	case matcher == "" || matcher == "*":
		return nil, nil
	case slices.Contains(r.Exact, event):
		return func(value string) bool { return value == matcher }, nil
	case r.isList(matcher):
		names := strings.FieldsFunc(matcher, func(c rune) bool { return strings.ContainsRune(r.Separators, c) })
		return func(value string) bool {
			return slices.ContainsFunc(names, func(n string) bool { return strings.TrimSpace(n) == value })
		}, nil
	}
	if parts, isPlain := plainParts(matcher); isPlain { // most are, and this is cheaper than a pattern
		return func(value string) bool {
			return slices.ContainsFunc(parts, func(part string) bool {
				return value == part || !r.Whole && strings.Contains(value, part)
			})
		}, nil
	}
	is, err := r.pattern(matcher)
	if err == nil {
		return is, nil
	}
	err = fmt.Errorf("the matcher %q is not a pattern that chibi can run: %w", matcher, err)
	if r.Literal {
		return func(value string) bool { return value == matcher }, err
	}
	return nil, err
}

// pattern compiles a regular expression. Go's expressions take linear time, and so have no lookaround and no
// back references. lookaround compares those that have.
func (r MatcherRule) pattern(text string) (func(value string) bool, error) {
	if r.Whole {
		text = "^(?:" + text + ")$"
	}
	compiled, err := regexp.Compile(text)
	if err == nil {
		return compiled.MatchString, nil
	}
	if r.Lookaround {
		if is, wrong := lookaround(text); wrong == nil {
			return is, nil
		}
	}
	return nil, err
}

// plainParts returns the alternatives of a pattern without any other special character.
func plainParts(pattern string) (parts []string, isPlain bool) {
	isSpecial := func(c rune) bool {
		letter := 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9'
		return !letter && !strings.ContainsRune("_-|", c)
	}
	return strings.Split(pattern, "|"), !strings.ContainsFunc(pattern, isSpecial)
}

// isList reports whether a matcher is a list of exact names.
func (r MatcherRule) isList(matcher string) bool {
	return r.Names+r.Separators != "" && !strings.ContainsFunc(matcher, func(c rune) bool {
		letter := 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9'
		return !letter && !strings.ContainsRune(r.Names+r.Separators, c)
	})
}
