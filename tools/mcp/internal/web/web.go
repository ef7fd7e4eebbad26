// Package web has the rules for every HTTP request to an MCP server, and to a server that
// people log in at: bounds of time and size, and that redirects are not followed.
//
// It promises that no text in its errors has a user, a query or a fragment of a URL, which
// may be secrets. A [Body] belongs to one goroutine.
package web

import (
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"syscall"
	"time"

	"github.com/chibi-host/chibi/internal/clip"
	"github.com/chibi-host/chibi/internal/term"
)

// The bounds of a connection. How long an answer takes is bounded by the context of its
// request.
const (
	dialTime   = 10 * time.Second // and once more for TLS
	idleTime   = 90 * time.Second
	maxHeaders = 256 << 10
)

// NewTransport returns a transport that takes proxies from the environment. control, if
// not nil, sees each address before it is connected to, as [net.Dialer.Control] does.
func NewTransport(control func(network, address string, c syscall.RawConn) error) *http.Transport {
	dialer := &net.Dialer{Timeout: dialTime, Control: control}
	return &http.Transport{
		Proxy:                  http.ProxyFromEnvironment,
		DialContext:            dialer.DialContext,
		TLSHandshakeTimeout:    dialTime,
		MaxResponseHeaderBytes: maxHeaders,
		ForceAttemptHTTP2:      true,
		IdleConnTimeout:        idleTime,
	}
}

// CheckURL reports what is wrong with the address of a server: requests and answers must be
// encrypted, unless the server is on this machine.
func CheckURL(text string) error {
	u, err := url.Parse(text)
	switch {
	case err != nil || u.Host == "" || u.Scheme != "https" && u.Scheme != "http":
		return fmt.Errorf("%q is not a URL that begins with https://", Shown(text))
	case u.User != nil:
		return fmt.Errorf("%q has a user or a password in it; put it into headers", Shown(text))
	case u.Scheme == "http" && !isLoopback(u.Hostname()):
		return fmt.Errorf("%q is not encrypted: use https (http is only for servers on this machine)", Shown(text))
	}
	return nil
}

// isLoopback reports whether a host is this machine, whatever name servers say.
func isLoopback(host string) bool {
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}

// Origin is the scheme, host and port of a URL.
func Origin(u *url.URL) string {
	port := u.Port()
	if port == "" {
		port = map[string]string{"http": "80", "https": "443"}[u.Scheme]
	}
	return u.Scheme + "://" + net.JoinHostPort(u.Hostname(), port)
}

// Shown is a URL as it may be shown: without user, query and fragment.
func Shown(text string) string {
	u, err := url.Parse(text)
	if err != nil {
		return "an invalid address"
	}
	return shown(u)
}

// Text is a text of a server in one line that controls no terminal, of at most 200
// characters.
func Text(text string) string { return clip.Text(term.Line(clip.Bytes(text, 4096)), 200) }

func shown(u *url.URL) string {
	short := *u
	short.User, short.RawQuery, short.Fragment = nil, "", ""
	return Text(short.String())
}

// Redirect returns where an answer redirects to, "" if it does not.
func Redirect(res *http.Response) string {
	if res.StatusCode < 300 || res.StatusCode > 399 || res.Header.Get("Location") == "" {
		return ""
	}
	to, err := res.Location()
	if err != nil {
		return "an invalid address"
	}
	return shown(to)
}

// Body is the body of an answer, at most Left bytes of it, after decompression.
type Body struct {
	io.ReadCloser
	// Left is how many bytes may still be read.
	Left int64
	// Beyond returns the error of a body that is larger.
	Beyond func() error
}

// Read reads the body.
func (b *Body) Read(p []byte) (int, error) {
	if b.Left < 0 {
		return 0, b.Beyond()
	}
	n, err := b.ReadCloser.Read(p[:min(int64(len(p)), b.Left+1)])
	if b.Left -= int64(n); b.Left < 0 {
		return n - 1, b.Beyond()
	}
	return n, err
}
