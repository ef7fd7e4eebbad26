package engine

import (
	"regexp"
	"time"

	"github.com/dlclark/regexp2"
)

// maxLookTime bounds the comparison of a value with a pattern that looks around.
const maxLookTime = 100 * time.Millisecond

// lookaround returns the comparison with a regular expression of JavaScript that looks ahead or
// behind, which those of Go cannot. It tries one way after the other, in memory that grows with the
// time it takes. What takes too long matches, so that the hook is asked.
func lookaround(pattern string) (func(value string) bool, error) {
	// There, "$" is also where a newline at the end begins.
	ends := regexp.MustCompile(`(?s)\\.|\[(?:[^\]\\]|\\.)*\]|\$`)
	pattern = ends.ReplaceAllStringFunc(pattern, func(part string) string {
		if part == "$" {
			return `\z`
		}
		return part
	})
	compiled, err := regexp2.Compile(pattern, regexp2.ECMAScript)
	if err != nil {
		return nil, err
	}
	compiled.MatchTimeout = maxLookTime
	return func(value string) bool {
		is, err := compiled.MatchString(value)
		return is || err != nil
	}, nil
}
