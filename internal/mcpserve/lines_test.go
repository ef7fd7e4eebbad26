package mcpserve_test

import (
	"bufio"
	"context"
	"encoding/json"
	"io"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// typing is a client whose messages the test writes itself.
type typing struct {
	t    testing.TB
	in   io.WriteCloser
	out  *bufio.Reader
	over chan error
}

func (h *home) typing() *typing {
	fromClient, in := io.Pipe()
	out, toClient := io.Pipe()
	c := &typing{h.t, in, bufio.NewReader(out), make(chan error, 1)}
	go func() {
		err := h.server.Lines(h.t.Context(), fromClient, toClient)
		fromClient.Close()
		toClient.Close()
		c.over <- err
	}()
	h.t.Cleanup(func() { in.Close() })
	return c
}

// say writes a line and returns the next one of the server, without spaces.
func (c *typing) say(line string) string {
	c.t.Helper()
	c.write(line)
	return c.next(line)
}

// next returns the next line of the server. said is for the message when there is none.
func (c *typing) next(said string) string {
	c.t.Helper()
	line, err := c.out.ReadString('\n')
	if err != nil {
		c.t.Fatalf("after %.100q: %v", said, err)
	}
	return strings.TrimSpace(line)
}

// write writes a line.
func (c *typing) write(line string) {
	c.t.Helper()
	if _, err := io.WriteString(c.in, line+"\n"); err != nil {
		c.t.Fatal(err)
	}
}

// begin is the first message of a client.
const begin = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18",` +
	`"capabilities":{},"clientInfo":{"name":"typing","version":"1"}}}`

func TestLinesThatAreNoMessagesAreAnsweredAndTheNextOneIsRead(t *testing.T) {
	h := newHome(t, map[string]string{"greet": greet})
	h.start()
	c := h.typing()
	const noJSON = `{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"this line is ` +
		`not JSON, so it was not read: `
	const noMessage = `"error":{"code":-32600,"message":"`
	for _, test := range []struct{ line, want string }{
		{"hello?", noJSON},
		{"{\"jsonrpc\":", noJSON},
		{"\x00\xff\x1b[2J", noJSON},
		{strings.Repeat("[", 100_000), noJSON},
		{`[]`, `{"jsonrpc":"2.0","id":null,` + noMessage + `a message is one JSON object; the protocol has ` +
			`no lists of messages since 2025-06-18"}}`},
		{`{"jsonrpc":"2.0"}`, `{"jsonrpc":"2.0","id":null,` + noMessage},
		{`{"jsonrpc":"1.0","id":"x","method":"ping"}`, `{"jsonrpc":"2.0","id":"x",` + noMessage +
			`this is not a message of JSON-RPC 2.0`},
		{`{"jsonrpc":"2.0","id":{},"method":"ping"}`, `{"jsonrpc":"2.0","id":null,` + noMessage},
		{strings.Repeat(" ", 17<<20) + `{"jsonrpc":"2.0","id":1,"method":"ping"}`, `{"jsonrpc":"2.0","id":null,` + noMessage +
			`the message is larger than 16 MiB"}}`},
		{begin, `{"jsonrpc":"2.0","id":1,"result":{`},
		{`{"jsonrpc":"2.0","id":2,"method":"dance"}`, `{"jsonrpc":"2.0","id":2,"error":{"code":-32601`},
		{`{"jsonrpc":"2.0","id":3,"method":"tools/call","params":[1]}`, `{"jsonrpc":"2.0","id":3,"error":{"code":-32602`},
		{`{"jsonrpc":"2.0","id":4,"method":"tools/call","params":{"name":"greet","arguments":{"name":"Ada"}}}`,
			`{"jsonrpc":"2.0","id":4,"result":{"content":[{"type":"text","text":"hello Ada\n"}]}}`},
		{`{"jsonrpc":"2.0","id":5,"method":"tools/call","params":{"name":"greet","arguments":[1]}}`,
			`{"jsonrpc":"2.0","id":5,"result":{"content":[{"type":"text","text":"Error: tool \"greet\" did not run: the ` +
				`arguments must be one JSON object"}],"isError":true}}`},
	} {
		got := c.say(test.line)
		if !json.Valid([]byte(got)) || !strings.HasPrefix(got, test.want) {
			t.Errorf("%.80q: %.300s\nwant %s", test.line, got, test.want)
		}
	}
	c.in.Close()
	if rest, err := io.ReadAll(c.out); err != nil || len(rest) > 0 {
		t.Errorf("%q, %v", rest, err)
	}
	if err := <-c.over; err != nil {
		t.Error(err)
	}
}

func TestAClientThatReadsNoMoreIsNoError(t *testing.T) {
	inMemory := func() (io.ReadCloser, io.WriteCloser) { return io.Pipe() }
	ofTheSystem := func() (io.ReadCloser, io.WriteCloser) {
		r, w, err := os.Pipe()
		if err != nil {
			t.Fatal(err)
		}
		return r, w
	}
	for what, pipe := range map[string]func() (io.ReadCloser, io.WriteCloser){
		"a pipe in memory": inMemory, "a pipe of the system": ofTheSystem,
	} {
		h := newHome(t, map[string]string{"greet": greet})
		stop := h.start()
		fromClient, toServer := pipe()
		fromServer, toClient := pipe()
		over := make(chan error, 1)
		go func() { over <- h.server.Lines(t.Context(), fromClient, toClient) }()
		fromServer.Close()
		if _, err := io.WriteString(toServer, begin+"\n"); err != nil {
			t.Fatal(err)
		}
		if err := <-over; err != nil {
			t.Errorf("%s: %v", what, err)
		}
		toServer.Close()
		toClient.Close()
		stop()
	}
}

func TestVersionsOfTheFutureAndThePast(t *testing.T) {
	for wanted, got := range map[string]string{
		"2099-01-01": "2025-11-25", "2026-07-28": "2025-11-25", "2025-11-25": "2025-11-25", "2024-11-05": "2024-11-05",
		"": "2025-11-25", "nonsense": "2025-11-25",
	} {
		h := newHome(t, map[string]string{"greet": greet})
		stop := h.start()
		c := h.typing()
		answer := c.say(strings.Replace(begin, "2025-06-18", wanted, 1))
		var begun struct {
			Result struct{ ProtocolVersion string }
		}
		if err := json.Unmarshal([]byte(answer), &begun); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(got, begun.Result.ProtocolVersion); diff != "" {
			t.Errorf("%s (-want +got):\n%s", wanted, diff)
		}
		if answer := c.say(`{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"shout","arguments":` +
			`{"command":"ls"}}}`); !strings.Contains(answer, "cannot ask") {
			t.Errorf("%s: %s", wanted, answer)
		}
		c.in.Close()
		stop()
	}
}

func TestAWayWithoutSessionsOfTheFuture(t *testing.T) {
	h := newHome(t, map[string]string{"greet": greet})
	h.start()
	answer := h.typing().say(`{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"_meta":` +
		`{"io.modelcontextprotocol/protocolVersion":"2099-01-01","io.modelcontextprotocol/clientInfo":{"name":"a",` +
		`"version":"1"},"io.modelcontextprotocol/clientCapabilities":{}}}}`)
	if !strings.Contains(answer, `"message":"unsupported protocol version"`) || !strings.Contains(answer, `"2026-07-28"`) {
		t.Error(answer)
	}
}

func TestTheListOfToolsIsForThePersonAlone(t *testing.T) {
	h := newHome(t, map[string]string{"greet": greet})
	h.start()
	answer := h.typing().say(`{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"_meta":` +
		`{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientInfo":{"name":"a",` +
		`"version":"1"},"io.modelcontextprotocol/clientCapabilities":{}}}}`)
	if !strings.Contains(answer, `"ttlMs":0,"cacheScope":"private"`) {
		t.Errorf("a client that checks the list refuses it: %s", answer)
	}
}

func TestAnAnswerIsTakenOnce(t *testing.T) {
	h := newHome(t, map[string]string{"greet": greet})
	h.start()
	c := h.typing()
	const meta = `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientInfo":` +
		`{"name":"a","version":"1"},"io.modelcontextprotocol/clientCapabilities":{"elicitation":{"form":{}}}}`
	call := func(more string) string {
		return c.say(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"shout","arguments":{"command":"ls"}` +
			more + `,` + meta + `}}`)
	}
	var asked struct {
		Result struct{ RequestState, ResultType string }
	}
	if err := json.Unmarshal([]byte(call("")), &asked); err != nil || asked.Result.ResultType != "input_required" {
		t.Fatalf("%+v, %v", asked, err)
	}
	reply := `,"requestState":"` + asked.Result.RequestState + `","inputResponses":{"permission":{"action":"accept",` +
		`"content":{"decision":"allow once"}}}`
	if got := call(reply); !strings.Contains(got, `"text":"AAA\n"`) {
		t.Errorf("the answer: %s", got)
	}
	const late = "no call waits for this answer: it was answered before, or too late"
	for what, more := range map[string]string{"the same answer again": reply,
		"an answer to nothing": `,"requestState":"guessed","inputResponses":{"permission":{"action":"accept"}}`} {
		if got := call(more); !strings.Contains(got, late) {
			t.Errorf("%s: %s", what, got)
		}
	}
}

// TestIDsAreAnsweredAsTheyWereSent, byte by byte: clients compare them as they wrote them, and
// some number their requests beyond what a float holds.
func TestIDsAreAnsweredAsTheyWereSent(t *testing.T) {
	h := newHome(t, map[string]string{"greet": greet})
	h.start()
	c := h.typing()
	c.say(begin)
	for _, id := range sentIDs {
		for method, want := range map[string]string{"ping": `"result":{}}`, "dance": `"error":{"code":-32601`} {
			got := c.say(`{"method":"` + method + `","id":` + id + `,"jsonrpc":"2.0"}`)
			if !strings.HasPrefix(got, `{"jsonrpc":"2.0","id":`+id+`,`+want) {
				t.Errorf("%s with %.60s is answered by %.200s", method, id, got)
			}
		}
	}
	for _, id := range []string{"null", "true", "{}", "[1]"} {
		got := c.say(`{"jsonrpc":"2.0","id":` + id + `,"method":"ping"}`)
		if !strings.HasPrefix(got, `{"jsonrpc":"2.0","id":null,"error":{"code":-32600,`) {
			t.Errorf("%s is answered by %s", id, got)
		}
	}
}

// sentIDs are ids as clients may write them.
var sentIDs = []string{
	`1`, `"1"`, `1.0`, `1e3`, `1.5`, `0`, `-0`, `-7`, `9007199254740993`, `-9007199254740993`, `9223372036854775808`,
	`123456789012345678901234567890`, `""`, `"a b"`, `"\u0061\/"`, `"é\ud83d\ude00"`, `"<&>"`,
	`"` + strings.Repeat("x", 10_000) + `"`,
}

// TestARequestIsCancelledByItsIDAsItWasSent, and by no other one.
func TestARequestIsCancelledByItsIDAsItWasSent(t *testing.T) {
	for sent, cancelled := range map[string]string{`9007199254740993`: `9007199254740993`, `"a"`: `"\u0061"`, `7`: `7`} {
		h := newHome(t, map[string]string{"sleeper": sleeper})
		stop := h.start()
		c := h.typing()
		c.say(begin)
		c.write(`{"jsonrpc":"2.0","id":` + sent + `,"method":"tools/call","params":{"name":"sleeper"}}`)
		pids := h.processes()
		c.write(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":null}`)
		for _, id := range []string{`9007199254740992`, `"other"`, `1`, `2`} {
			c.write(cancelling(id))
			if got := c.say(`{"jsonrpc":"2.0","id":"p","method":"ping"}`); got != `{"jsonrpc":"2.0","id":"p","result":{}}` ||
				areGone(pids) {
				t.Errorf("%s, cancelled by %s: %s", sent, id, got)
			}
		}
		if got := c.say(cancelling(cancelled)); !strings.HasPrefix(got, `{"jsonrpc":"2.0","id":`+sent+`,`) {
			t.Errorf("%s, cancelled by %s, is answered by %s", sent, cancelled, got)
		}
		eventually(t, "the tool has ended", func() bool { return areGone(pids) })
		stop()
	}
}

// TestASubscriptionHasTheIDThatTheClientSent: a client that compares it waits for ever for another one.
func TestASubscriptionHasTheIDThatTheClientSent(t *testing.T) {
	for _, id := range sentIDs {
		h := newHome(t, map[string]string{"greet": greet})
		h.serve.Look = 10 * time.Millisecond
		stop := h.start()
		c := h.typing()
		of := `"io.modelcontextprotocol/subscriptionId":` + id + `}`
		got := c.say(`{"jsonrpc":"2.0","id":` + id + `,"method":"subscriptions/listen","params":{"_meta":` +
			`{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientInfo":{"name":"a",` +
			`"version":"1"},"io.modelcontextprotocol/clientCapabilities":{}},"notifications":{"toolsListChanged":true}}}`)
		if !strings.Contains(got, `"method":"notifications/subscriptions/acknowledged"`) || !strings.Contains(got, of) {
			t.Errorf("%.60s is acknowledged by %.300s", id, got)
		}
		h.install("another", sleeper)
		watched, cancel := context.WithCancel(t.Context())
		var watching sync.WaitGroup
		watching.Go(func() { h.served.Watch(watched, h.server.Renew) })
		got = c.next("a change")
		if !strings.Contains(got, `"method":"notifications/tools/list_changed"`) || !strings.Contains(got, of) {
			t.Errorf("%.60s is told of a change by %.300s", id, got)
		}
		// The library is told of each tool, and makes one notice of those that it is told of within 10 ms: on a
		// busy machine there can be another one.
		for got = c.say(cancelling(id)); strings.Contains(got, "list_changed"); {
			got = c.next("the end of the subscription")
		}
		if !strings.HasPrefix(got, `{"jsonrpc":"2.0","id":`+id+`,`) || !strings.Contains(got, of) {
			t.Errorf("%.60s, cancelled, is answered by %.300s", id, got)
		}
		cancel()
		watching.Wait()
		stop()
	}
}

func cancelling(id string) string {
	return `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":` + id + `,"reason":"x"}}`
}
