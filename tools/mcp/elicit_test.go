package mcp_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/chibi-host/chibi/tools/mcp"
)

// elicits are questions of a server by the tool that asks them. It answers the call with what
// it is told.
func elicits() map[string]string {
	return map[string]string{
		"page": `{"mode":"url","message":"Look.","url":"https://evil.example/","elicitationId":"1"}`,
		"odd": `{"message":"Say.","requestedSchema":{"type":"object",` +
			`"properties":{"a":{"type":"string","title":"colour"}}}}`,
		"stays": `{"message":"Say."}`,
	}
}

// asksByHand asks the person when a tool is called; "early" has answered by then.
func asksByHand(p *peer) {
	ask := func(params string) {
		fmt.Printf(`{"jsonrpc":"2.0","id":"q","method":"elicitation/create","params":%s}`+"\n", params)
	}
	var waiting request
	p.serve(func(r request) {
		switch r.Method {
		case "tools/call":
			var called struct{ Name string }
			json.Unmarshal(r.Params, &called)
			if waiting = r; called.Name == "early" {
				p.answer(r, text("answered"))
				ask(elicits()["stays"])
				return
			}
			ask(elicits()[called.Name])
		case "": // an answer to a question
			if waiting.ID != nil {
				p.answer(waiting, text(string(r.Result)))
			}
		}
	})
}

func TestWhatCannotBeAskedIsDeclinedWithANotice(t *testing.T) {
	const declined = `chibi declined a question of MCP server "test", as it cannot ask it: `
	for tool, want := range map[string]string{
		"page": declined + `it wants a page to be opened in a browser`,
		"odd":  declined + `nobody knows colours`,
	} {
		var told notices
		pool := newPool(t, mcp.PoolConfig{Notify: told.add, Elicit: func(_ context.Context,
			q mcp.Question) (mcp.Answer, error) {
			if tool == "page" || !strings.Contains(string(q.Schema), "colour") {
				t.Errorf("%s: the person is asked %+v", tool, q)
			}
			return mcp.Answer{}, errors.New("nobody knows \x1b[2Jcolours")
		}})
		answer, failed := call(t, pool, program(t, "asks"), tool, `{}`)
		if failed || answer != `{"action":"decline"}` || strings.ReplaceAll(told.String(), "[2J", "") != want {
			t.Errorf("%s: %s, and told: %q", tool, answer, told.String())
		}
	}
}

// TestAQuestionEndsWithItsCall, also if the server does not take it back.
func TestAQuestionEndsWithItsCall(t *testing.T) {
	ended := make(chan struct{}, 1)
	asked := make(chan struct{}, 1)
	pool := newPool(t, mcp.PoolConfig{Elicit: func(ctx context.Context, _ mcp.Question) (mcp.Answer, error) {
		asked <- struct{}{}
		<-ctx.Done()
		ended <- struct{}{}
		return mcp.Answer{}, ctx.Err()
	}})
	ctx, cancel := context.WithCancel(t.Context())
	go func() { <-asked; cancel() }()
	server := program(t, "asks")
	if result, err := pool.Call(ctx, server, "stays", json.RawMessage(`{}`)); err == nil {
		t.Errorf("%+v", result)
	}
	select {
	case <-ended: // before the call returned
	default:
		t.Error("the person is still asked")
	}
}

// TestAServerAsksOnlyDuringACall: what it asks later is declined without the person.
func TestAServerAsksOnlyDuringACall(t *testing.T) {
	told := make(chan string, 1)
	pool := newPool(t, mcp.PoolConfig{Notify: func(m string) { told <- m },
		Elicit: func(ctx context.Context, _ mcp.Question) (mcp.Answer, error) {
			<-ctx.Done() // the call may not be over when it comes
			told <- "it works on no call"
			return mcp.Answer{}, ctx.Err()
		}})
	if answer, failed := call(t, pool, program(t, "asks"), "early", `{}`); failed || answer != "answered" {
		t.Error(answer)
	}
	if m := <-told; !strings.Contains(m, "it works on no call") {
		t.Error(m)
	}
}
