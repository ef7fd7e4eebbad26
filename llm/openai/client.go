// Package openai speaks chat completions over server-sent events to any
// compatible server: OpenRouter, OpenAI, Ollama, llama.cpp, vLLM and others.
//
// What it promises: the request body is sent byte for byte; an answer that is
// cut short, an error in mid-stream or text that is no stream is an error, never
// a short or empty answer; a busy or failing server is asked again, as long as
// nothing of the answer has arrived; requests that follow each other share a
// connection; nothing waits for ever, and the time in which chibi itself is busy,
// or held up by whoever reads its output, is not held against the server; no
// redirect is followed, so that the key and the conversation go to the configured
// address and nowhere else; what is kept of an answer is bounded. Error texts name
// the server and never the key.
//
// The format is that of https://platform.openai.com/docs/api-reference/chat.
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

// Client asks one server. Its fields are set before the first request; it is
// safe for concurrent use then.
type Client struct {
	// URL is the address of the chat completions endpoint, or one whose path ends
	// in "/v1", see Endpoint.
	URL string
	// Key is sent as bearer token; empty: none is sent.
	Key string
	// HTTP sends the requests, and follows no redirects whatever it says; nil: a
	// client of this Client's own that bounds connecting and headers.
	HTTP *http.Client
	// Retries is how often a failed request is sent again; 0: 3, negative:
	// never.
	Retries int
	// MaxWait bounds how long a server's wish to wait is honoured; 0: one
	// minute. A longer wish is an error that names it.
	MaxWait time.Duration
	// FirstByteTimeout bounds the wait for the first piece of an answer, of all
	// tries together, and how long an answer that has begun may bring nothing
	// new; 0: ten minutes.
	FirstByteTimeout time.Duration
	// IdleTimeout bounds the silence in an answer that has begun; 0: two
	// minutes.
	IdleTimeout time.Duration
	// AnswerBytes bounds what is kept of an answer; 0: 2 MiB.
	AnswerBytes int
	// Notify is told about waiting and asking again. Nil: nobody is.
	Notify func(text string)
	// Sleep waits between tries; nil: a timer. Tests replace it.
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
		return llm.Reply{}, c.conceal(ended(ctx, err))
	}
	defer drain(res.Body)
	r := reader{host: c.host(), onText: onText, most: c.answerBytes(), progress: p.progress}
	source := &patientReader{patience: p, body: res.Body, left: int64(c.answerBytes()) * wireFactor}
	if strings.HasPrefix(res.Header.Get("Content-Type"), "application/json") {
		err = r.readWhole(source)
	} else {
		err = r.readStream(source)
	}
	return r.reply(), c.conceal(ended(ctx, err))
}

// ended is why ctx ended, if it has and something failed; else the failure.
func ended(ctx context.Context, failure error) error {
	if failure != nil && ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return failure
}

// Ping sends a request without content once, to where Stream sends its requests,
// and returns the HTTP status with which the server answers it.
func (c *Client) Ping(ctx context.Context) (status int, err error) {
	res, err := c.send(ctx, []byte("{}"))
	if err != nil {
		return 0, c.noAnswer(err)
	}
	drain(res.Body)
	if to := redirect(res); to != "" {
		return res.StatusCode, &Error{Host: c.host(), Status: res.StatusCode, Message: to}
	}
	return res.StatusCode, nil
}

// send sends the request once. A redirect is an answer like any other.
func (c *Client) send(ctx context.Context, body []byte) (*http.Response, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, Endpoint(c.URL), bytes.NewReader(body))
	if err != nil {
		return nil, fmt.Errorf("base_url %q: %w", c.URL, err)
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Accept", "text/event-stream")
	req.Header.Set("User-Agent", "chibi")
	// Nothing is sent of this. It lets the transport send the request again at once
	// if the server has closed a connection that was kept.
	req.Header["Idempotency-Key"] = []string{}
	if c.Key != "" {
		req.Header.Set("Authorization", "Bearer "+c.Key)
	}
	client := *c.httpClient()
	client.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	return client.Do(req)
}

func (c *Client) httpClient() *http.Client {
	if c.HTTP != nil {
		return c.HTTP
	}
	return c.connection.http(time.Now())
}

// Close closes the connection that is kept between requests, unless it belongs
// to HTTP. The Client can be used again after it.
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

// Endpoint is the address that requests for a base_url go to: one whose path
// ends in "/v1" is completed with "/chat/completions", any other stays as it is.
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
