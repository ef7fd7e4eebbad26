package tools

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"time"
)

// Remote is a tool of an MCP server. Permission rules, hooks and the person know the tool by
// it, whatever its [Category]. The person approves its definition.
type Remote struct {
	// Server is the server's name in the configuration, Tool the server's own name of the
	// tool.
	Server, Tool string
	// ReadOnly says that the tool only reads: the server says so, and the person trusts the
	// server. chibi asks no question about such a tool, unless something else asks.
	ReadOnly bool
	// Definition returns all that the server says about the tool, as a JSON object that is
	// the same text as long as the server says the same. It is called only when the tool is called.
	Definition func() json.RawMessage
}

// Revision returns a text that changes when anything in the definition does.
func (r *Remote) Revision() string { return RevisionOf(r.Definition()) }

// RevisionOf returns the revision of a definition.
func RevisionOf(definition json.RawMessage) string {
	return fmt.Sprintf("%.16x", sha256.Sum256(definition))
}

// Served says how long a call of an MCP server's tool took, in parts that do not overlap.
type Served struct {
	// Server is the server's name in the configuration.
	Server string
	// Start is how long it took to connect to the server: its own start if it is
	// a program, and its answer to initialize; almost nothing if it was connected to before.
	Start time.Duration
	// Wait is how long the server waited for the person's answer.
	Wait time.Duration
	// Call is how long the call itself took.
	Call time.Duration
}
