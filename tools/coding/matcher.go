package coding

import (
	"bytes"
	"fmt"
	"regexp"
	"regexp/syntax"
	"strings"
)

// matcher finds the lines that match a pattern. Where every line that matches has one of a
// few texts in it, these are looked for first, which is much faster than the regular
// expression. It is safe for concurrent use.
type matcher struct {
	re    *regexp.Regexp
	texts []needle // one of them is in every line that matches; nil: it is not known
	plain bool     // the pattern is nothing but the text
}

// maxNeedles bounds how many texts are looked for instead of a regular expression.
const maxNeedles = 8

// newMatcher reads a pattern in the syntax of RE2.
func newMatcher(pattern string, ignoreCase bool) (*matcher, error) {
	if strings.Contains(pattern, "\n") {
		return nil, fmt.Errorf("pattern has a newline in it; lines are searched one by one")
	}
	if ignoreCase {
		pattern = "(?i)" + pattern
	}
	re, err := regexp.Compile(pattern)
	if err != nil {
		return nil, fmt.Errorf("pattern is not a regular expression (RE2): %w", err)
	}
	tree, err := syntax.Parse(pattern, syntax.Perl)
	if err != nil {
		return nil, err
	}
	m := &matcher{re: re, texts: required(tree.Simplify())}
	m.plain = tree.Op == syntax.OpLiteral && len(m.texts) == 1 && !m.texts[0].fold
	return m, nil
}

type needle struct {
	text []byte // in lower case, if fold
	fold bool   // letters in any case; the text is ASCII then
	rare int    // where the byte is that a text has least often
}

// required returns texts one of which is in everything that matches; nil: there are none.
func required(re *syntax.Regexp) []needle {
	switch re.Op {
	case syntax.OpLiteral:
		if n, ok := newNeedle(string(re.Rune), re.Flags&syntax.FoldCase != 0); ok {
			return []needle{n}
		}
	case syntax.OpCapture, syntax.OpPlus:
		return required(re.Sub[0])
	case syntax.OpRepeat:
		if re.Min > 0 {
			return required(re.Sub[0])
		}
	case syntax.OpConcat:
		var best []needle
		for _, sub := range re.Sub {
			if list := required(sub); shortest(list) > shortest(best) {
				best = list
			}
		}
		return best
	case syntax.OpAlternate:
		var all []needle
		for _, sub := range re.Sub {
			list := required(sub)
			if list == nil || len(all)+len(list) > maxNeedles {
				return nil
			}
			all = append(all, list...)
		}
		return all
	}
	return nil
}

// shortest returns the length of the shortest text: the longer it is, the rarer.
func shortest(list []needle) int {
	n := 0
	for i, text := range list {
		if i == 0 || len(text.text) < n {
			n = len(text.text)
		}
	}
	return n
}

// newNeedle makes a needle of a literal; false: it is too short to help. A letter whose other
// case is no ASCII cannot be in it: k is also the Kelvin sign, s the long s.
func newNeedle(text string, fold bool) (needle, bool) {
	if fold {
		longest := ""
		for _, part := range strings.FieldsFunc(strings.ToLower(text), func(r rune) bool {
			return r >= 0x80 || r == 'k' ||
				r == 's'
		}) {
			if len(part) > len(longest) {
				longest = part
			}
		}
		text = longest
	}
	n := needle{text: []byte(text), fold: fold}
	const common = " etaoinsrhldcumfpgwybvkxjqz" // of English texts and programs, most common first
	rank := -1
	for i := range n.text {
		r := strings.IndexByte(common, n.text[i]|0x20)
		if r < 0 {
			r = len(common)
		}
		if r > rank {
			rank, n.rare = r, i
		}
	}
	return n, len(text) > 1
}

// index finds the needle; -1: it is not there.
func (n needle) index(data []byte) int {
	if !n.fold {
		return bytes.Index(data, n.text)
	}
	low := n.text[n.rare]
	high := bytes.ToUpper(n.text[n.rare : n.rare+1])[0]
	nextLow, nextHigh := -1, -1
	for at := n.rare; at < len(data); at++ {
		if nextLow < at {
			nextLow = indexFrom(data, low, at)
		}
		if nextHigh < at {
			nextHigh = indexFrom(data, high, at)
		}
		if at = min(nextLow, nextHigh); at == len(data) {
			break
		}
		start := at - n.rare
		if end := start + len(n.text); end <= len(data) && isFolded(data[start:end], n.text) {
			return start
		}
	}
	return -1
}

// indexFrom finds a byte; the length of data: it is not there.
func indexFrom(data []byte, b byte, from int) int {
	if i := bytes.IndexByte(data[from:], b); i >= 0 {
		return from + i
	}
	return len(data)
}

// isFolded compares ASCII; want is in lower case.
func isFolded(data, want []byte) bool {
	for i, b := range data {
		if 'A' <= b && b <= 'Z' {
			b |= 0x20
		}
		if b != want[i] {
			return false
		}
	}
	return true
}

// scan finds the lines of one piece of text that match.
type scan struct {
	*matcher
	data []byte
	next [maxNeedles]int // where each text comes next; valid if not before the place
}

func (m *matcher) in(data []byte) scan {
	s := scan{matcher: m, data: data}
	for i := range s.next {
		s.next[i] = -1
	}
	return s
}

// span is a line in a piece of text, without its end, and where it matches.
type span struct{ start, end, match int }

// from finds the first line that matches at or behind a place where a line begins.
func (s *scan) from(at int) (span, bool) {
	for at < len(s.data) {
		if at = s.candidate(at); at == len(s.data) {
			break
		}
		start := bytes.LastIndexByte(s.data[:at], '\n') + 1
		end := indexFrom(s.data, '\n', at)
		line := bytes.TrimSuffix(s.data[start:end], []byte("\r"))
		if s.plain && at+len(s.texts[0].text) <= start+len(line) {
			return span{start, end, at}, true
		}
		if match := s.re.FindIndex(line); match != nil {
			return span{start, end, start + match[0]}, true
		}
		at = end + 1
	}
	return span{}, false
}

// candidate finds the first place at or behind another one where a line may match; the
// length of the data: there is none.
func (s *scan) candidate(at int) int {
	if s.texts == nil {
		return at
	}
	first := len(s.data)
	for i, text := range s.texts {
		if s.next[i] < at {
			s.next[i] = len(s.data)
			if found := text.index(s.data[at:]); found >= 0 {
				s.next[i] = at + found
			}
		}
		first = min(first, s.next[i])
	}
	return first
}
