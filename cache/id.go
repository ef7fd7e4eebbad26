package cache

import (
	"cmp"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strings"
)

// newID returns TOOL_SECONDS_HASH. The hash includes random bytes, so that calls
// within a second differ.
func newID(tool string, arguments []byte, seconds int64) (id, argsHash string, err error) {
	sum := sha256.Sum256(arguments)
	argsHash = hex.EncodeToString(sum[:8])
	salt := make([]byte, 8)
	if _, err := rand.Read(salt); err != nil {
		return "", "", err
	}
	mixed := sha256.Sum256(append(salt, arguments...))
	return fmt.Sprintf("%s_%x_%x", safeName(tool), seconds, mixed[:4]), argsHash, nil
}

// safeName turns a tool's name, which the model's server may have made up, into the
// beginning of a file name.
func safeName(tool string) string {
	name := strings.Map(func(r rune) rune {
		if isNameRune(r) {
			return r
		}
		return '-'
	}, tool)
	if len(name) > 64 {
		name = name[:64]
	}
	name = cmp.Or(name, "tool")
	return name
}

func isNameRune(r rune) bool {
	return 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9' || r == '-' || r == '_'
}

// validID reports whether an id is well-formed: nothing else is looked up on disk.
func validID(id string) bool {
	return id != "" && len(id) <= 200 && !strings.ContainsFunc(id, func(r rune) bool { return !isNameRune(r) })
}

// IsID reports whether a text looks like the id of an output: TOOL_SECONDS_HASH, the latter two
// in hexadecimal digits. Whether there is such an output is another question.
func IsID(text string) bool {
	tool, hash, hasHash := cutLast(text)
	tool, seconds, hasSeconds := cutLast(tool)
	return validID(text) && hasHash && hasSeconds && tool != "" && isHex(seconds) && isHex(hash)
}

func cutLast(text string) (before, after string, found bool) {
	i := strings.LastIndexByte(text, '_')
	return text[:max(i, 0)], text[i+1:], i >= 0
}

// isHex reports whether a text has at least eight digits, and only lower-case hexadecimal ones.
func isHex(text string) bool { return len(text) >= 8 && strings.Trim(text, "0123456789abcdef") == "" }
