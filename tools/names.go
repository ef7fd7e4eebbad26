package tools

import (
	"fmt"
	"strings"
)

// ValidName reports whether model providers accept a name of a tool: 1 to 64 ASCII
// letters, digits, "-" and "_".
func ValidName(name string) bool {
	return 1 <= len(name) && len(name) <= 64 && strings.Trim(name, nameCharacters) == ""
}

const nameCharacters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_"

// maxServerName is how long the name of a server may be, in bytes.
const maxServerName = 32

// ValidServerName reports whether a server can have a name: 1 to 32 ASCII letters, digits,
// "-" and "_", without "__" and without "_" at either end, so that the name of a tool says
// which server it belongs to.
func ValidServerName(name string) bool {
	return ValidName(name) && len(name) <= maxServerName && !strings.Contains(name, "__") &&
		!strings.HasPrefix(name, "_") && !strings.HasSuffix(name, "_")
}

// CheckServerName returns the error for a name that no server can have.
func CheckServerName(name string) error {
	if ValidServerName(name) {
		return nil
	}
	return fmt.Errorf("%q is not a valid name of an MCP server: at most %d letters, digits, - and _, "+
		"without __ and without _ at either end", name, maxServerName)
}
