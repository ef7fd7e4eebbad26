package mcp_test

import (
	"strings"
	"sync/atomic"
	"testing"

	"github.com/chibi-host/chibi/tools"
	"github.com/chibi-host/chibi/tools/mcp"
)

// TestWhatWasJudgedIsWhatIsCalled: a list that is remembered can be a day old, and a server can
// change at any time.
func TestWhatWasJudgedIsWhatIsCalled(t *testing.T) {
	for name, test := range map[string]struct {
		definition mcp.Definition
		want       string
	}{
		"as it was": {mcp.Definition{Name: "read", Description: "Version 0."}, "call 1"},
		"a changed definition": {mcp.Definition{Name: "read", Description: "An older version."},
			`Error: MCP server "test" has changed its tool "read" since its tools were listed, so it was not called; its ` +
				`tools are listed again, and offered as they are then`},
		"a renamed tool": {mcp.Definition{Name: "view", Description: "Version 0."},
			`Error: MCP server "test" has no tool "view" any more; its tools are listed again, and offered as they are then`},
	} {
		var told atomic.Int32
		pool := newPool(t, mcp.PoolConfig{Changed: func(string) { told.Add(1) }})
		tool := mcp.NewTool(pool, program(t, "changes its tool"), test.definition)
		result, err := tool.Call(t.Context(), tools.Call{Arguments: []byte("{}")})
		if err != nil || result.Text != test.want || result.Failed != strings.HasPrefix(test.want, "Error") {
			t.Errorf("%s: %+v, %v", name, result, err)
		}
		if result.Failed && told.Load() != 1 {
			t.Errorf("%s: the host was told %d times", name, told.Load())
		}
	}
}

// TestAToolThatChangesInTheMidstOfARunIsNotCalledAgain, as soon as its server says that it has.
func TestAToolThatChangesInTheMidstOfARunIsNotCalledAgain(t *testing.T) {
	changed := make(chan string, 10)
	pool := newPool(t, mcp.PoolConfig{Changed: func(server string) { changed <- server }})
	server := program(t, "changes its tool")
	list, err := pool.List(t.Context(), server)
	if err != nil {
		t.Fatal(err)
	}
	tool := mcp.NewTool(pool, server, list.Tools[0])
	if result, err := tool.Call(t.Context(), tools.Call{Arguments: []byte("{}")}); err != nil || result.Text != "call 1" {
		t.Fatalf("%+v, %v", result, err)
	}
	<-changed
	for range 2 {
		result, err := tool.Call(t.Context(), tools.Call{Arguments: []byte("{}")})
		if err != nil || !strings.Contains(result.Text, `has changed its tool "read" since its tools were listed`) {
			t.Errorf("%+v, %v", result, err)
		}
		<-changed
	}
	if list, err = pool.List(t.Context(), server); err != nil {
		t.Fatal(err)
	}
	result, err := mcp.NewTool(pool, server, list.Tools[0]).Call(t.Context(), tools.Call{Arguments: []byte("{}")})
	if err != nil || result.Text != "call 2" {
		t.Errorf("as it is now: %+v, %v", result, err)
	}
}

// TestThatToolsHaveChangedIsToldOnce until somebody asks for them: what a server says in between
// costs nothing but the reading.
func TestThatToolsHaveChangedIsToldOnce(t *testing.T) {
	t.Parallel()
	var told atomic.Int32
	pool := newPool(t, mcp.PoolConfig{Changed: func(string) { told.Add(1) }})
	text, failed := call(t, pool, program(t, "says 15,000 times that it changes"), "any", `{}`)
	if failed || text != "called" || told.Load() != 1 {
		t.Errorf("%s; the host was told %d times", text, told.Load())
	}
}
