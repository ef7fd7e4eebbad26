// Package openai speaks chat completions over server-sent events to any
// compatible server: OpenRouter, OpenAI, Ollama, llama.cpp, vLLM and others.
//
// What it promises: the request body is sent byte for byte; an answer that is
// cut short, an error in mid-stream or text that is no stream is an error, never
// a short or empty answer; a busy or failing server is asked again, as long as
// nothing of the answer has arrived; nothing waits for ever. Error texts name
// the server and never the key.
//
// The format is that of https://platform.openai.com/docs/api-reference/chat.
package openai

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/chibi-host/chibi/llm"
)

// Client asks one server. Its fields are set before the first request; it is
// safe for concurrent use then.
type Client struct {
	// URL is the address of the chat completions endpoint. One that ends in
	// "/v1" is completed with "/chat/completions".
	URL string
	// Key is sent as bearer token; empty: none is sent.
	Key string
	// HTTP sends the requests; nil: a client with connect and header
	// timeouts.
	HTTP *http.Client
	// Retries is how often a failed request is sent again; 0: 3, negative:
	// never.
	Retries int
	// MaxWait bounds how long a server's wish to wait is honoured; 0: one
	// minute. A longer wish is an error that names it.
	MaxWait time.Duration
	// IdleTimeout bounds the silence in an answer; 0: two minutes.
	IdleTimeout time.Duration
	// Notify is told about waiting and asking again. Nil: nobody is.
	Notify func(text string)
	// Sleep waits between tries; nil: a timer. Tests replace it.
	Sleep func(ctx context.Context, d time.Duration) error
}

var _ llm.Client = (*Client)(nil)

// Error is an answer of a server that is not an answer of a model.
type Error struct {
	// Host is the server's name and port.
	Host string
	// Status is the HTTP status; 0 if the error came in the stream.
	Status int
	// Message is what the server said.
	Message string
}

// Error says what the server said and, where that helps, what to do.
func (e *Error) Error() string {
	text := fmt.Sprintf("model server %s: ", e.Host)
	if e.Status != 0 {
		text += fmt.Sprintf("HTTP %d: ", e.Status)
	}
	text += e.Message
	switch e.Status {
	case http.StatusUnauthorized, http.StatusForbidden:
		text += "; check api_key"
	case http.StatusNotFound:
		text += "; check base_url and model"
	}
	return text
}

// Stream sends one request and reads its answer.
func (c *Client) Stream(ctx context.Context, body json.RawMessage, onText func(string)) (llm.Reply, error) {
	res, err := c.open(ctx, body)
	if err != nil {
		return llm.Reply{}, err
	}
	defer res.Body.Close()
	idle := newIdleReader(res.Body, c.idleTimeout())
	defer idle.stop()
	r := reader{host: c.host(), onText: onText}
	if strings.HasPrefix(res.Header.Get("Content-Type"), "application/json") {
		err = r.readWhole(idle)
	} else {
		err = r.readStream(idle)
	}
	if ctx.Err() != nil {
		err = ctx.Err()
	} else if err != nil && idle.expired() {
		err = fmt.Errorf("model server %s: nothing arrived for %s; gave up", c.host(), c.idleTimeout())
	}
	return r.reply(), err
}

// send sends the request once.
func (c *Client) send(ctx context.Context, body []byte) (*http.Response, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, c.endpoint(), bytes.NewReader(body))
	if err != nil {
		return nil, fmt.Errorf("base_url %q: %w", c.URL, err)
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Accept", "text/event-stream")
	req.Header.Set("User-Agent", "chibi")
	if c.Key != "" {
		req.Header.Set("Authorization", "Bearer "+c.Key)
	}
	return c.httpClient().Do(req)
}

func (c *Client) endpoint() string {
	if trimmed := strings.TrimSuffix(c.URL, "/"); strings.HasSuffix(trimmed, "/v1") {
		return trimmed + "/chat/completions"
	}
	return c.URL
}

func (c *Client) host() string {
	if u, err := url.Parse(c.URL); err == nil && u.Host != "" {
		return u.Host
	}
	return c.URL
}

func (c *Client) idleTimeout() time.Duration {
	if c.IdleTimeout > 0 {
		return c.IdleTimeout
	}
	return 2 * time.Minute
}

func (c *Client) httpClient() *http.Client {
	if c.HTTP != nil {
		return c.HTTP
	}
	return &http.Client{Transport: &http.Transport{
		Proxy:                 http.ProxyFromEnvironment,
		DialContext:           (&net.Dialer{Timeout: 30 * time.Second}).DialContext,
		TLSHandshakeTimeout:   30 * time.Second,
		ResponseHeaderTimeout: c.idleTimeout() * 5,
		ForceAttemptHTTP2:     true,
		DisableKeepAlives:     true,
	}}
}

// idleReader ends a body that is silent for too long.
type idleReader struct {
	body    io.ReadCloser
	timeout time.Duration
	timer   *time.Timer
	fired   chan struct{}
}

func newIdleReader(body io.ReadCloser, timeout time.Duration) *idleReader {
	r := &idleReader{body: body, timeout: timeout, fired: make(chan struct{})}
	r.timer = time.AfterFunc(timeout, func() {
		close(r.fired)
		body.Close()
	})
	return r
}

// Read reads and starts the clock anew.
func (r *idleReader) Read(p []byte) (int, error) {
	n, err := r.body.Read(p)
	if !r.expired() {
		r.timer.Reset(r.timeout)
	}
	return n, err
}

func (r *idleReader) stop() { r.timer.Stop() }

func (r *idleReader) expired() bool {
	select {
	case <-r.fired:
		return true
	default:
		return false
	}
}
