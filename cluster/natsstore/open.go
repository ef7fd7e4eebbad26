package natsstore

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/chibi-host/chibi/store"
)

const (
	// needsMajor and needsMinor are the oldest server that has what is used: times to live
	// of messages, and many messages for one request.
	needsMajor, needsMinor = 2, 11
	// minPayload is the smallest max_payload of a server that a piece of a large value fits
	// into.
	minPayload = 512 << 10
)

// Driver returns the engine's driver.
func Driver() store.Driver { return store.Driver{Open: open, Init: initialize} }

// open connects to a store and checks its format.
func open(ctx context.Context, o store.Options) (*store.Engine, error) {
	o = o.WithDefaults()
	c, err := connect(ctx, o)
	if err != nil {
		return nil, err
	}
	e := newEngine(c, o)
	if err := e.checkFormat(ctx); err != nil {
		c.nc.Close()
		return nil, fmt.Errorf("store %s: %w", c.place, err)
	}
	return e.engine(), nil
}

// checkFormat reads the format number, the first thing that is asked of a store.
func (e *engine) checkFormat(ctx context.Context) error {
	_, err := store.CheckFormat(ctx, e.docs, e.options)
	var denied *deniedError
	var gone *passing
	switch {
	case errors.Is(err, store.ErrNotFound):
		return &explained{fmt.Sprintf("there is no home %q; chibi store init makes it", e.c.place.home), store.ErrNotFound}
	case errors.As(err, &denied):
		return fmt.Errorf("%w; check the home in the URL, and what the user may do", denied)
	case errors.As(err, &gone):
		return gone // which document was asked for says nothing to a person
	}
	return err
}

func connect(ctx context.Context, o store.Options) (*connection, error) {
	p, err := parsePlace(o.URL)
	if err != nil {
		return nil, err
	}
	who, err := identity(p, o)
	if err != nil {
		return nil, err
	}
	c := &connection{place: p, layout: layout{p.home}, timeout: o.Timeout, calls: map[*call]bool{}}
	err = c.dial(ctx, append(c.options(o.Program), who...))
	if errors.Is(err, store.ErrDenied) {
		err = &explained{fmt.Sprintf("the server refuses %s (%v); check the user and the credentials", userOf(p, o), err),
			store.ErrDenied}
	}
	if err != nil {
		return nil, fmt.Errorf("store %s: %w", p, err)
	}
	if err := c.checkServer(); err != nil {
		c.nc.Close()
		return nil, fmt.Errorf("store %s: %w", p, err)
	}
	return c, nil
}

// options are how the client library behaves.
func (c *connection) options(program string) []nats.Option {
	return []nats.Option{
		nats.Name(program),
		nats.CustomInboxPrefix(c.layout.inbox()),
		nats.Timeout(dialTime),
		nats.ErrorHandler(c.heard), // without one, the library writes to standard error
		nats.DisconnectErrHandler(c.dropped),
		nats.PingInterval(pingTime),
		nats.MaxPingsOutstanding(maxPings),
		nats.MaxReconnects(-1),
		nats.IgnoreAuthErrorAbort(),
		nats.CustomReconnectDelay(func(attempts int) time.Duration {
			return min(firstPause<<min(attempts, 10), longestPause)
		}),
		nats.ReconnectBufSize(-1), // what cannot be sent is repeated by the caller, not later by the library
	}
}

// dial tries the servers again and again until one takes the connection.
func (c *connection) dial(ctx context.Context, options []nats.Option) error {
	within, cancel := context.WithTimeout(ctx, c.timeout)
	defer cancel()
	for pause := firstPause; ; pause = min(2*pause, longestPause) {
		nc, err := nats.Connect(c.place.urls(), options...)
		if err == nil {
			c.nc = nc
			return nil
		}
		if final := refused(err); final != nil {
			return final
		}
		select {
		case <-time.After(pause):
			continue
		case <-within.Done():
		}
		if ctx.Err() != nil {
			return errors.Join(&passing{err.Error()}, context.Cause(ctx))
		}
		if errors.Is(err, nats.ErrNoServers) {
			err = errors.New("no server can be reached")
		}
		return fmt.Errorf("no connection within %v: %w", c.timeout, &passing{err.Error()})
	}
}

// refused returns the error of a connection that will not succeed later either, or nil.
func refused(err error) error {
	var certificate *tls.CertificateVerificationError
	var authority x509.UnknownAuthorityError
	switch {
	case errors.Is(err, nats.ErrAuthorization), errors.Is(err, nats.ErrAuthExpired), errors.Is(err, nats.ErrAuthRevoked),
		errors.Is(err, nats.ErrAccountAuthExpired):
		return &explained{err.Error(), store.ErrDenied}
	case errors.As(err, &certificate), errors.As(err, &authority):
		return fmt.Errorf("the server's certificate is not trusted (%w); name the authority's certificate with store_ca", err)
	case errors.Is(err, nats.ErrSecureConnWanted):
		return errors.New("the server has no TLS, which the URL or store_ca asks for")
	case errors.Is(err, nats.ErrNkeysNotSupported):
		return errors.New("the server does not know the user of the credentials file")
	}
	return nil
}

// checkServer reports a server that cannot keep a store.
func (c *connection) checkServer() error {
	version := c.nc.ConnectedServerVersion()
	if !isRecent(version) {
		return fmt.Errorf("nats-server %.40q is too old; %d.%d or newer is needed", version, needsMajor, needsMinor)
	}
	if limit := c.nc.MaxPayload(); limit < minPayload {
		return fmt.Errorf("the server's max_payload is %d bytes, and at least %d are needed", limit, minPayload)
	}
	return nil
}

// isRecent reports whether a version such as "2.15.2" is not too old.
func isRecent(version string) bool {
	first, rest, _ := strings.Cut(version, ".")
	second, _, _ := strings.Cut(rest, ".")
	major, err := strconv.Atoi(first)
	if err != nil {
		return false
	}
	minor, err := strconv.Atoi(second)
	return err == nil && (major > needsMajor || major == needsMajor && minor >= needsMinor)
}
