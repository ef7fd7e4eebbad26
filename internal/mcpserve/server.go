// Package mcpserve offers a session's tools to the programs that speak MCP: over standard
// input and output ([Server.Lines]), or over HTTP on this machine ([Server.HTTP]).
//
// What it promises:
//
//   - Every call passes the hooks, the permissions and the cache, as a call of chibi's own model
//     does, and ends when the client cancels it or goes away.
//   - The client asks the questions about calls, if it can; nothing is drawn on a terminal. If the
//     client cannot ask, the call is refused.
//   - Calls of one plugin wait for each other, unless it says otherwise, and calls that run when plugins
//     are loaded again end with the plugins that they began with.
//   - The server writes only messages of the protocol, and bounds the client's messages. Other input gets an error.
package mcpserve

import (
	"context"
	"encoding/json"
	"slices"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// newest is the last version with sessions.
const newest = "2025-11-25"

// instructions are for the model of a client.
const instructions = "These tools are plugins of chibi on this machine. Each call passes the hooks and the " +
	"permission rules that the person has set up there. A result that begins with \"Permission denied\" says which " +
	"rule or plugin refused the call: tell the person, do not try to get around it."

// Server is an MCP server. It is safe for concurrent use.
type Server struct {
	life        life
	mcp         *sdk.Server
	served      *Tools
	clients     clients
	parts       parts
	connections connections

	mu    sync.Mutex
	known []string // names of tools
}

// New returns a server of tools. version is chibi's.
func New(served *Tools, version string) *Server {
	s := &Server{served: served,
		clients: clients{served: served, common: newClient(served), list: map[*sdk.ServerSession]*client{}}}
	s.mcp = sdk.NewServer(&sdk.Implementation{Name: "chibi", Title: "chibi", Version: version}, &sdk.ServerOptions{
		Instructions: instructions,
		Capabilities: &sdk.ServerCapabilities{Tools: &sdk.ToolCapabilities{ListChanged: true}},
	})
	s.mcp.AddReceivingMiddleware(s.listTools, lowerVersion)
	s.Renew()
	return s
}

// Renew tells all clients that the tools have changed.
func (s *Server) Renew() {
	s.mu.Lock()
	defer s.mu.Unlock()
	names := s.served.Names()
	// chibi decides what clients learn about a tool when they ask, see listTools. To the library
	// a tool is only a name, and adding it once more is a change.
	for _, name := range names {
		s.mcp.AddTool(&sdk.Tool{Name: name, InputSchema: json.RawMessage(`{"type":"object"}`)}, s.callTool)
	}
	var gone []string
	for _, name := range s.known {
		if !slices.Contains(names, name) {
			gone = append(gone, name)
		}
	}
	s.mcp.RemoveTools(gone...)
	s.known = names
}

// knows reports whether the library knows a tool.
func (s *Server) knows(name string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Contains(s.known, name)
}

// Close ends all calls and waits until nothing is left of them.
func (s *Server) Close() {
	s.life.end()
	s.life.during.Wait()
}

// lowerVersion makes a client that begins a session with a version of the future one with the
// newest version that has sessions, which is what it is answered. The library would remember
// the version that the client wanted.
func lowerVersion(next sdk.MethodHandler) sdk.MethodHandler {
	return func(ctx context.Context, method string, req sdk.Request) (sdk.Result, error) {
		if begin, ok := req.(*sdk.ServerRequest[*sdk.InitializeParams]); ok && begin.Params != nil {
			begin.Params.ProtocolVersion = min(begin.Params.ProtocolVersion, newest)
		}
		return next(ctx, method, req)
	}
}

// listTools answers tools/list: which tools there are is decided anew each time, by the
// configuration and by plugins.
func (s *Server) listTools(next sdk.MethodHandler) sdk.MethodHandler {
	return func(ctx context.Context, method string, req sdk.Request) (sdk.Result, error) {
		list, ok := req.(*sdk.ListToolsRequest)
		if !ok {
			return next(ctx, method, req)
		}
		if list.Params != nil && list.Params.Cursor != "" {
			return nil, &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: "the list of tools has one page only"}
		}
		c := s.clients.of(list.Session)
		ctx, leave, err := joinAll(ctx, &s.life, &c.life, s.connections.of(list.Extra))
		if err != nil {
			return nil, err
		}
		defer leave()
		specs, err := c.tools.Tools(ctx, whoIs(list.Session))
		if err != nil {
			return nil, err
		}
		// The version 2026-07-28 wants a word for who may keep the list; Claude Code refuses
		// the list without one. It is the person's, and may be another the next time.
		result := &sdk.ListToolsResult{Tools: []*sdk.Tool{}, Cacheable: sdk.Cacheable{CacheScope: "private"}}
		for _, spec := range specs {
			result.Tools = append(result.Tools, toolOf(spec))
			if !s.knows(spec.Name) { // the plugins were loaded again just now; what is listed can be called
				s.Renew()
			}
		}
		return result, nil
	}
}

// callTool answers tools/call.
func (s *Server) callTool(ctx context.Context, req *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
	c := s.clients.of(req.Session)
	ctx, leave, err := joinAll(ctx, &s.life, &c.life, s.connections.of(req.Extra))
	if err != nil {
		return nil, err
	}
	defer leave()
	if !isSessionless(req.Session) {
		return call(withAsker(ctx, sessionAsker{req.Session, c.turn}), c, req)
	}
	if req.Params.RequestState != "" {
		return s.parts.resume(ctx, req)
	}
	begun, err := s.beginOpen(ctx, c, req)
	if err != nil {
		return nil, err
	}
	return s.parts.attend(ctx, begun)
}

// beginOpen begins a call that may live longer than the request.
func (s *Server) beginOpen(ctx context.Context, c *client, req *sdk.CallToolRequest) (*openCall, error) {
	ctx, leave, err := joinAll(context.WithoutCancel(ctx), &s.life, &c.life)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithCancel(ctx)
	o := &openCall{tool: req.Params.Name, cancel: cancel, asked: make(chan *sdk.ElicitParams),
		answer: make(chan *sdk.ElicitResult), done: make(chan struct{})}
	ctx = withAsker(ctx, partsAsker{o, req.Session})
	go func() {
		defer leave()
		defer cancel()
		defer close(o.done)
		o.result, o.err = call(ctx, c, req)
	}()
	return o, nil
}
