package glob_test

import (
	"strings"
	"testing"

	"github.com/chibi-host/chibi/internal/glob"
)

// matches reports whether a path matches, and checks that no directory on the way to it
// was said to have nothing that matches.
func matches(t *testing.T, pattern, path string) bool {
	t.Helper()
	p, err := glob.Compile(pattern)
	if err != nil {
		t.Fatalf("%s: %v", pattern, err)
	}
	names := strings.Split(path, "/")
	state, isOpen := p.Start(), true
	for _, name := range names[:len(names)-1] {
		var ok bool
		state, ok = p.In(state, name)
		isOpen = isOpen && ok
	}
	found := p.Matches(state, names[len(names)-1])
	if found && !isOpen {
		t.Errorf("%s matches %s, in a directory where nothing matches", pattern, path)
	}
	return found
}

func TestPattern(t *testing.T) {
	for pattern, test := range map[string]struct{ yes, no string }{
		"*.go":           {"a.go .go", "a.gox d/a.go go"},
		"./*.go":         {"a.go", "d/a.go"},
		"a?c":            {"abc aéc", "ac abbc a/c"},
		"[a-c]x":         {"ax bx", "dx x"},
		"[!a-c]x":        {"dx", "ax"},
		"[^a-c]x":        {"dx", "ax"},
		"[[:digit:]]*":   {"1 1a", "a"},
		`\*`:             {"*", "a"},
		"**":             {"a d/a d/e/.a", ""},
		"**/*.go":        {"a.go d/a.go d/e/a.go", "a.c d/a.go/x"},
		"**/**/*.go":     {"a.go d/a.go d/e/a.go", "a.c"},
		"src/**":         {"src/a src/d/a", "src a src2/a"},
		"src/**/a":       {"src/a src/d/a src/d/e/a", "a src/ab d/src/a"},
		"a**b":           {"ab axb", "a/b"},
		"{a,b}.go":       {"a.go b.go", "c.go {a,b}.go"},
		"**/*.{c,h}":     {"a.c d/a.h", "a.go"},
		"{src,lib/**}/x": {"src/x lib/x lib/d/x", "x lib/y"},
		"a{b,{c,d}e}":    {"ab ace ade", "ac ad a"},
		"{a}":            {"{a}", "a"},
		"a{,b}":          {"a ab", "b"},
		"a{b":            {"a{b", "ab"},
		`\{a,b\}`:        {"{a,b}", "a"},
		"*":              {"a .a", "d/a"},
		"a*":             {"a ab", "ba"},
		"a*c*e":          {"ace abcde", "acd"},
	} {
		for path := range strings.FieldsSeq(test.yes) {
			if !matches(t, pattern, path) {
				t.Errorf("%s does not match %s", pattern, path)
			}
		}
		for path := range strings.FieldsSeq(test.no) {
			if matches(t, pattern, path) {
				t.Errorf("%s matches %s", pattern, path)
			}
		}
	}
}

func TestNothingIsLookedForWhereNothingMatches(t *testing.T) {
	for pattern, isOpen := range map[string]bool{"*.go": false, "d/*.go": true, "e/*": false, "**/a": true, "d/e/f": true,
		"d": false, "d/**": true, "{e/a,d/a}": true} {
		p, _ := glob.Compile(pattern)
		if _, got := p.In(p.Start(), "d"); got != isOpen {
			t.Errorf("%s in d: %v", pattern, got)
		}
	}
}

func TestPatternsThatAreNone(t *testing.T) {
	for pattern, want := range map[string]string{
		"[a":                        `"[a" is not a pattern: a bracket is not closed, or it ends with a backslash`,
		`a\`:                        `"a\\" is not a pattern: a bracket is not closed, or it ends with a backslash`,
		strings.Repeat("a/", 63):    "the pattern has more than 62 names",
		strings.Repeat("{a,b}", 7):  "the pattern has more than 100 alternatives",
		strings.Repeat("{a,b}", 99): "the pattern has more than 100 alternatives",
		strings.Repeat("a", 5000):   "the pattern has more than 4096 bytes",
	} {
		if _, err := glob.Compile(pattern); err == nil || err.Error() != want {
			t.Errorf("%.20s: %v", pattern, err)
		}
	}
}
