package engine

import (
	"errors"
	"regexp"
	"strconv"
	"strings"
	"unicode/utf8"
)

// maxLookSteps bounds the comparison of a value with a pattern that looks around.
const maxLookSteps = 100_000

// lookaround returns the comparison with a regular expression of JavaScript that looks ahead or
// behind, which those of Go cannot: it tries one way after the other. What takes too many steps
// matches, so that the hook is asked.
func lookaround(pattern string) (func(value string) bool, error) {
	p := lookParser{rest: pattern,
		counts:  regexp.MustCompile(`^(?:([*+?])|\{(\d{1,3})(,?)(\d{0,3})\})\??`),
		classes: regexp.MustCompile(`^(?:\\(?:x[0-9a-fA-F]{2}|[^1-9kxucpP])|\[(?:[^\]\\]|\\.)+\]|[.])`),
		words:   regexp.MustCompile(`^\w$`)}
	whole, err := p.alternatives()
	if err == nil && p.rest != "" {
		err = errors.New("a parenthesis is closed that was not opened")
	}
	if err != nil {
		return nil, err
	}
	return func(value string) bool {
		m := &looking{text: []rune(value)}
		for at := 0; at <= len(m.text) && m.goesOn(); at++ {
			if whole(m, at, func(int) bool { return true }) {
				return true
			}
		}
		return !m.goesOn()
	}, nil
}

// looking is the comparison of a value.
type looking struct {
	text  []rune
	steps int
}

// step counts a step, and reports whether the comparison goes on.
func (m *looking) step() bool {
	m.steps++
	return m.goesOn()
}

func (m *looking) goesOn() bool { return m.steps <= maxLookSteps }

// part compares a part of a pattern with what begins at a place, and the rest of the pattern, next, with
// what is behind it. It reports whether both match.
type part func(m *looking, at int, next func(at int) bool) bool

// holds is a part that matches nothing but the place itself, if a condition holds there.
func holds(is func(m *looking, at int) bool) part {
	return func(m *looking, at int, next func(int) bool) bool { return is(m, at) && next(at) }
}

// character is a part that is one character.
func character(is func(c rune) bool) part {
	return func(m *looking, at int, next func(int) bool) bool {
		return m.step() && at < len(m.text) && is(m.text[at]) && next(at+1)
	}
}

// then is one part behind the other.
func (p part) then(q part) part {
	return func(m *looking, at int, next func(int) bool) bool {
		return p(m, at, func(at int) bool { return q(m, at, next) })
	}
}

// or is one part or the other.
func (p part) or(q part) part {
	return func(m *looking, at int, next func(int) bool) bool {
		return m.step() && p(m, at, next) || m.goesOn() && q(m, at, next)
	}
}

// times is a part least to most times; most -1: as often as it can be.
func (p part) times(least, most int) part {
	var more func(done int) part
	more = func(done int) part {
		return func(m *looking, at int, next func(int) bool) bool {
			again := func(to int) bool { return (to > at || done < least) && more(done+1)(m, to, next) }
			return m.step() && (most < 0 || done < most) && p(m, at, again) || m.goesOn() && done >= least && next(at)
		}
	}
	return more(0)
}

// ahead holds where the part begins, with not: where it does not.
func (p part) ahead(not bool) part {
	return holds(func(m *looking, at int) bool {
		return p(m, at, func(int) bool { return true }) != not
	})
}

// behind holds where the part ends, with not: where it does not.
func (p part) behind(not bool) part {
	return holds(func(m *looking, at int) bool {
		is := false
		for from := at; from >= 0 && !is && m.step(); from-- {
			is = p(m, from, func(end int) bool { return end == at })
		}
		return is != not
	})
}

// lookParser reads a pattern: how often a part is there, what stands for a character, and what is
// part of a word.
type lookParser struct {
	rest                   string
	counts, classes, words *regexp.Regexp
}

// take takes a text if the rest begins with it.
func (p *lookParser) take(text string) (is bool) {
	p.rest, is = strings.CutPrefix(p.rest, text)
	return is
}

// alternatives reads sequences with "|" between them.
func (p *lookParser) alternatives() (part, error) {
	all, err := p.sequence()
	for err == nil && p.take("|") {
		var one part
		one, err = p.sequence()
		all = all.or(one)
	}
	return all, err
}

// sequence reads parts, each with how often it is there.
func (p *lookParser) sequence() (all part, err error) {
	all = holds(func(*looking, int) bool { return true })
	for err == nil && p.rest != "" && p.rest[0] != '|' && p.rest[0] != ')' {
		var one part
		if one, err = p.one(); err != nil {
			break
		}
		if least, most, is := p.count(); is {
			one = one.times(least, most)
		}
		all = all.then(one)
	}
	return all, err
}

// count reads how often a part is there.
func (p *lookParser) count() (least, most int, is bool) {
	groups := p.counts.FindStringSubmatch(p.rest)
	if groups == nil {
		return 0, 0, false
	}
	p.rest = p.rest[len(groups[0]):]
	switch groups[1] {
	case "*":
		return 0, -1, true
	case "+":
		return 1, -1, true
	case "?":
		return 0, 1, true
	}
	least, _ = strconv.Atoi(groups[2])
	if most = least; groups[3] != "" {
		most = -1
	}
	if groups[4] != "" {
		most, _ = strconv.Atoi(groups[4])
	}
	return least, most, true
}

// one reads a group, a condition or a character.
func (p *lookParser) one() (part, error) {
	isEdge := func(m *looking, at int) bool {
		before := at > 0 && p.words.MatchString(string(m.text[at-1]))
		return before != (at < len(m.text) && p.words.MatchString(string(m.text[at])))
	}
	switch {
	case p.take("(?="):
		return p.group(func(g part) part { return g.ahead(false) })
	case p.take("(?!"):
		return p.group(func(g part) part { return g.ahead(true) })
	case p.take("(?<="):
		return p.group(func(g part) part { return g.behind(false) })
	case p.take("(?<!"):
		return p.group(func(g part) part { return g.behind(true) })
	case p.take("(?:"), !strings.HasPrefix(p.rest, "(?") && p.take("("):
		return p.group(func(g part) part { return g })
	case p.take("^"):
		return holds(func(_ *looking, at int) bool { return at == 0 }), nil
	case p.take("$"):
		return holds(func(m *looking, at int) bool { return at == len(m.text) }), nil
	case p.take(`\b`):
		return holds(isEdge), nil
	case p.take(`\B`):
		return holds(func(m *looking, at int) bool { return !isEdge(m, at) }), nil
	}
	return p.character()
}

// group reads a group to its end.
func (p *lookParser) group(made func(part) part) (part, error) {
	inside, err := p.alternatives()
	if err == nil && !p.take(")") {
		err = errors.New("a parenthesis is not closed")
	}
	if err != nil {
		return nil, err
	}
	return made(inside), nil
}

// character reads a character, what stands for one, or a class of them.
func (p *lookParser) character() (part, error) {
	first, size := utf8.DecodeRuneInString(p.rest)
	text := p.classes.FindString(p.rest)
	switch {
	case text != "":
		p.rest = p.rest[len(text):]
		one, err := regexp.Compile("^" + text + "$")
		if err != nil {
			return nil, err
		}
		return character(func(c rune) bool { return one.MatchString(string(c)) }), nil
	case strings.ContainsRune(`*+?(\[`, first):
		return nil, errors.New("it has something that is not known here")
	}
	p.rest = p.rest[size:]
	return character(func(c rune) bool { return c == first }), nil
}
