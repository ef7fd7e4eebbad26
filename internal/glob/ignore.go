package glob

import "strings"

// MaxRules bounds the rules of one [Ignore]; further lines are not read.
const MaxRules = 10_000

// Ignore has the rules of a directory's files such as .gitignore.
type Ignore struct{ rules []rule }

// rule is one line.
type rule struct {
	name        name  // for a name at any depth
	path        parts // or for a path that starts at the directory
	isNegated   bool
	onlyFolders bool
}

// Add adds the lines of a file; later rules beat earlier ones.
func (g *Ignore) Add(text string) {
	text = strings.TrimPrefix(text, "\ufeff")
	for line := range strings.SplitSeq(text, "\n") {
		if len(g.rules) == MaxRules {
			return
		}
		if r, ok := parseRule(line); ok {
			g.rules = append(g.rules, r)
		}
	}
}

// IsEmpty reports whether there are no rules.
func (g *Ignore) IsEmpty() bool { return len(g.rules) == 0 }

// parseRule reads a line; false: it has no rule.
func parseRule(line string) (rule, bool) {
	var r rule
	line = trimSpaces(strings.TrimSuffix(line, "\r"))
	if line == "" || line[0] == '#' || len(line) > maxPattern {
		return r, false
	}
	line, r.isNegated = strings.CutPrefix(line, "!")
	line, r.onlyFolders = strings.CutSuffix(line, "/")
	if line == "" {
		return r, false
	}
	if !strings.Contains(line, "/") {
		r.name = newName(line)
		return r, r.name.isWhole()
	}
	for part := range strings.SplitSeq(strings.TrimPrefix(line, "/"), "/") {
		if part == "" { // two slashes: git matches nothing
			return r, false
		}
		r.path = r.path.with(newName(part))
	}
	return r, len(r.path) <= maxParts
}

// trimSpaces removes the spaces at the end of a line, but not one behind a backslash.
func trimSpaces(line string) string {
	for strings.HasSuffix(line, " ") && !strings.HasSuffix(line, `\ `) {
		line = line[:len(line)-1]
	}
	return line
}

// Entry is a file or directory. Its path starts at the directory of the rules, and ends with
// its name.
type Entry struct {
	Path, Name string
	IsFolder   bool
}

// Match returns what the rules say about a file or directory: whether it is ignored, and
// whether any rule says so.
func (g *Ignore) Match(e Entry) (isIgnored, isDecided bool) {
	for i := len(g.rules) - 1; i >= 0; i-- {
		r := &g.rules[i]
		if r.onlyFolders && !e.IsFolder {
			continue
		}
		if r.path == nil && r.name.match(e.Name) || r.path != nil && r.path.match(e.Path) {
			return !r.isNegated, true
		}
	}
	return false, false
}
