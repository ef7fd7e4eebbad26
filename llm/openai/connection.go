package openai

import (
	"io"
	"net"
	"net/http"
	"sync"
	"time"
)

// idleTime is how long a connection that nobody uses is kept: less than most
// servers and routers keep it.
const idleTime = 90 * time.Second

// maxHeaders bounds the headers of an answer.
const maxHeaders = 256 << 10

// connection keeps the connection to a server from one request to the next, so
// that a turn with many tool calls pays for one TLS handshake.
type connection struct {
	mu     sync.Mutex
	client *http.Client
	used   time.Time
}

// http is the client that sends the next request. The clock of the transport
// stands while a computer sleeps, so a connection from before is closed here.
func (c *connection) http(now time.Time) *http.Client {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.client == nil {
		c.client = &http.Client{Transport: &http.Transport{
			Proxy:                  http.ProxyFromEnvironment,
			DialContext:            (&net.Dialer{Timeout: 30 * time.Second}).DialContext,
			TLSHandshakeTimeout:    30 * time.Second,
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

// close closes what nobody uses.
func (c *connection) close() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.client != nil {
		c.client.CloseIdleConnections()
	}
}

// What a server may send after the end of its answer, and in which time, so that
// its connection is used again.
const (
	drainBytes = 64 << 10
	drainTime  = 500 * time.Millisecond
)

// drain reads the rest of an answer and closes it: a connection with something
// left in it cannot be used again, and is closed.
func drain(body io.ReadCloser) {
	late := time.AfterFunc(drainTime, func() { body.Close() })
	defer late.Stop()
	defer body.Close()
	io.CopyN(io.Discard, body, drainBytes)
}
