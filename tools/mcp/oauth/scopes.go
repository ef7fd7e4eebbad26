package oauth

import (
	"slices"
	"strings"
)

// scopes returns the rights that a server lists, without those that none can have
// (RFC 6749, section 3.3), and at most maxScopes.
func scopes(list string) []string { return union(strings.Fields(list), nil) }

// union returns the rights of two lists, each once.
func union(first, second []string) (all []string) {
	for _, scope := range slices.Concat(first, second) {
		if isScope(scope) && !slices.Contains(all, scope) && len(all) < maxScopes {
			all = append(all, scope)
		}
	}
	return all
}

func isScope(text string) bool {
	return text != "" && len(text) <= maxScope && !strings.ContainsFunc(text, func(c rune) bool {
		return c <= ' ' || c > '~' || c == '"' || c == '\\'
	})
}
