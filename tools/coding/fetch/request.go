package fetch

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"strconv"
	"time"
)

const maxHeaders = 256 << 10

type response struct {
	*http.Response
	place     *place
	redirects int
	transport *http.Transport

	body  []byte
	title string   // of a page
	notes []string // what the model should know about the body
}

// close gives the connection up.
func (r *response) close() {
	r.Body.Close()
	r.transport.CloseIdleConnections()
}

// get sends the request for a place. It follows no redirect.
func (p *plan) get(ctx context.Context, at *place) (*response, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, at.url.String(), nil)
	if err != nil {
		return nil, err
	}
	request.Header.Set("User-Agent", p.userAgent())
	request.Header.Set("Accept", "text/markdown, text/html;q=0.9, text/plain;q=0.9, */*;q=0.5")
	transport, err := at.transport()
	if err != nil {
		return nil, fmt.Errorf("fetching %s: %w", at.url, err)
	}
	got, err := transport.RoundTrip(request)
	if err != nil {
		transport.CloseIdleConnections()
		return nil, fmt.Errorf("fetching %s: %w", at.url, err)
	}
	return &response{Response: got, place: at, transport: transport}, nil
}

func (f fetcher) userAgent() string {
	if f.Version == "" {
		return "chibi"
	}
	return "chibi/" + f.Version
}

// transport returns what sends one request to a place: to its own addresses, or by way
// of a proxy.
func (p *place) transport() (*http.Transport, error) {
	proxy, err := p.proxy()
	if err != nil {
		return nil, err
	}
	t := &http.Transport{
		Proxy:                  http.ProxyURL(proxy),
		MaxResponseHeaderBytes: maxHeaders,
		ForceAttemptHTTP2:      true,
		TLSClientConfig:        &tls.Config{RootCAs: p.Roots},
	}
	if proxy == nil {
		t.DialContext = p.dial
	}
	return t, nil
}

// dialTime bounds the attempt to connect to one of several addresses.
const dialTime = 5 * time.Second

// dial connects to one of the addresses that the rules saw.
func (p *place) dial(ctx context.Context, network, hostPort string) (net.Conn, error) {
	if p.lookUp(ctx); p.wrong != nil {
		return nil, p.wrong
	}
	_, portText, err := net.SplitHostPort(hostPort)
	if err != nil {
		return nil, err
	}
	port, err := strconv.ParseUint(portText, 10, 16)
	if err != nil {
		return nil, err
	}
	var failures []error
	for i, address := range p.addresses {
		dialer := net.Dialer{}
		if i < len(p.addresses)-1 {
			dialer.Timeout = dialTime
		}
		conn, err := dialer.DialContext(ctx, network, netip.AddrPortFrom(address, uint16(port)).String())
		if err == nil {
			return conn, nil
		}
		failures = append(failures, err)
	}
	return nil, errors.Join(failures...)
}
