package openai

import (
	"crypto/tls"
	"errors"
	"fmt"
	"html"
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

// Error is an error that a server reported, or an answer that is not a valid one.
type Error struct {
	// Host is the server's name and port.
	Host string
	// Status is the HTTP status; 0 if the error is in the stream.
	Status int
	// Message is the message of the server.
	Message string
}

// Error returns the message of the server and, for some statuses, what to do.
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

// isTooLong reports whether a message says that a request is longer than the model's
// context window.
func isTooLong(message string) bool {
	return regexp.MustCompile(`(?i)context[_ ](length|window|size)|too (long|large|many (input )?tokens)|` +
		`(maximum|exceeds?|limit).*tokens|tokens.*(maximum|exceeds?|limit)`).MatchString(message)
}

// Is reports whether the error is llm.ErrTooLong: the request was longer than the model
// or its server accepts.
func (e *Error) Is(target error) bool {
	isLong := e.Status == http.StatusRequestEntityTooLarge ||
		(e.Status == http.StatusBadRequest || e.Status == 0) && isTooLong(e.Message)
	return target == llm.ErrTooLong && isLong
}

// isTemporary reports whether a request that got no answer may succeed when it is
// retried: the connection was refused, broke, or was not established in time. Errors of
// an address, a name, a certificate or a protocol are permanent, and a timeout of the
// answer is final.
func isTemporary(err error) bool {
	for _, temporary := range []error{
		io.EOF, io.ErrUnexpectedEOF, syscall.ECONNREFUSED, syscall.ECONNRESET, syscall.ECONNABORTED, syscall.EPIPE,
		syscall.ENETUNREACH, syscall.EHOSTUNREACH, syscall.ETIMEDOUT,
		net.ErrClosed, // by net/http, when the server had closed it while this machine slept
	} {
		if errors.Is(err, temporary) {
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

// isClosed reports whether a request failed because its connection had been closed:
// net/http does not export one of these errors.
func isClosed(err error) bool {
	return isTemporary(err) || cause(err).Error() == "http: server closed idle connection"
}

// isLostHTTP2 reports whether an HTTP/2 connection was lost: net/http does not export
// these errors.
func isLostHTTP2(err error) bool {
	text := cause(err).Error()
	return strings.HasPrefix(text, "http2: client connection ") || strings.HasPrefix(text, "http2: server sent GOAWAY")
}

// noAnswer returns the error of a request to which a host gave no answer.
func noAnswer(host string, err error) error {
	err = cause(err)
	var record tls.RecordHeaderError
	hint := ""
	switch {
	case errors.Is(err, http.ErrSchemeMismatch), errors.As(err, &record):
		hint = "; the server does not use HTTPS on this port: if that is intended, write http:// in base_url"
	case strings.Contains(err.Error(), tlsAlert):
		hint = "; the server uses HTTPS on this port: write https:// in base_url"
	}
	return fmt.Errorf("model server %s: %w%s", host, err, hint)
}

// tlsAlert is how net/http reports the answer of a TLS server to a plain request.
const tlsAlert = `malformed HTTP response "\x15\x03`

// wantsTLS reports whether a server answers a plain request by saying that it requires
// HTTPS.
func wantsTLS(res *http.Response, said string) bool {
	return res.StatusCode == http.StatusBadRequest && res.Request.URL.Scheme == "http" && strings.Contains(said, "HTTPS")
}

// leastKey is the length, in bytes, of the shortest key that is treated as a secret:
// keys for local servers, such as "none" or "x", occur in ordinary words.
const leastKey = 8

// conceal removes a key from the message of a server: some quote the request.
func conceal(key string, err error) error {
	var said *Error
	if len(key) >= leastKey && errors.As(err, &said) {
		said.Message = strings.ReplaceAll(said.Message, key, "[api_key]")
	}
	return err
}

// cause returns an HTTP client's error without the method, the address and the failed
// system call.
func cause(err error) error {
	if u, ok := errors.AsType[*url.Error](err); ok {
		err = u.Err
	}
	if op, ok := errors.AsType[*net.OpError](err); ok && op.Op == "dial" {
		err = op.Err
	}
	if call, ok := errors.AsType[*os.SyscallError](err); ok {
		err = call.Err
	}
	return err
}

// redirect returns a message with the target of a redirect, "" for other answers. The
// user, query and fragment of the address, which may contain secrets, are removed.
func redirect(res *http.Response) string {
	if res.StatusCode < 300 || res.StatusCode > 399 || res.Header.Get("Location") == "" {
		return ""
	}
	to := "an invalid address"
	if u, err := res.Location(); err == nil {
		u.User, u.RawQuery, u.Fragment = nil, "", ""
		to = u.String()
	}
	return oneLine("it redirects to "+to) + "; chibi does not follow redirects, so that your key and your prompts are " +
		"not sent elsewhere; if that address is right, set base_url to it"
}

// message returns the message of an error response, in one line.
func message(data []byte) string {
	text := ""
	if strictjson.Valid(data) {
		text = errorText(gjson.ParseBytes(data).Get("error"))
		if text == "" {
			text = gjson.GetBytes(data, "message").String()
		}
	}
	if text == "" {
		text = pageTitle(string(data))
	}
	if text = oneLine(text); text == "" {
		return "the response is empty"
	}
	return text
}

// pageTitle returns what a page of HTML says, as proxies answer, by its title; other texts are
// returned as they are.
func pageTitle(text string) string {
	page := regexp.MustCompile(`(?is)^\s*<(?:!doctype\s+html|html|head|body)\b(?:.*?<title[^>]*>(.*?)</title>)?`).
		FindStringSubmatch(text)
	if page == nil {
		return text
	}
	return strings.TrimSuffix("it answered with a page of HTML: "+strings.TrimSpace(html.UnescapeString(page[1])), ": ")
}

// oneLine returns a server's text as one line for a message, without control
// characters.
func oneLine(text string) string {
	return clip.Text(term.Line(text[:min(len(text), 64<<10)]), 300)
}

// errorText returns the text of an "error" member: an object with a message, or a
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
