package mcp_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/chibi-host/chibi/tools"
	"github.com/chibi-host/chibi/tools/mcp"
)

func TestAServerThatDoesNotStartSaysWhy(t *testing.T) {
	t.Parallel()
	missing := mcp.Server{Name: "test", Command: "chibi-no-such-program"}
	missingPath := mcp.Server{Name: "test", Command: "/nowhere/server"}
	hangs := program(t, "hangs")
	hangs.Start = 5 * time.Second
	for _, test := range []struct {
		server mcp.Server
		want   string
	}{
		{missing, `could not be started: there is no program "chibi-no-such-program" in PATH`},
		{missingPath, `could not be started: no such file`},
		{hangs, `it did not answer initialize within 5s (start_timeout_ms) (waiting for the database)`},
		{program(t, "refuses to start"), "connection closed: exit status 2 (no �key in the environment)"},
	} {
		want := `MCP server "test": ` + test.want + `; see: chibi mcp check test`
		pool := newPool(t, mcp.PoolConfig{})
		if _, err := pool.List(t.Context(), test.server); err == nil || err.Error() != want {
			t.Errorf("%v\nwant %s", err, want)
		}
		if text, failed := call(t, pool, test.server, "any", `{}`); !failed || text != "Error: "+want {
			t.Errorf("%s", text)
		}
	}
}

func TestAServerThatFloodsIsEnded(t *testing.T) {
	t.Parallel()
	for name, why := range map[string]string{
		"floods with text":             "more than 1000 lines that it wrote to standard output are not messages",
		"floods with one line":         "ended after 8.0 MiB of output without a newline, the limit",
		"floods with messages":         "it sent more than 10000 messages that answer nothing",
		"says forever that it changes": "it said more than 200000 times that its tools have changed",
		"floods with questions":        "it asks more than 64 things at once",
	} {
		t.Run(name, func(t *testing.T) {
			pool, server := newPool(t, mcp.PoolConfig{}), program(t, name)
			server.Timeout = time.Hour // on a busy machine, the bound comes late
			want := `Error: tool "any" of MCP server "test": the server did not answer: ` + why +
				`; the call is not repeated, as it may have had an effect`
			if text, failed := call(t, pool, server, "any", `{}`); !failed || text != want {
				t.Errorf("%s\nwant %s", text, want)
			}
		})
	}
}

func TestAHugeResultIsNotReadAndTheServerIsStartedAgain(t *testing.T) {
	t.Parallel()
	pool := newPool(t, mcp.PoolConfig{})
	server := program(t, "answers")
	want := `Error: tool "huge" of MCP server "test": the server did not answer: ` +
		`ended after 8.0 MiB of output without a newline, the limit; the call is not repeated, as it may have had an effect`
	if text, failed := call(t, pool, server, "huge", `{}`); !failed || text != want {
		t.Errorf("%.300s", text)
	}
	if text, failed := call(t, pool, server, "fine", `{}`); failed || text != "one\ntwo" {
		t.Errorf("%.300s", text)
	}
}

func TestACallThatIsGivenUpIsCancelledAndTheServerStays(t *testing.T) {
	t.Parallel()
	pool := newPool(t, mcp.PoolConfig{})
	server := program(t, "is slow")
	server.Timeout = 2 * time.Second
	want := `Error: tool "any" of MCP server "test": no answer within 2s (timeout_ms)`
	if text, failed := call(t, pool, server, "any", `{}`); !failed || text != want {
		t.Errorf("%s", text)
	}
	server.Timeout = time.Minute
	came := func(what string) {
		for end := time.Now().Add(time.Minute); ; time.Sleep(10 * time.Millisecond) {
			text, _ := call(t, pool, server, "came", `{}`)
			if strings.Count(text, what) == 2 {
				return
			}
			if time.Now().After(end) {
				t.Fatalf("the server was not told twice: %s: %s", what, text)
			}
		}
	}
	over := make(chan error, 1)
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		_, err := pool.Call(ctx, server, "any", json.RawMessage(`{}`))
		over <- err
	}()
	came("called")
	cancel()
	if err := <-over; !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
	came("requestId") // the notification is sent beside the call
}

func TestListsAreBounded(t *testing.T) {
	for _, test := range []struct {
		name          string
		tools, beyond int
		leftOut       string
	}{
		{"has 10,000 tools", 1000, 9000, ""},
		{"lists without an end", 200, 0, "what comes after page 200: its list does not end"},
		{"lists in a circle", 1, 0, `tool "a": another one has its name` + "\n" +
			"what comes after page 2: its list does not end"},
	} {
		list, err := newPool(t, mcp.PoolConfig{}).List(t.Context(), program(t, test.name))
		if err != nil || len(list.Tools) != test.tools || list.Beyond != test.beyond ||
			strings.Join(list.LeftOut, "\n") != test.leftOut {
			t.Errorf("%s: %d tools, %d beyond, %q, %v", test.name, len(list.Tools), list.Beyond, list.LeftOut, err)
		}
	}
}

func TestOfAnOddListTheToolsAreTakenThatCanBeUsed(t *testing.T) {
	pool := newPool(t, mcp.PoolConfig{})
	server := program(t, "lists oddly")
	list, err := pool.List(t.Context(), server)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, d := range list.Tools {
		names = append(names, d.Name)
	}
	if want := []string{"first", longName(), "deep", "last"}; fmt.Sprint(names) != fmt.Sprint(want) {
		t.Errorf("tools %v", names)
	}
	first := list.Tools[0]
	if first.Title != "A  title" || first.Description != "Reads.�Hidden" {
		t.Errorf("%q and %q", first.Title, first.Description)
	}
	if string(first.InputSchema) != `{"b":1,"a":12345678901234567890}` {
		t.Errorf("the schema is %s", first.InputSchema)
	}
	if !strings.Contains(string(first.JSON()), `{"a":12345678901234567890,"b":1}`) {
		t.Errorf("the definition is %s", first.JSON())
	}
	wants := []string{`tool ""`, `tool ""`, `tool "": it has no name`, `tool "": it has no name`,
		`another one has its name`, `tool ""`, `tool "no object": the schema of its parameters is not an object`,
		`its name is longer than 1024 bytes`}
	for i, want := range wants {
		if len(list.LeftOut) != len(wants) || !strings.Contains(list.LeftOut[i], want) {
			t.Fatalf("left out are\n%s", strings.Join(list.LeftOut, "\n"))
		}
	}
	long := mcp.NewTool(pool, server, list.Tools[1])
	if name := long.Spec().Name; !tools.ValidName(name) || !strings.HasPrefix(name, "mcp__test__nnn") {
		t.Errorf("the model calls it %q", name)
	}
	if result, err := long.Call(t.Context(), tools.Call{}); err != nil || !strings.Contains(result.Text, longName()) {
		t.Errorf("%+v, %v", result, err)
	}
	if _, err := tools.Compile(list.Tools[2].InputSchema); !errors.Is(err, tools.ErrSchema) {
		t.Errorf("a schema that is 900 deep: %v", err)
	}
}

func TestASchemaThatIsTooDeepIsNotRead(t *testing.T) {
	_, err := newPool(t, mcp.PoolConfig{}).List(t.Context(), program(t, "has a schema that is too deep"))
	want := `MCP server "test" did not list its tools: the server did not answer: it sent a message that cannot ` +
		`be read: it nests too deep`
	if err == nil || !strings.HasPrefix(err.Error(), want) {
		t.Errorf("%v", err)
	}
}
