package openai

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/tidwall/gjson"
)

// open sends the request until the server answers it with success. Nothing of
// an answer has been read when it asks again.
func (c *Client) open(ctx context.Context, body []byte) (*http.Response, error) {
	for try := 0; ; try++ {
		res, err := c.send(ctx, body)
		if ctx.Err() != nil {
			if err == nil {
				res.Body.Close()
			}
			return nil, ctx.Err()
		}
		if err == nil && res.StatusCode == http.StatusOK {
			return res, nil
		}
		wait, failure := c.judge(res, err, try)
		if wait < 0 || try >= c.retries() {
			return nil, failure
		}
		if limit := c.maxWait(); wait > limit {
			return nil, fmt.Errorf("%w; the server asks to wait %s, longer than %s", failure, wait, limit)
		}
		c.notify(fmt.Sprintf("%v; asking again in %s", failure, wait.Round(100*time.Millisecond)))
		if err := c.sleep(ctx, wait); err != nil {
			return nil, err
		}
	}
}

// judge words a failure and says how long to wait before asking again, or a
// negative time if that is useless.
func (c *Client) judge(res *http.Response, err error, try int) (wait time.Duration, failure error) {
	backoff := min(500*time.Millisecond<<try, 8*time.Second)
	if err != nil {
		return backoff, fmt.Errorf("model server %s: %w", c.host(), cause(err))
	}
	defer res.Body.Close()
	data, _ := io.ReadAll(io.LimitReader(res.Body, 64<<10))
	failure = &Error{Host: c.host(), Status: res.StatusCode, Message: message(data)}
	switch code := res.StatusCode; {
	case code == http.StatusTooManyRequests, code == http.StatusRequestTimeout, code == http.StatusConflict, code >= 500:
		if asked, ok := retryAfter(res.Header, time.Now()); ok {
			return asked, failure
		}
		return backoff, failure
	}
	return -1, failure
}

// cause takes the method and address out of an HTTP client's error.
func cause(err error) error {
	var u *url.Error
	if errors.As(err, &u) {
		return u.Err
	}
	return err
}

// retryAfter reads how long a server asks to wait.
func retryAfter(h http.Header, now time.Time) (time.Duration, bool) {
	if ms, err := strconv.ParseFloat(h.Get("Retry-After-Ms"), 64); err == nil && ms >= 0 {
		return time.Duration(min(ms, 1e9) * float64(time.Millisecond)), true
	}
	value := h.Get("Retry-After")
	if seconds, err := strconv.ParseFloat(value, 64); err == nil && seconds >= 0 {
		return time.Duration(min(seconds, 1e6) * float64(time.Second)), true
	}
	if date, err := http.ParseTime(value); err == nil {
		return max(date.Sub(now), 0), true
	}
	return 0, false
}

// message is what a server's error says, in one line.
func message(data []byte) string {
	text := ""
	if gjson.ValidBytes(data) {
		text = errorText(gjson.ParseBytes(data).Get("error"))
		if text == "" {
			text = gjson.GetBytes(data, "message").String()
		}
	}
	if text == "" {
		text = string(data)
	}
	text = strings.Join(strings.Fields(strings.ToValidUTF8(text, "\uFFFD")), " ")
	if runes := []rune(text); len(runes) > 300 {
		text = string(runes[:300]) + "..."
	}
	if text == "" {
		return "it said nothing more"
	}
	return text
}

// errorText is the text of an "error" member: an object with a message, or a
// string.
func errorText(e gjson.Result) string {
	if e.IsObject() {
		if m := e.Get("message").String(); m != "" {
			return m
		}
		return e.Raw
	}
	return e.String()
}

func (c *Client) retries() int {
	switch {
	case c.Retries < 0:
		return 0
	case c.Retries == 0:
		return 3
	}
	return c.Retries
}

func (c *Client) maxWait() time.Duration {
	if c.MaxWait > 0 {
		return c.MaxWait
	}
	return time.Minute
}

func (c *Client) notify(text string) {
	if c.Notify != nil {
		c.Notify(text)
	}
}

func (c *Client) sleep(ctx context.Context, d time.Duration) error {
	if c.Sleep != nil {
		return c.Sleep(ctx, d)
	}
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-timer.C:
		return nil
	}
}
