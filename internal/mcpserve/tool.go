package mcpserve

import (
	"encoding/json"
	"fmt"

	"github.com/chibi-host/chibi/internal/strictjson"
	"github.com/chibi-host/chibi/tools"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// toolOf describes a tool to clients.
func toolOf(spec tools.Spec) *sdk.Tool {
	title := spec.Name + " (chibi)"
	switch {
	case spec.Remote != nil:
		title = fmt.Sprintf("%s (MCP server %s, by way of chibi)", spec.Remote.Tool, spec.Remote.Server)
	case spec.Owner != "":
		title = fmt.Sprintf("%s (chibi plugin %s)", spec.Name, spec.Owner)
	}
	return &sdk.Tool{Name: spec.Name, Title: title, Description: spec.Description, InputSchema: schemaOf(spec.Parameters),
		Annotations: annotationsOf(spec, title)}
}

// schemaOf returns the parameters of a tool. Clients want an object there, so a schema that is
// none becomes one that says nothing.
func schemaOf(parameters json.RawMessage) json.RawMessage {
	var members map[string]json.RawMessage
	if strictjson.Decode(parameters, &members) != nil || members == nil {
		return json.RawMessage(`{"type":"object"}`)
	}
	if string(members["type"]) == `"object"` {
		return parameters
	}
	members["type"] = json.RawMessage(`"object"`)
	schema, err := strictjson.Encode(members)
	if err != nil {
		return json.RawMessage(`{"type":"object"}`)
	}
	return schema
}

// annotationsOf says what a tool does, as far as its category does. It says nothing about a tool
// without one, which clients take for the worst.
func annotationsOf(spec tools.Spec, title string) *sdk.ToolAnnotations {
	no, yes := false, true
	a := &sdk.ToolAnnotations{Title: title}
	if spec.Kind == tools.File {
		a.ReadOnlyHint, a.OpenWorldHint = true, &no
	}
	switch spec.Category {
	case tools.CategoryRead, tools.CategorySearch:
		a.ReadOnlyHint, a.OpenWorldHint = true, &no
	case tools.CategoryFetch:
		a.ReadOnlyHint, a.OpenWorldHint = true, &yes
	case tools.CategoryWrite, tools.CategoryEdit:
		a.DestructiveHint, a.OpenWorldHint = &yes, &no
	case tools.CategoryShell, tools.CategoryAgent:
		a.DestructiveHint, a.OpenWorldHint = &yes, &yes
	case tools.CategoryMCP:
		a.ReadOnlyHint = spec.Remote != nil && spec.Remote.ReadOnly
	}
	return a
}
