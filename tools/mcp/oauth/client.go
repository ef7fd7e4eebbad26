package oauth

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/chibi-host/chibi/permissions/urls"
	"github.com/chibi-host/chibi/tools/mcp"
	"github.com/chibi-host/chibi/tools/mcp/internal/web"
	"github.com/modelcontextprotocol/go-sdk/oauthex"
	"golang.org/x/oauth2"
)

// The bounds of one request to a login server.
const (
	requestTime = 15 * time.Second
	maxAnswer   = 1 << 20
	lookupTime  = 5 * time.Second
)

// client returns a client for the requests of a login: to the MCP server for what it says
// about logins, and to the login server that it names.
func (l Logins) client(s mcp.Server) *http.Client {
	control := refusePrivate(s)
	if proxied() { // then the proxy is what is connected to
		control = nil
	}
	return &http.Client{Transport: &guard{web.NewTransport(control)}, Timeout: l.within}
}

func proxied() bool {
	proxy, err := http.ProxyFromEnvironment(&http.Request{URL: &url.URL{Scheme: "https", Host: "login.example"}})
	return err == nil && proxy != nil
}

// guard follows no redirect, and bounds answers.
type guard struct{ *http.Transport }

// RoundTrip sends a request.
func (g *guard) RoundTrip(req *http.Request) (*http.Response, error) {
	if err := web.CheckURL(req.URL.String()); err != nil {
		return nil, err
	}
	res, err := g.Transport.RoundTrip(req)
	if err != nil {
		return nil, err
	}
	if to := web.Redirect(res); to != "" {
		res.Body.Close()
		return nil, fmt.Errorf("it redirects to %s, which is not followed", to)
	}
	res.Body = &web.Body{ReadCloser: res.Body, Left: maxAnswer, Beyond: func() error {
		return fmt.Errorf("its answer has more than %d MiB", maxAnswer>>20)
	}}
	return res, nil
}

// refusePrivate refuses connections to addresses that are not public, unless the MCP server
// itself has such an address: then its login server may have one, too.
func refusePrivate(s mcp.Server) func(network, address string, _ syscall.RawConn) error {
	isLocal := sync.OnceValue(func() bool { return isLocal(s) })
	return func(_, address string, _ syscall.RawConn) error {
		to, err := netip.ParseAddrPort(address)
		if err != nil {
			return err
		}
		switch class := urls.ClassOf(to.Addr()); {
		case class == urls.Public:
			return nil
		case class == urls.CloudMetadata || !isLocal():
			return fmt.Errorf("%s is a %s address, to which a server on the Internet may not lead", to.Addr(),
				strings.ReplaceAll(string(class), "_", " "))
		}
		return nil
	}
}

// isLocal reports whether an MCP server has an address that is not public.
func isLocal(s mcp.Server) bool {
	u, err := url.Parse(s.URL)
	if err != nil {
		return false
	}
	ctx, cancel := context.WithTimeout(context.Background(), lookupTime)
	defer cancel()
	found, err := net.DefaultResolver.LookupNetIP(ctx, "ip", u.Hostname())
	if err != nil || len(found) == 0 {
		return false
	}
	return !slices.ContainsFunc(found, func(address netip.Addr) bool { return urls.ClassOf(address) == urls.Public })
}

// explain returns an error of a login as a person may read it: in one line, without what
// the server wrote into bodies, which may have tokens in them, and without queries of URLs.
func explain(err error) error {
	var refused *oauth2.RetrieveError
	var registration *oauthex.ClientRegistrationError
	var request *url.Error
	switch {
	case errors.Is(err, context.Canceled):
		return context.Canceled
	case errors.As(err, &refused) && refused.ErrorCode != "":
		return serverError(refused.ErrorCode, refused.ErrorDescription)
	case errors.As(err, &refused):
		return fmt.Errorf("the login server answered %s", web.Text(refused.Response.Status))
	case errors.As(err, &registration):
		return fmt.Errorf("registering: %w", serverError(registration.ErrorCode, registration.ErrorDescription))
	case errors.As(err, &request) && request.Timeout():
		return fmt.Errorf("%s did not answer in time", web.Shown(request.URL))
	case errors.As(err, &request):
		return fmt.Errorf("%s: %s", web.Shown(request.URL), web.Text(request.Err.Error()))
	}
	text := err.Error()
	if before, _, cut := strings.Cut(text, "registration response: "); cut { // what follows has the body
		text = before + "registration response"
	}
	return errors.New(web.Text(text))
}

// serverError is an error that a login server names.
func serverError(code, description string) error {
	if description == "" {
		return fmt.Errorf("the login server answered %q", web.Text(code))
	}
	return fmt.Errorf("the login server answered %q: %s", web.Text(code), web.Text(description))
}
