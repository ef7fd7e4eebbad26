package mcp_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chibi-host/chibi/tools"
	"github.com/chibi-host/chibi/tools/mcp"
)

func TestAServerOffersItsToolsAndRunsThem(t *testing.T) {
	pool := newPool(t, mcp.PoolConfig{})
	server := program(t, "good")
	list, err := pool.List(t.Context(), server)
	if err != nil || len(list.Tools) != 4 || list.Program != "good" || list.Version != "1.2" {
		t.Fatalf("%+v, %v", list, err)
	}
	if list.Fingerprint != server.Fingerprint() || list.Protocol != "2025-11-25" || list.Asked.IsZero() {
		t.Errorf("%+v", list)
	}
	echo := mcp.NewTool(pool, server, list.Tools[1])
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
	want := `MCP server "test" wrote a line to standard output that is not a message: Welcome to the server!`
	if said.String() != want {
		t.Errorf("said %q", said.String())
	}
}

func TestAServerRunsWhereAndAsTheConfigurationSays(t *testing.T) {
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	pool := newPool(t, mcp.PoolConfig{Fill: func(s mcp.Server) (mcp.Server, error) {
		s.Env["CHIBI_TEST_MORE"] = "filled in"
		return s, nil
	}})
	server := program(t, "good")
	server.Dir = dir
	want := fmt.Sprintf("dir %s, variable filled in, terminal false", dir)
	if text, _ := call(t, pool, server, "environment", `{}`); text != want {
		t.Errorf("%s\nwant %s", text, want)
	}
	unfilled := newPool(t, mcp.PoolConfig{Fill: func(s mcp.Server) (mcp.Server, error) {
		return s, errors.New("the variable $KEY is not set")
	}})
	want = `Error: MCP server "test": the variable $KEY is not set; see: chibi mcp check test`
	if text, failed := call(t, unfilled, server, "environment", `{}`); !failed || text != want {
		t.Errorf("%s\nwant %s", text, want)
	}
}

func TestAServerSaysThatItsToolsChanged(t *testing.T) {
	changed := make(chan string, 10)
	pool := newPool(t, mcp.PoolConfig{Changed: func(server string) { changed <- server }})
	server := program(t, "good")
	call(t, pool, server, "grow", `{}`)
	if name := <-changed; name != "test" {
		t.Errorf("server %q", name)
	}
	if list, err := pool.List(t.Context(), server); err != nil || len(list.Tools) != 5 {
		t.Errorf("%+v, %v", list, err)
	}
}

func TestAPersonIsAskedForAServerAndThatTimeIsNotTheServers(t *testing.T) {
	t.Parallel()
	pool := newPool(t, mcp.PoolConfig{Elicit: func(_ context.Context, q mcp.Question) (mcp.Answer, error) {
		if q.Server != "test" || q.Message != "Which city?" || !strings.Contains(string(q.Schema), `"city"`) {
			t.Errorf("%+v", q)
		}
		time.Sleep(1500 * time.Millisecond) // longer than a call may take
		return mcp.Answer{Action: mcp.Accept, Content: map[string]any{"city": "Kyoto"}}, nil
	}})
	server := program(t, "good")
	call(t, pool, server, "echo", `{}`) // it has started
	server.Timeout = time.Second
	begin := time.Now()
	result, err := pool.Call(t.Context(), server, "ask", json.RawMessage(`{}`))
	took := time.Since(begin)
	if err != nil || result.Text != "accept Kyoto" {
		t.Fatalf("%+v, %v", result, err)
	}
	if s := result.Served; s.Wait < 1500*time.Millisecond || s.Call+s.Wait > took || s.Server != "test" {
		t.Errorf("of %v: %+v", took, s)
	}
}

func TestWithoutAPersonAServerIsToldThatNobodyCanBeAsked(t *testing.T) {
	text, failed := call(t, newPool(t, mcp.PoolConfig{}), program(t, "good"), "ask", `{}`)
	if !failed || !strings.Contains(text, "does not support elicitation") {
		t.Error(text)
	}
}

func TestCallsAtTheSameTimeShareOneServer(t *testing.T) {
	pool := newPool(t, mcp.PoolConfig{})
	server := program(t, "good")
	var all sync.WaitGroup
	for n := range 20 {
		all.Go(func() {
			want := fmt.Sprintf(`{"n":%d}`, n)
			if text, failed := call(t, pool, server, "echo", want); failed || text != want {
				t.Errorf("%s, want %s", text, want)
			}
		})
	}
	all.Wait()
	pool.Close()
	if text, failed := call(t, pool, server, "echo", `{}`); !failed || text != "Error: the run ends" {
		t.Errorf("after the end: %s", text)
	}
}

func TestTheEndOfARunDoesNotWaitForACall(t *testing.T) {
	for _, name := range []string{"is slow", "hangs"} {
		pool := newPool(t, mcp.PoolConfig{})
		server := program(t, name)
		done := make(chan string)
		go func() {
			text, _ := call(t, pool, server, "any", `{}`)
			done <- text
		}()
		if name == "is slow" {
			call(t, pool, server, "came", `{}`) // it is connected to
		}
		pool.Close()
		if text := <-done; !strings.HasPrefix(text, "Error: ") {
			t.Errorf("%s: %s", name, text)
		}
	}
}
