package openai

import (
	"io"
	"net/http"
	"sync"
	"sync/atomic"
	"time"
)

// idleTime is how long an idle connection is kept: less than the timeout of most
// servers and routers.
const idleTime = 90 * time.Second

const maxHeaders = 256 << 10

// connection keeps the connection to a server from one request to the next, so
// that a turn with many tool calls pays for one TLS handshake.
type connection struct {
	mu     sync.Mutex
	client *http.Client
	used   time.Time
	early  *early // opened by Dial, until a request takes it

	tookEarly atomic.Bool // the latest request took it
}

// http returns the client for the next request. The transport's timer does not run while
// the computer sleeps, so it closes connections that are idle for too long itself.
func (c *connection) http(now time.Time) *http.Client {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.client == nil {
		c.client = &http.Client{Transport: &http.Transport{
			Proxy:                  http.ProxyFromEnvironment,
			DialContext:            c.orEarly(dial),
			DialTLSContext:         c.orEarly(dialTLS),
			TLSHandshakeTimeout:    dialTime, // through a proxy
			MaxResponseHeaderBytes: maxHeaders,
			ForceAttemptHTTP2:      true,
			IdleConnTimeout:        idleTime,
		}}
	}
	if now = now.Round(0); now.Sub(c.used) > idleTime {
		c.client.CloseIdleConnections()
	}
	c.used = now
	return c.client
}

func (c *connection) close() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.early != nil {
		c.early.discard()
		c.early = nil
	}
	if c.client != nil {
		c.client.CloseIdleConnections()
	}
}

// The bounds on what a server may send after the end of an answer for its connection to
// be reused.
const (
	drainBytes = 64 << 10
	drainTime  = 500 * time.Millisecond
)

// drain reads the rest of an answer and closes it, because a connection with unread data
// cannot be reused.
func drain(body io.ReadCloser) {
	late := time.AfterFunc(drainTime, func() { body.Close() })
	defer late.Stop()
	defer body.Close()
	io.CopyN(io.Discard, body, drainBytes)
}
