package openai

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"net"
	"net/http"
	"net/url"
	"os"
	"time"
)

// dialTime bounds connecting, and once more the TLS handshake.
const dialTime = 30 * time.Second

// earlyTime is how old a connection may be that was opened early and not used: servers
// close connections on which no request arrives.
const earlyTime = 10 * time.Second

// early is a connection that is opened before the first request needs it.
type early struct {
	address string // of the server, as a transport dials it
	stop    context.CancelFunc
	ready   chan struct{} // closed when conn, err and opened are set
	conn    net.Conn
	err     error
	opened  time.Time
}

// Dial opens the connection of the first request in the background, while the caller does
// something else. Nothing is sent over it before that request but the TLS handshake. The
// end of ctx ends the attempt; Close closes a connection that was not used. Dial does
// nothing if HTTP is set, if the server is reached through a proxy, or if a connection was
// opened before. A failure is not reported: the first request connects again.
func (c *Client) Dial(ctx context.Context) {
	target, err := url.Parse(Endpoint(c.URL))
	if c.HTTP != nil || err != nil || target.Hostname() == "" {
		return
	}
	if proxy, err := http.ProxyFromEnvironment(&http.Request{URL: target}); proxy != nil || err != nil {
		return
	}
	switch target.Scheme {
	case "https":
		go x509.SystemCertPool() // read once; the handshake needs it a round trip later
		c.connection.dialEarly(ctx, address(target, "443"), dialTLS)
	case "http":
		c.connection.dialEarly(ctx, address(target, "80"), dial)
	}
}

// address returns host and port of a URL.
func address(target *url.URL, port string) string {
	if target.Port() != "" {
		port = target.Port()
	}
	return net.JoinHostPort(target.Hostname(), port)
}

type dialer func(ctx context.Context, network, address string) (net.Conn, error)

func dial(ctx context.Context, network, address string) (net.Conn, error) {
	return (&net.Dialer{Timeout: dialTime}).DialContext(ctx, network, address)
}

// dialTLS opens a connection with TLS for either version of HTTP.
func dialTLS(ctx context.Context, network, address string) (net.Conn, error) {
	plain, err := dial(ctx, network, address)
	if err != nil {
		return nil, err
	}
	host, _, err := net.SplitHostPort(address)
	if err != nil {
		plain.Close()
		return nil, err
	}
	conn := tls.Client(plain, &tls.Config{ServerName: host, NextProtos: []string{"h2", "http/1.1"}})
	ctx, cancel := context.WithTimeoutCause(ctx, dialTime, errHandshake)
	defer cancel()
	if err := conn.HandshakeContext(ctx); err != nil {
		plain.Close()
		return nil, ended(ctx, err)
	}
	return conn, nil
}

// errHandshake means that a server did not complete the TLS handshake in time.
var errHandshake = errors.New("TLS handshake timeout")

// dialEarly starts opening a connection, unless there is or was one.
func (c *connection) dialEarly(ctx context.Context, address string, open dialer) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.client != nil || c.early != nil {
		return
	}
	ctx, stop := context.WithCancel(ctx)
	e := &early{address: address, stop: stop, ready: make(chan struct{})}
	c.early = e
	go func() {
		defer close(e.ready)
		e.conn, e.err = open(ctx, "tcp", address)
		e.opened = time.Now()
	}()
}

// orEarly returns a dialer that uses the connection that was opened early, if it is for
// that address and can still be used.
func (c *connection) orEarly(open dialer) dialer {
	return func(ctx context.Context, network, address string) (net.Conn, error) {
		conn, err := c.takeEarly(ctx, address)
		if conn != nil || err != nil {
			return conn, err
		}
		return open(ctx, network, address)
	}
}

// takeEarly waits for the connection that is being opened, if there is one. The error is the error
// of ctx, or says that connecting took too long.
func (c *connection) takeEarly(ctx context.Context, address string) (net.Conn, error) {
	c.mu.Lock()
	e := c.early
	if e == nil || e.address != address {
		c.mu.Unlock()
		return nil, nil
	}
	c.early = nil
	c.mu.Unlock()
	select {
	case <-e.ready:
	case <-ctx.Done():
		e.discard()
		return nil, ctx.Err()
	}
	defer e.stop()
	switch {
	case e.err != nil && (os.IsTimeout(e.err) || errors.Is(e.err, errHandshake)):
		return nil, e.err
	case e.err != nil:
		return nil, nil // it may work now
	case time.Since(e.opened) > earlyTime:
		e.discard()
		return nil, nil
	}
	c.tookEarly.Store(true)
	return e.conn, nil
}

// discard closes the connection, also if it is not open yet.
func (e *early) discard() {
	e.stop()
	go func() {
		<-e.ready
		if e.conn != nil {
			e.conn.Close()
		}
	}()
}
