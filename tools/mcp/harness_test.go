package mcp_test

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"sync"
	"testing"

	"github.com/chibi-host/chibi/internal/childtest"
	"github.com/chibi-host/chibi/tools/mcp"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// serverVariable names the server that this program is, if it is one.
const serverVariable = "CHIBI_TEST_MCP_SERVER"

// TestServer is not a test: it is an MCP server where a test starts this program as one.
func TestServer(t *testing.T) {
	childtest.Do(t, serverVariable, func(name string) {
		if name == "good" {
			goodServer().Run(context.Background(), &sdk.StdioTransport{})
			return
		}
		peers()[name](&peer{in: bufio.NewReader(os.Stdin)})
	})
}

// goodServer is a server of the SDK.
func goodServer() *sdk.Server {
	s := sdk.NewServer(&sdk.Implementation{Name: "good", Version: "1.2"}, nil)
	object := json.RawMessage(`{"type":"object"}`)
	s.AddTool(&sdk.Tool{Name: "echo", Description: "Says it again.", InputSchema: json.RawMessage(
		`{"type":"object","properties":{"text":{"type":"string"}},"required":["text"]}`),
		Annotations: &sdk.ToolAnnotations{ReadOnlyHint: true}},
		func(_ context.Context, req *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
			return &sdk.CallToolResult{Content: []sdk.Content{&sdk.TextContent{Text: string(req.Params.Arguments)}}}, nil
		})
	s.AddTool(&sdk.Tool{Name: "environment", InputSchema: object},
		func(context.Context, *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
			dir, _ := os.Getwd()
			_, err := os.Open("/dev/tty")
			text := fmt.Sprintf("dir %s, variable %s, terminal %v", dir, os.Getenv("CHIBI_TEST_MORE"), err == nil)
			return &sdk.CallToolResult{Content: []sdk.Content{&sdk.TextContent{Text: text}}}, nil
		})
	s.AddTool(&sdk.Tool{Name: "grow", InputSchema: object},
		func(context.Context, *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
			s.AddTool(&sdk.Tool{Name: "grown", InputSchema: object}, nil)
			return &sdk.CallToolResult{}, nil
		})
	s.AddTool(&sdk.Tool{Name: "ask", InputSchema: object},
		func(ctx context.Context, req *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
			answer, err := req.Session.Elicit(ctx, &sdk.ElicitParams{Message: "Which city?", RequestedSchema: json.RawMessage(
				`{"type":"object","properties":{"city":{"type":"string"}},"required":["city"]}`)})
			if err != nil {
				return nil, err
			}
			text := fmt.Sprint(answer.Action, " ", answer.Content["city"])
			return &sdk.CallToolResult{Content: []sdk.Content{&sdk.TextContent{Text: text}}}, nil
		})
	return s
}

// peer is the other side of a server that is written out by hand.
type peer struct{ in *bufio.Reader }

// request is what a server is asked, or answered.
type request struct {
	ID     json.RawMessage `json:"id"`
	Method string          `json:"method"`
	Params json.RawMessage `json:"params"`
	Result json.RawMessage `json:"result"` // of an answer, which has no method
}

// next reads the next request; it ends the program if there is none.
func (p *peer) next() (r request) {
	line, err := p.in.ReadBytes('\n')
	if err != nil {
		os.Exit(0)
	}
	json.Unmarshal(line, &r)
	return r
}

// answer answers a request.
func (p *peer) answer(r request, result string) {
	fmt.Printf(`{"jsonrpc":"2.0","id":%s,"result":%s}`+"\n", r.ID, result)
}

// hello is the result of initialize.
const hello = `{"protocolVersion":"2025-06-18","capabilities":{"tools":{"listChanged":true}},` +
	`"serverInfo":{"name":"by-hand","version":"1"}}`

// serve answers requests; those that are not about the connection are given to handle.
func (p *peer) serve(handle func(request)) {
	for {
		switch r := p.next(); r.Method {
		case "initialize":
			p.answer(r, hello)
		case "notifications/initialized":
		default:
			handle(r)
		}
	}
}

// text is the result of a call.
func text(s string) string {
	quoted, _ := json.Marshal(s)
	return fmt.Sprintf(`{"content":[{"type":"text","text":%s}]}`, quoted)
}

// program is a server that is this program.
func program(t testing.TB, name string) mcp.Server {
	t.Helper()
	self, env := childtest.Command(t), map[string]string{serverVariable: name}
	if testing.CoverMode() != "" { // otherwise the child warns that GOCOVERDIR is not set
		env["GOCOVERDIR"] = t.TempDir()
	}
	return mcp.Server{Name: "test", Command: self[0], Args: []string{"-test.run=^TestServer$"}, Env: env}
}

// notices are what the person was told.
type notices struct {
	mu   sync.Mutex
	list []string
}

func (n *notices) add(message string) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.list = append(n.list, message)
}

func (n *notices) String() string {
	n.mu.Lock()
	defer n.mu.Unlock()
	return strings.Join(n.list, "\n")
}

// newPool returns a pool that is closed with the test.
func newPool(t *testing.T, cfg mcp.PoolConfig) *mcp.Pool {
	t.Helper()
	pool := mcp.NewPool(cfg)
	t.Cleanup(pool.Close)
	return pool
}

// call calls a tool; that must be possible.
func call(t *testing.T, pool *mcp.Pool, server mcp.Server, tool, arguments string) (text string, failed bool) {
	t.Helper()
	result, err := pool.Call(t.Context(), server, tool, json.RawMessage(arguments))
	if err != nil {
		t.Fatal(err)
	}
	return result.Text, result.Failed
}
