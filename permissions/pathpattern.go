package permissions

import (
	"errors"
	"path"
	"strings"
)

// anchor is the directory that a pattern begins at.
type anchor int

const (
	atRoot       anchor = iota // the root of the project
	atHome                     // ~/
	atFileSystem               // //
)

// pathPattern is the specifier of a rule about files: a pattern as in .gitignore.
type pathPattern struct {
	anchor anchor
	// parts are the parts of the pattern between slashes; "**" stands for any number.
	parts []string
}

// parsePathPattern reads a pattern. It matches a file, and everything in a directory.
func parsePathPattern(text string) (pathPattern, error) {
	var p pathPattern
	rest := text
	switch {
	case strings.HasPrefix(rest, "//"):
		p.anchor, rest = atFileSystem, rest[2:]
	case rest == "~" || strings.HasPrefix(rest, "~/"):
		p.anchor, rest = atHome, strings.TrimPrefix(rest[1:], "/")
	case strings.HasPrefix(rest, "!"):
		return p, errors.New("a rule cannot be turned round by !; write one in another list")
	case strings.HasPrefix(rest, "./"):
		rest = rest[2:]
	case strings.HasPrefix(rest, "/"):
		rest = rest[1:]
	case !strings.Contains(strings.TrimSuffix(rest, "/"), "/"):
		p.parts = []string{"**"} // a name alone matches at any depth
	}
	return p.add(rest)
}

func (p pathPattern) add(text string) (pathPattern, error) {
	for part := range strings.SplitSeq(strings.Trim(text, "/"), "/") {
		switch {
		case part == "" || part == ".":
			continue
		case part == "..":
			return p, errors.New("a pattern cannot contain .. as a part")
		case strings.HasPrefix(part, "~") && len(p.parts) == 0 && p.anchor == atRoot:
			return p, errors.New("only ~/ stands for a home directory, and only for yours")
		}
		part = strings.ReplaceAll(part, "[!", "[^")
		if _, err := path.Match(part, ""); err != nil {
			return p, errors.New("a bracket is not closed, or the pattern ends with a backslash")
		}
		if part == "**" && len(p.parts) > 0 && p.parts[len(p.parts)-1] == "**" {
			continue
		}
		p.parts = append(p.parts, part)
	}
	return p, nil
}

// match reports whether the pattern matches a path below its anchor, or a directory that
// the path is in. Both are split at slashes.
func (p pathPattern) match(parts []string, same func(pattern, name string) bool) bool {
	// reached[i] says that the first i parts of the pattern match the path so far.
	reached := make([]bool, len(p.parts)+1)
	reached[0] = true
	for i, part := range p.parts {
		reached[i+1] = reached[i] && part == "**"
	}
	if reached[len(p.parts)] {
		return true
	}
	for _, name := range parts {
		reached = p.step(reached, name, same)
		if reached[len(p.parts)] {
			return true
		}
	}
	return false
}

// step returns what is reached with one more part of the path.
func (p pathPattern) step(reached []bool, name string, same func(pattern, name string) bool) []bool {
	next := make([]bool, len(reached))
	for i, part := range p.parts {
		switch {
		case part == "**":
			next[i] = next[i] || reached[i] // it takes the name, and may go on
			next[i+1] = next[i+1] || reached[i]
		case reached[i] && same(part, name):
			next[i+1] = true
		}
		if next[i] && part == "**" {
			next[i+1] = true
		}
	}
	return next
}

// sameName compares exactly, as a rule that allows does.
func sameName(pattern, name string) bool {
	ok, err := path.Match(pattern, name)
	return ok && err == nil
}

// sameFolded compares as a file system may do that does not distinguish letters: what a
// rule denies is denied there under any spelling.
func sameFolded(pattern, name string) bool {
	return sameName(pattern, name) || sameName(fold(pattern), fold(name))
}

// fold returns a name as file systems compare names that ignore case and invisible
// characters.
func fold(name string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r >= 0x200b && r <= 0x200f, r >= 0x202a && r <= 0x202e, r >= 0x2060 && r <= 0x206f, r == 0xfeff:
			return -1
		}
		return r
	}, strings.ToLower(strings.ToUpper(name)))
}
