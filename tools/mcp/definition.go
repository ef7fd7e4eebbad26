package mcp

import (
	"encoding/json"
	"time"

	"github.com/chibi-host/chibi/internal/strictjson"
	"github.com/chibi-host/chibi/tools"
)

// Definition is a server's description of one of its tools.
type Definition struct {
	// Name is the server's name of the tool, Title one for people.
	Name  string `json:"name"`
	Title string `json:"title,omitempty"`
	// Description and InputSchema are for the model.
	Description string          `json:"description,omitempty"`
	InputSchema json.RawMessage `json:"input_schema,omitempty"`
	// The server's hints. They prove nothing.
	ReadOnly    bool  `json:"read_only,omitempty"`
	Idempotent  bool  `json:"idempotent,omitempty"`
	Destructive *bool `json:"destructive,omitempty"`
	OpenWorld   *bool `json:"open_world,omitempty"`
}

// Hash changes when anything about the definition does. A person approves the definition with one
// hash.
func (d Definition) Hash() string { return tools.RevisionOf(d.JSON()) }

// JSON returns the definition as chibi shows it to the person and remembers it: the Definition of
// a [tools.Remote]. It does not depend on the order in which a server writes the members of
// a schema, which some change with each start.
func (d Definition) JSON() json.RawMessage {
	if sorted, err := strictjson.Sorted(d.InputSchema); err == nil {
		d.InputSchema = sorted
	}
	text, err := json.Marshal(d)
	if err != nil { // the schema is no JSON: its text is what changes
		d.InputSchema, _ = json.Marshal(string(d.InputSchema))
		text, _ = json.Marshal(d)
	}
	return text
}

// List has the tools that a server offered at one time.
type List struct {
	// Fingerprint is the fingerprint of the [Server] whose list it is.
	Fingerprint string `json:"fingerprint"`
	// Program and Version are the server's name and version for itself, Protocol the version of MCP.
	Program  string `json:"program,omitempty"`
	Version  string `json:"version,omitempty"`
	Protocol string `json:"protocol,omitempty"`
	// Tools are its tools, in its order.
	Tools []Definition `json:"tools"`
	// Beyond counts further tools that exceed the bound of a list.
	Beyond int `json:"beyond,omitempty"`
	// LeftOut says which other tools are missing, and why: at most 20 reasons.
	LeftOut []string `json:"left_out,omitempty"`
	// Asked is when the server sent the list.
	Asked time.Time `json:"asked"`
}

type wireTool struct {
	Name        string          `json:"name"`
	Title       string          `json:"title"`
	Description string          `json:"description"`
	InputSchema json.RawMessage `json:"inputSchema"`
	Annotations struct {
		Title       string `json:"title"`
		ReadOnly    bool   `json:"readOnlyHint"`
		Idempotent  bool   `json:"idempotentHint"`
		Destructive *bool  `json:"destructiveHint"`
		OpenWorld   *bool  `json:"openWorldHint"`
	} `json:"annotations"`
}
