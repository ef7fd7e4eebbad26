package openai

import (
	"encoding/json"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"testing"
	"time"
)

// TestAConnectionFromBeforeASleepIsClosed: the clock that bounds how long a
// connection is idle stands while the computer sleeps.
func TestAConnectionFromBeforeASleepIsClosed(t *testing.T) {
	var connections atomic.Int32
	server := httptest.NewUnstartedServer(http.NotFoundHandler())
	server.Config.ConnState = func(_ net.Conn, state http.ConnState) {
		if state == http.StateNew {
			connections.Add(1)
		}
	}
	server.Start()
	defer server.Close()
	var c connection
	defer c.close()
	now := time.Now()
	for _, step := range []struct {
		after time.Duration
		want  int32
	}{{0, 1}, {time.Minute, 1}, {3 * time.Minute, 2}, {4 * time.Minute, 2}} {
		res, err := c.http(now.Add(step.after)).Get(server.URL)
		if err != nil {
			t.Fatal(err)
		}
		io.Copy(io.Discard, res.Body)
		res.Body.Close()
		if n := connections.Load(); n != step.want {
			t.Errorf("after %s: %d connections, want %d", step.after, n, step.want)
		}
	}
}

// TestAnEarlyConnectionThatWasClosedHereIsReplaced: net/http closes a connection as soon as it sees that
// the server has done so, as after a sleep, and then cannot send over it.
func TestAnEarlyConnectionThatWasClosedHereIsReplaced(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		io.WriteString(w, `data: {"choices":[{"delta":{"content":"Hi"},"finish_reason":"stop"}]}`+"\n\ndata: [DONE]\n\n")
	}))
	defer server.Close()
	c := &Client{URL: server.URL + "/v1"}
	defer c.Close()
	c.Dial(t.Context())
	<-c.connection.early.ready
	c.connection.early.conn.Close()
	if reply, err := c.Stream(t.Context(), json.RawMessage(`{}`), nil); err != nil || reply.Text != "Hi" {
		t.Errorf("%q, %v", reply.Text, err)
	}
}
