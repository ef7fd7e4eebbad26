package openai

import (
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
