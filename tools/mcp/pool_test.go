package mcp_test

import (
	"strings"
	"testing"

	"github.com/chibi-host/chibi/tools"
	"github.com/chibi-host/chibi/tools/mcp"
)

func TestAServerOffersItsToolsAndRunsThem(t *testing.T) {
	pool := newPool(t, mcp.PoolConfig{})
	server := program(t, "good")
	list, err := pool.List(t.Context(), server)
	if err != nil || len(list.Tools) != 2 || list.Program != "good" || list.Version != "1.2" {
		t.Fatalf("%+v, %v", list, err)
	}
	if list.Fingerprint != server.Fingerprint() || list.Protocol != "2025-11-25" || list.Asked.IsZero() {
		t.Errorf("%+v", list)
	}
	echo := mcp.NewTool(pool, server, list.Tools[0])
	if s := echo.Spec(); s.Name != "mcp__test__echo" || s.Kind != tools.MCP || s.Category != tools.CategoryMCP ||
		s.Parallel || s.Description != "Says it again." || !strings.Contains(string(s.Parameters), `"required":["text"]`) {
		t.Errorf("%+v", s)
	}
	result, err := echo.Call(t.Context(), tools.Call{Arguments: []byte(`{"n":12345678901234567890,"f":1e3}`)})
	if err != nil || result.Failed || result.Text != `{"n":12345678901234567890,"f":1e3}` {
		t.Errorf("%+v, %v", result, err)
	}
}

func TestAServerThatDiedIsStartedAgain(t *testing.T) {
	pool := newPool(t, mcp.PoolConfig{})
	for i := range 5 {
		text, failed := call(t, pool, program(t, "dies"), "any", `{}`)
		want := `Error: tool "any" of MCP server "test": the server did not answer: connection closed: ` +
			`exit status 3 (out of luck); the call is not repeated, as it may have had an effect`
		if i == 4 {
			want = `Error: MCP server "test" was started 4 times without answering a call and is not started again ` +
				`in this run: connection closed: exit status 3 (out of luck); see: chibi mcp check test`
		}
		if !failed || text != want {
			t.Errorf("call %d: %s", i, text)
		}
	}
}

func TestTextBeforeJSONIsSkippedAndSaid(t *testing.T) {
	var said notices
	pool := newPool(t, mcp.PoolConfig{Notify: said.add})
	if text, failed := call(t, pool, program(t, "greets"), "any", `{}`); failed || text != "well" {
		t.Errorf("%q", text)
	}
	want := `MCP server "test" wrote a line to standard output that is no message: Welcome to the server!`
	if said.String() != want {
		t.Errorf("said %q", said.String())
	}
}
