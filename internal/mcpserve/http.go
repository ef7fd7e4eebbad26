package mcpserve

import (
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"fmt"
	"iter"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/dustin/go-humanize"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// Path is where clients find the server.
const Path = "/mcp"

const (
	// maxSessions bounds how many clients are connected, idleTime how long one that asks
	// nothing stays so.
	maxSessions = 64
	idleTime    = time.Hour
	// headerTime and maxHeader bound the head of a request, idleConnection an unused
	// connection.
	headerTime     = 10 * time.Second
	maxHeader      = 64 << 10
	idleConnection = 2 * time.Minute
)

// Listen listens on an address of this machine for [Server.HTTP]: HOST:PORT, where the host is
// localhost or a loopback address. Port 0 is any free one.
func Listen(ctx context.Context, address string) (net.Listener, error) {
	const use = "; use 127.0.0.1:PORT, [::1]:PORT or localhost:PORT"
	host, port, err := net.SplitHostPort(address)
	if err != nil {
		return nil, fmt.Errorf("%q is not an address%s", address, use)
	}
	if strings.EqualFold(host, "localhost") {
		host = "127.0.0.1"
	}
	if ip := net.ParseIP(host); ip == nil || !ip.IsLoopback() {
		return nil, fmt.Errorf("%q is not an address of this machine only, and whoever reaches this server can run "+
			"tools%s", address, use)
	}
	var config net.ListenConfig
	l, err := config.Listen(ctx, "tcp", net.JoinHostPort(host, port))
	if err != nil {
		return nil, fmt.Errorf("listening on %s: %w", address, err)
	}
	return l, nil
}

// HTTP serves clients that know the token, until ctx ends or the server does. Afterwards the
// server is closed.
func (s *Server) HTTP(ctx context.Context, l net.Listener, token string) error {
	guard := &door{token: sha256.Sum256([]byte(token)), port: portOf(l.Addr()), next: s.handler()}
	server := &http.Server{Handler: guard, ReadHeaderTimeout: headerTime, MaxHeaderBytes: maxHeader,
		IdleTimeout: idleConnection}
	ctx, leave, err := s.life.join(ctx)
	if err != nil {
		return err
	}
	stop := context.AfterFunc(ctx, func() {
		s.life.end()
		server.Close()
	})
	err = server.Serve(l)
	if !stop() { // it was ended
		err = nil
	}
	leave()
	s.Close()
	for session := range s.mcp.Sessions() {
		session.Close() // there is nobody to tell
	}
	return err
}

// portOf returns the port of an address.
func portOf(a net.Addr) string {
	_, port, _ := net.SplitHostPort(a.String()) // addresses of listeners have one
	return port
}

// handler answers requests of either form of the protocol: with sessions and without.
func (s *Server) handler() http.Handler {
	pick := func(*http.Request) *sdk.Server { return s.mcp }
	with := sdk.NewStreamableHTTPHandler(pick, &sdk.StreamableHTTPOptions{MaxRequestBodyBytes: maxMessage,
		SessionTimeout: idleTime})
	without := sdk.NewStreamableHTTPHandler(pick, &sdk.StreamableHTTPOptions{MaxRequestBodyBytes: maxMessage,
		Stateless: true, PropagateRequestCancellation: true})
	mux := http.NewServeMux()
	mux.HandleFunc(Path, func(w http.ResponseWriter, r *http.Request) {
		defer s.connections.enter(r)()
		session := r.Header.Get("Mcp-Session-Id")
		hasSession := session != ""
		if r.Method == http.MethodDelete {
			s.clients.dismiss(session)
		}
		switch {
		case !hasSession && r.Header.Get("Mcp-Protocol-Version") >= sessionless:
			without.ServeHTTP(w, r)
		case !hasSession && countOf(s.mcp.Sessions()) >= maxSessions:
			http.Error(w, fmt.Sprintf("there are %d clients already; end one of them", maxSessions),
				http.StatusServiceUnavailable)
		default:
			with.ServeHTTP(w, r)
		}
	})
	return mux
}

// countOf counts the sessions of clients.
func countOf(sessions iter.Seq[*sdk.ServerSession]) (n int) {
	for range sessions {
		n++
	}
	return n
}

// door lets only those in who know the token and are programs of this machine. A web page that
// a browser shows is recognised by its origin, and one that got this machine's address for its
// own name (DNS rebinding) by the host that it asks for.
type door struct {
	token [sha256.Size]byte
	port  string
	next  http.Handler
}

func (d *door) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	switch {
	case !d.isOurs(r.Host):
		http.Error(w, fmt.Sprintf("the host %q is not this server", r.Host), http.StatusForbidden)
	case !isLocal(r.Header.Values("Origin")):
		http.Error(w, "pages of other origins may not call tools", http.StatusForbidden)
	case !d.knows(r.Header.Get("Authorization")):
		w.Header().Set("WWW-Authenticate", "Bearer")
		http.Error(w, "send the token that chibi mcp serve printed, or was given: Authorization: Bearer TOKEN",
			http.StatusUnauthorized)
	case r.ContentLength > maxMessage:
		http.Error(w, fmt.Sprintf("the request is larger than %s", humanize.IBytes(maxMessage)),
			http.StatusRequestEntityTooLarge)
	default:
		d.next.ServeHTTP(w, r)
	}
}

// isOurs reports whether a host is this server.
func (d *door) isOurs(host string) bool {
	name, port, err := net.SplitHostPort(host)
	if err != nil {
		name, port = strings.Trim(host, "[]"), "80"
	}
	return port == d.port && isLoopback(name)
}

// isLocal reports whether no page asks, or one that this machine serves.
func isLocal(origins []string) bool {
	return !slices.ContainsFunc(origins, func(origin string) bool {
		u, err := url.Parse(origin)
		return err != nil || u.Scheme != "http" && u.Scheme != "https" || !isLoopback(u.Hostname())
	})
}

// isLoopback reports whether a host is an address of this machine, or localhost.
func isLoopback(host string) bool {
	ip := net.ParseIP(host)
	return strings.EqualFold(host, "localhost") || ip != nil && ip.IsLoopback()
}

// knows reports whether a header has the token.
func (d *door) knows(header string) bool {
	scheme, token, _ := strings.Cut(header, " ")
	given := sha256.Sum256([]byte(strings.TrimSpace(token)))
	return strings.EqualFold(scheme, "Bearer") && subtle.ConstantTimeCompare(given[:], d.token[:]) == 1
}

// connections are the HTTP requests that wait for results, by numbers. What is done for one ends
// when its client goes away, which the library does not care for.
type connections struct {
	last atomic.Int64
	open sync.Map // of numbers to *life
}

// numberHeader has the number of a request. chibi replaces a value that a client sends there.
const numberHeader = "Chibi-Connection"

// enter gives a request its number, until the returned function is called.
func (c *connections) enter(r *http.Request) (leave func()) {
	number, connection := strconv.FormatInt(c.last.Add(1), 10), &life{}
	c.open.Store(number, connection)
	r.Header.Set(numberHeader, number)
	stop := context.AfterFunc(r.Context(), connection.end)
	return func() {
		stop()
		c.open.Delete(number)
	}
}

// of returns the life of the HTTP request that a message came with, nil if it came otherwise.
func (c *connections) of(extra *sdk.RequestExtra) *life {
	if extra == nil || extra.Header == nil {
		return nil
	}
	open, _ := c.open.Load(extra.Header.Get(numberHeader))
	connection, _ := open.(*life)
	return connection
}
