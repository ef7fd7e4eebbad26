// Package openai implements chat completions over server-sent events for any
// compatible server: OpenRouter, OpenAI, Ollama, llama.cpp, vLLM and others.
//
// What it promises: the request body is sent byte for byte; a truncated answer, an
// error in the middle of the stream or a body that is not a stream is an error, never a
// short or empty answer; requests to a busy or failing server are retried until a part
// of the answer has arrived; successive requests share a connection; every wait is
// bounded, and the time in which chibi itself is busy, or blocked by the reader of its
// output, does not count; redirects are not followed, so that the key and the
// conversation are sent only to the configured address; the size of an answer is
// bounded. Error texts name the server and never contain the key.
//
// The format is described at https://platform.openai.com/docs/api-reference/chat.
package openai

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/chibi-host/chibi/llm"
)

// Client sends requests to one server. Its fields must be set before the first request;
// after that it is safe for concurrent use.
type Client struct {
	// URL is the address of the chat completions endpoint, or one whose path ends
	// in "/v1", see Endpoint.
	URL string
	// Key is sent as bearer token; "": no token is sent.
	Key string
	// HTTP sends the requests; its CheckRedirect is ignored, redirects are never
	// followed. Nil: a client of this Client's own that bounds connecting and headers.
	HTTP *http.Client
	// Retries is how many times a failed request is retried; 0: 3, negative: never.
	Retries int
	// MaxWait bounds the wait that a server may ask for (Retry-After); 0: one minute.
	// If it asks for more, the request fails and the error says how long.
	MaxWait time.Duration
	// FirstByteTimeout bounds the wait for the first piece of an answer, over all
	// retries together, and after that the time between two pieces with new content;
	// 0: ten minutes.
	FirstByteTimeout time.Duration
	// IdleTimeout bounds the time without any data in an answer that has begun; 0: two
	// minutes.
	IdleTimeout time.Duration
	// AnswerBytes bounds the text and tool calls of an answer, in bytes; 0: 2 MiB.
	AnswerBytes int
	// Notify, if set, receives messages about waiting and retrying.
	Notify func(text string)
	// Sleep waits before a retry; nil: a timer. Tests replace it.
	Sleep func(ctx context.Context, d time.Duration) error

	connection connection
}

var _ llm.Client = (*Client)(nil)

// Stream sends one request and reads its answer.
func (c *Client) Stream(ctx context.Context, body json.RawMessage, onText func(string)) (llm.Reply, error) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	p := c.patience(cancel)
	res, err := c.open(ctx, body, p)
	if err != nil {
		return llm.Reply{}, conceal(c.Key, ended(ctx, err))
	}
	defer drain(res.Body)
	r := reader{host: c.host(), onText: onText, most: c.answerBytes(), progress: p.progress}
	source := &patientReader{patience: p, body: res.Body, left: int64(c.answerBytes()) * wireFactor}
	if strings.HasPrefix(res.Header.Get("Content-Type"), "application/json") {
		err = r.readWhole(source)
	} else {
		err = r.readStream(source)
	}
	return r.reply(), conceal(c.Key, ended(ctx, err))
}

// ended returns the failure, or, if there is one and ctx has ended, the cause of that.
func ended(ctx context.Context, failure error) error {
	if failure != nil && ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return failure
}

// Ping sends an empty request to the address of Stream, without retries, and returns the
// HTTP status of the answer.
func (c *Client) Ping(ctx context.Context) (status int, err error) {
	res, err := c.send(ctx, []byte("{}"))
	if err != nil {
		return 0, noAnswer(c.host(), err)
	}
	drain(res.Body)
	if to := redirect(res); to != "" {
		return res.StatusCode, &Error{Host: c.host(), Status: res.StatusCode, Message: to}
	}
	return res.StatusCode, nil
}

// send sends the request once. It returns a redirect like any other answer. If the server
// has closed the connection that was opened early, it is sent over a new one, as the
// transport does when a server has closed an idle connection.
func (c *Client) send(ctx context.Context, body []byte) (*http.Response, error) {
	res, err := c.post(ctx, body)
	if c.connection.tookEarly.Swap(false) && err != nil && isClosed(err) && ctx.Err() == nil {
		return c.post(ctx, body)
	}
	return res, err
}

func (c *Client) post(ctx context.Context, body []byte) (*http.Response, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, Endpoint(c.URL), bytes.NewReader(body))
	if err != nil {
		return nil, fmt.Errorf("base_url %q: %w", c.URL, err)
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Accept", "text/event-stream")
	req.Header.Set("User-Agent", "chibi")
	// An empty list is not sent. It makes the transport resend the request if the
	// server has closed the idle connection.
	req.Header["Idempotency-Key"] = []string{}
	if c.Key != "" {
		req.Header.Set("Authorization", "Bearer "+c.Key)
	}
	own := c.HTTP
	if own == nil {
		own = c.connection.http(time.Now())
	}
	client := *own
	client.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	return client.Do(req)
}

// Close closes the connection if it is idle or was not used, unless it belongs to HTTP. The
// Client can still be used afterwards.
func (c *Client) Close() error {
	c.connection.close()
	return nil
}

// The defaults of a [Client].
const (
	DefaultFirstByteTimeout = 10 * time.Minute
	DefaultIdleTimeout      = 2 * time.Minute
	DefaultAnswerBytes      = 2 << 20
)

// Endpoint returns the address of the requests for a base_url: if its path ends in
// "/v1", "/chat/completions" is appended; otherwise it is used unchanged.
func Endpoint(base string) string {
	u, err := url.Parse(base)
	if err != nil || !strings.HasSuffix(strings.TrimSuffix(u.Path, "/"), "/v1") {
		return base
	}
	return u.JoinPath("chat/completions").String()
}

func (c *Client) host() string {
	if u, err := url.Parse(c.URL); err == nil && u.Host != "" {
		return u.Host
	}
	return c.URL
}

func (c *Client) answerBytes() int {
	if c.AnswerBytes > 0 {
		return c.AnswerBytes
	}
	return DefaultAnswerBytes
}
