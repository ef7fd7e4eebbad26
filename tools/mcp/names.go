package mcp

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"

	"github.com/chibi-host/chibi/tools"
)

// maxToolName is how long the name of a tool may be that model providers accept.
const maxToolName = 64

// Prefix is the beginning of the names of all tools of MCP servers.
const Prefix = "mcp__"

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
