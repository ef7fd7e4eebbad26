package mcp

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"sync/atomic"

	"github.com/chibi-host/chibi/tools/mcp/internal/web"
	"github.com/modelcontextprotocol/go-sdk/auth"
	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// HTTP says how to reach servers with a URL. The zero value reaches servers that want no login.
type HTTP struct {
	// Authorize returns a handler that authorizes the requests to a server without an Authorization
	// header in its settings. It is called once for each connection; nil: nothing authorizes them.
	Authorize func(Server) auth.OAuthHandler
}

// LoginError means that a server wants a login that only the person can give.
type LoginError struct {
	// Server is the name of the server.
	Server string
	// Reason says why that is new, as in "its login was revoked"; "" if there was no login.
	Reason string
}

// Error says what the person can do.
func (e *LoginError) Error() string {
	if e.Reason == "" {
		return fmt.Sprintf("MCP server %s wants you to log in: chibi mcp login %s", e.Server, e.Server)
	}
	return fmt.Sprintf("MCP server %s wants you to log in again, because %s: chibi mcp login %s", e.Server, e.Reason,
		e.Server)
}

// link is the way to a server with a URL.
type link struct {
	transport *sdk.StreamableClientTransport
	guard     *guard
}

// maxReconnects is how often an answer whose connection broke is asked for again. The
// request itself is never sent again.
const maxReconnects = 2

// link prepares the way to a server, whose variables are filled in. It connects to nothing.
func (h HTTP) link(s Server) (*link, error) {
	if err := web.CheckURL(s.URL); err != nil {
		return nil, fmt.Errorf("its url %w", err)
	}
	endpoint, err := url.Parse(s.URL)
	if err != nil {
		return nil, errors.New("its url is not a URL") // the error of url.Parse has the whole text
	}
	g := &guard{base: web.NewTransport(nil), server: s, origin: web.Origin(endpoint), headers: http.Header{},
		protocol: func() string { return "" }}
	for name, value := range s.Headers {
		g.headers.Set(name, value)
	}
	transport := &sdk.StreamableClientTransport{
		Endpoint:             s.URL,
		HTTPClient:           &http.Client{Transport: g},
		MaxRetries:           maxReconnects,
		DisableStandaloneSSE: true,
		MaxEventSize:         maxMessage,
	}
	if h.Authorize != nil && g.headers.Get("Authorization") == "" {
		transport.OAuthHandler = h.Authorize(s)
		g.isAuthorized = transport.OAuthHandler != nil
	}
	return &link{transport: transport, guard: g}, nil
}

// why is the reason of an error of a session over the link, as a person should read it: what
// the link refused, or the cause of a request that failed, without the URL.
func (l *link) why(err error) error {
	var refused *refusal
	var login *LoginError
	var request *url.Error
	var answer *jsonrpc.Error
	switch beyond := l.guard.beyond.Swap(nil); {
	case errors.As(err, &login):
		return login
	case errors.As(err, &refused):
		return refused
	case beyond != nil:
		return beyond
	case errors.As(err, &request):
		err = request.Err
	case errors.Is(err, sdk.ErrSessionMissing):
		return errors.New("it has forgotten the session (404 Not Found); the next call begins another one")
	}
	text := err.Error()
	if errors.As(err, &answer) && answer.Code == rejected {
		text = strings.Replace(text, answer.Error()+": ", "", 1)
	}
	if short := withoutMethods(text); short != err.Error() {
		return errors.New(short)
	}
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return fmt.Errorf("it closed the connection before it answered: %w", err)
	}
	return err
}

// withoutMethods removes what the SDK puts before an error, as in `calling "tools/call": `.
func withoutMethods(text string) string {
	for _, verb := range []string{"calling ", "sending "} {
		if rest, found := strings.CutPrefix(text, verb+`"`); found {
			if _, after, found := strings.Cut(rest, `": `); found {
				text = after
			}
		}
	}
	return text
}

// close closes idle connections.
func (l *link) close() { l.guard.base.CloseIdleConnections() }

// refusal is why an answer of a server is not used.
type refusal struct{ text string }

func (r *refusal) Error() string { return r.text }

// Refused returns an error for [HTTP.Authorize]: why chibi did not ask a server, or the server's answer.
func Refused(text string) error { return &refusal{text} }

// guard sends the requests of one connection. It sends headers and tokens to the origin of
// the server only, follows no redirect, and bounds answers.
type guard struct {
	base         *http.Transport
	server       Server
	origin       string
	headers      http.Header
	isAuthorized bool          // something answers a 401 or 403
	protocol     func() string // the version of the protocol that was agreed on, "" before that

	beyond  atomic.Pointer[refusal] // an answer that went beyond its bound
	refused atomic.Pointer[string]  // the token of the last request, if its answer was 401
}
