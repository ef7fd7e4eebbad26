package engine

import (
	"regexp"
	"time"

	"github.com/dlclark/regexp2"
)

// maxLookTime bounds the comparison of a value with a pattern that looks around, and with the time its memory. A
// comparison needs microseconds, but a busy machine may stop the process in between; so chibi tries it lookTries times.
const (
	maxLookTime = 100 * time.Millisecond
	lookTries   = 3
)

// lookaround compiles a regular expression of JavaScript that looks ahead or behind, which Go's expressions
// cannot. The comparison tries one way after the other, in memory that grows with its time. A comparison that
// takes too long counts as a match, so that chibi asks the hook.
func lookaround(pattern string) (func(value string) bool, error) {
	// In regexp2, "$" also matches before a newline at the end.
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
		for range lookTries {
			if is, err := compiled.MatchString(value); err == nil {
				return is
			}
		}
		return true
	}, nil
}
