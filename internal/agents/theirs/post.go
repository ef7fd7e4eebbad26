package theirs

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"syscall"
	"time"

	"github.com/chibi-host/chibi/internal/agents/hooks"
	"github.com/chibi-host/chibi/permissions/urls"
)

// maxHookAnswer bounds the answer of an HTTP handler, in bytes.
const maxHookAnswer = 8 << 20

// Poster posts events to hooks that are URLs. It reaches this machine and public addresses, and with AllowPrivate
// private networks too.
type Poster struct{ AllowPrivate bool }

// Post sends a payload. It follows no redirects and uses no proxy, and reaches only the addresses that p allows.
func (p Poster) Post(ctx context.Context, to hooks.Posting) (status int, body []byte, err error) {
	dialer := net.Dialer{Timeout: 30 * time.Second, Control: p.check}
	transport := &http.Transport{DialContext: dialer.DialContext, DisableKeepAlives: true, ForceAttemptHTTP2: true}
	client := http.Client{Transport: transport,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, to.URL, bytes.NewReader(to.Body))
	if err != nil {
		return 0, nil, err
	}
	for name, value := range to.Headers {
		request.Header.Set(name, value)
	}
	response, err := client.Do(request)
	if err != nil {
		return 0, nil, err
	}
	defer response.Body.Close()
	body, err = io.ReadAll(io.LimitReader(response.Body, maxHookAnswer+1))
	if err == nil && len(body) > maxHookAnswer {
		err = fmt.Errorf("the answer is longer than %d bytes", maxHookAnswer)
	}
	return response.StatusCode, body, err
}

// check refuses addresses of private networks, right before the connection.
func (p Poster) check(_, address string, _ syscall.RawConn) error {
	at, err := netip.ParseAddrPort(address)
	if err != nil {
		return err
	}
	class := urls.ClassOf(at.Addr().Unmap())
	if p.AllowPrivate || class == urls.Public || class == urls.Loopback {
		return nil
	}
	return fmt.Errorf("chibi refuses %s: it is not a public address (%s); [foreign] allow_private = true allows it",
		at.Addr(), class)
}
