package mcp

import (
	"cmp"
	"context"
	"sync"

	"github.com/chibi-host/chibi/tools"
)

type tool struct {
	pool   *Pool
	server Server
	name   string // the server's
	hash   func() string
	spec   tools.Spec
}

// NewTool returns a server's tool as one that a model can call. Its calls connect to the
// server, if it is not connected yet. A call fails if the server's definition of the tool
// has changed by then: chibi calls only a tool with the definition that the rules saw.
func NewTool(pool *Pool, server Server, d Definition) tools.Tool {
	settings := server.Tools[d.Name]
	readOnly := d.ReadOnly && server.Trusted
	definition := sync.OnceValue(d.JSON)
	hash := sync.OnceValue(func() string { return tools.RevisionOf(definition()) })
	return tool{pool: pool, server: server, name: d.Name, hash: hash, spec: tools.Spec{
		Name: ToolName(server.Name, d.Name), Description: cmp.Or(d.Description, d.Title), Parameters: d.InputSchema,
		Kind: tools.MCP, Category: cmp.Or(settings.Category, tools.CategoryMCP), Subject: settings.Subject,
		Parallel: readOnly,
		Remote:   &tools.Remote{Server: server.Name, Tool: d.Name, ReadOnly: readOnly, Definition: definition},
	}}
}

func (t tool) Spec() tools.Spec { return t.spec }

func (t tool) Call(ctx context.Context, call tools.Call) (tools.Result, error) {
	return t.pool.call(ctx, t.server, wanted{t.name, t.hash()}, call.Arguments)
}
