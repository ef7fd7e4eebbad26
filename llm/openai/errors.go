package openai

import (
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"regexp"
	"strings"
	"syscall"

	"github.com/chibi-host/chibi/internal/clip"
	"github.com/chibi-host/chibi/internal/strictjson"
	"github.com/chibi-host/chibi/internal/term"
	"github.com/chibi-host/chibi/llm"
	"github.com/tidwall/gjson"
)

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

// isTooLong reports whether a server says that a request is longer than the
// model's window.
func isTooLong(message string) bool {
	return regexp.MustCompile(`(?i)context[_ ](length|window|size)|too (long|large|many (input )?tokens)|` +
		`(maximum|exceeds?|limit).*tokens|tokens.*(maximum|exceeds?|limit)`).MatchString(message)
}

// Is reports whether the error is llm.ErrTooLong: the request was longer than
// the model or its server takes.
func (e *Error) Is(target error) bool {
	isLong := e.Status == http.StatusRequestEntityTooLarge ||
		(e.Status == http.StatusBadRequest || e.Status == 0) && isTooLong(e.Message)
	return target == llm.ErrTooLong && isLong
}

// isPassing reports whether a request that got no answer may get one when it is
// sent again: the connection was refused, broke, or did not come about in time.
// What is wrong with an address, a name, a certificate or a protocol stays wrong,
// and a server that was silent has had its time.
func isPassing(err error) bool {
	for _, passing := range []error{
		io.EOF, io.ErrUnexpectedEOF, syscall.ECONNREFUSED, syscall.ECONNRESET, syscall.ECONNABORTED, syscall.EPIPE,
		syscall.ENETUNREACH, syscall.EHOSTUNREACH, syscall.ETIMEDOUT,
	} {
		if errors.Is(err, passing) {
			return true
		}
	}
	var dial *net.OpError
	if errors.As(err, &dial) && dial.Op == "dial" && dial.Timeout() || isLostHTTP2(err) {
		return true
	}
	var name *net.DNSError
	return errors.As(err, &name) && name.IsTemporary && !name.IsNotFound
}

// isLostHTTP2 reports whether a connection of HTTP/2 ended: net/http has no names
// for these errors.
func isLostHTTP2(err error) bool {
	text := cause(err).Error()
	return strings.HasPrefix(text, "http2: client connection ") || strings.HasPrefix(text, "http2: server sent GOAWAY")
}

// noAnswer words the failure of a request that got no answer.
func (c *Client) noAnswer(err error) error {
	err = cause(err)
	var record tls.RecordHeaderError
	hint := ""
	switch {
	case errors.Is(err, http.ErrSchemeMismatch), errors.As(err, &record):
		hint = "; the server does not speak HTTPS there: write http:// in base_url if that is meant"
	case strings.Contains(err.Error(), tlsAlert):
		hint = "; the server speaks HTTPS there: write https:// in base_url"
	}
	return fmt.Errorf("model server %s: %w%s", c.host(), err, hint)
}

// tlsAlert is how net/http shows what a server of TLS answers to a plain request.
const tlsAlert = `malformed HTTP response "\x15\x03`

// wantsTLS reports whether a server's answer to a plain request is that it speaks
// HTTPS only.
func wantsTLS(res *http.Response, said string) bool {
	return res.StatusCode == http.StatusBadRequest && res.Request.URL.Scheme == "http" && strings.Contains(said, "HTTPS")
}

// leastKey is the length, in bytes, of the shortest text that can be a secret:
// local servers take "none" or "x" for a key, which words consist of.
const leastKey = 8

// conceal takes the key out of what a server said: some send back what they got.
func (c *Client) conceal(err error) error {
	var said *Error
	if len(c.Key) >= leastKey && errors.As(err, &said) {
		said.Message = strings.ReplaceAll(said.Message, c.Key, "[api_key]")
	}
	return err
}

// cause takes the method and the address out of an HTTP client's error, and what
// was called when no connection came about.
func cause(err error) error {
	var u *url.Error
	if errors.As(err, &u) {
		err = u.Err
	}
	var op *net.OpError
	if errors.As(err, &op) && op.Op == "dial" {
		err = op.Err
	}
	var call *os.SyscallError
	if errors.As(err, &call) {
		err = call.Err
	}
	return err
}

// redirect says where a server's answer leads; "" if it leads nowhere. What
// could hold a secret is left out of the address.
func redirect(res *http.Response) string {
	if res.StatusCode < 300 || res.StatusCode > 399 || res.Header.Get("Location") == "" {
		return ""
	}
	to := "an address that cannot be read"
	if u, err := res.Location(); err == nil {
		u.User, u.RawQuery, u.Fragment = nil, "", ""
		to = u.String()
	}
	return oneLine("it redirects to "+to) + "; chibi follows no redirects, so that your key and your words go nowhere " +
		"else; set base_url to that address if it is right"
}

// message is what a server's error says, in one line.
func message(data []byte) string {
	text := ""
	if strictjson.Valid(data) {
		text = errorText(gjson.ParseBytes(data).Get("error"))
		if text == "" {
			text = gjson.GetBytes(data, "message").String()
		}
	}
	if text == "" {
		text = string(data)
	}
	if text = oneLine(text); text == "" {
		return "it said nothing more"
	}
	return text
}

// oneLine makes a server's text one line of a message, without what could
// control a terminal.
func oneLine(text string) string {
	return clip.Text(term.Line(text[:min(len(text), 64<<10)]), 300)
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
