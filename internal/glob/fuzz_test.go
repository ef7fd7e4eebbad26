package glob_test

import (
	"path"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/chibi-host/chibi/internal/fuzztest"
	"github.com/chibi-host/chibi/internal/glob"
)

// FuzzPattern compares patterns for one name with package path, where both have the same
// rules.
func FuzzPattern(f *testing.F) {
	for _, pattern := range []string{"*.go", "a?[b-d]*", "{a,b}/**/c", `\*[^x]`, "[[:alpha:]]", strings.Repeat("*a", 20)} {
		f.Add(pattern, "a.go")
	}
	f.Fuzz(func(t *testing.T, pattern, name string) {
		fuzztest.Memory(t)
		p, err := glob.Compile(pattern)
		if err != nil {
			return
		}
		found := matches(t, pattern, name)
		var rules glob.Ignore
		rules.Add(pattern)
		rules.Match(glob.Entry{Path: name, Name: path.Base(name)})
		isSame := !strings.ContainsAny(pattern, "{}[/") && !strings.Contains(pattern, "**") && pattern != "" &&
			pattern != "." && !strings.Contains(name, "/") && utf8.ValidString(pattern+name)
		if want, err := path.Match(pattern, name); isSame && err == nil && found != want {
			t.Errorf("%q for %q: %v, package path says %v", pattern, name, p, want)
		}
	})
}
