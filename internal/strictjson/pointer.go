package strictjson

import "strings"

// EscapeToken is a member's name as a part of a JSON Pointer (RFC 6901).
func EscapeToken(name string) string {
	if !strings.ContainsAny(name, "~/") {
		return name
	}
	return strings.NewReplacer("~", "~0", "/", "~1").Replace(name)
}

// UnescapeToken is the member's name that a part of a JSON Pointer stands for.
func UnescapeToken(token string) string {
	if !strings.Contains(token, "~") {
		return token
	}
	return strings.NewReplacer("~1", "/", "~0", "~").Replace(token)
}
