package mcp

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strings"

	"github.com/chibi-host/chibi/tools"
)

// maxServerName is how long the name of a server may be, in bytes. maxToolName is how long
// the name of a tool may be that model providers accept.
const (
	maxServerName = 32
	maxToolName   = 64
)

// Prefix is what the names of all tools of MCP servers begin with.
const Prefix = "mcp__"

// ValidServerName reports whether a server can have a name: 1 to 32 ASCII letters, digits,
// "-" and "_", without "__" and without "_" at either end, so that the name of a tool says
// which server it belongs to.
func ValidServerName(name string) bool {
	return tools.ValidName(name) && len(name) <= maxServerName && !strings.Contains(name, "__") &&
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

// ToolName returns the name that a model calls a server's tool by: mcp__SERVER__TOOL, as in
// the hooks and rules of other agents. A name that model providers would not accept is
// shortened, its other characters become "_", and it ends with a hash of the original.
func ToolName(server, tool string) string {
	prefix := Prefix + server + "__"
	if tool != "" && tools.ValidName(prefix+tool) {
		return prefix + tool
	}
	sum := sha256.Sum256([]byte(tool))
	suffix := "_" + hex.EncodeToString(sum[:4])
	var b strings.Builder
	for _, r := range tool {
		if b.Len() == maxToolName-len(prefix)-len(suffix) {
			break
		}
		if !tools.ValidName(string(r)) {
			r = '_'
		}
		b.WriteRune(r)
	}
	return prefix + b.String() + suffix
}
