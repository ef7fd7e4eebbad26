package openai

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"time"
)

// open sends the request, with retries, until the server answers with success. It never
// retries after a part of the answer has been read.
func (c *Client) open(ctx context.Context, body []byte, p *patience) (*http.Response, error) {
	for try := 0; ; try++ {
		var res *http.Response
		var err error
		p.wait(func() { res, err = c.send(ctx, body) })
		if ctx.Err() != nil {
			if err == nil {
				res.Body.Close()
			}
			return nil, ctx.Err()
		}
		if err == nil && res.StatusCode == http.StatusOK {
			return res, nil
		}
		wait, failure := c.judge(res, err, try, p.idle)
		if wait < 0 || try >= c.retries() {
			return nil, failure
		}
		if limit := c.maxWait(); wait > limit {
			return nil, fmt.Errorf("%w; the server asks to wait %s, more than %s", failure, wait, limit)
		}
		c.notify(fmt.Sprintf("%v; retrying in %s", failure, wait.Round(100*time.Millisecond)))
		if err := c.sleep(ctx, wait); err != nil {
			return nil, err
		}
	}
}

// judge returns the error of a failed request and how long to wait before a retry;
// negative: do not retry. It waits at most idle for the text of an error.
func (c *Client) judge(res *http.Response, err error, try int, idle time.Duration) (wait time.Duration, failure error) {
	backoff := min(500*time.Millisecond<<try, 8*time.Second)
	if err != nil {
		if !isTemporary(err) {
			backoff = -1
		}
		return backoff, noAnswer(c.host(), err)
	}
	data := errorBody(res, min(errorBodyTime, idle))
	answer := &Error{Host: c.host(), Status: res.StatusCode, Message: message(data)}
	if to := redirect(res); to != "" {
		answer.Message = to
	}
	if wantsTLS(res, answer.Message) {
		answer.Message += "; write https:// in base_url"
	}
	switch code := res.StatusCode; code {
	case http.StatusNotImplemented, http.StatusHTTPVersionNotSupported:
	default:
		if code < 500 && code != http.StatusTooManyRequests && code != http.StatusRequestTimeout &&
			code != http.StatusConflict {
			break
		}
		if asked, ok := retryAfter(res.Header, time.Now()); ok {
			return asked, answer
		}
		return backoff, answer
	}
	return -1, answer
}

// errorBodyTime bounds the wait for the text of an error.
const errorBodyTime = 10 * time.Second

// errorBody reads the text of an error, or the part of it that arrives within a time.
func errorBody(res *http.Response, within time.Duration) []byte {
	late := time.AfterFunc(within, func() { res.Body.Close() })
	defer late.Stop()
	defer res.Body.Close()
	data, _ := io.ReadAll(io.LimitReader(res.Body, 64<<10))
	return data
}

// retryAfter returns how long a server asks to wait.
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
