package fetch

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"time"

	"github.com/chibi-host/chibi/permissions"
	"github.com/chibi-host/chibi/permissions/urls"
	"github.com/chibi-host/chibi/tools"
)

const (
	lookupTime   = 5 * time.Second
	maxAddresses = 16 // of a name; the others are neither judged nor used
)

// place is a URL with the addresses of its host: the rules decide about them, then they are used.
type place struct {
	fetcher
	url       urls.URL
	addresses []netip.Addr // nil: not looked up yet
	wrong     error        // why there are none
	isJudged  bool         // somebody saw all addresses
}

// newPlace returns where a URL leads. A name is not looked up.
func (f fetcher) newPlace(u urls.URL) *place {
	p := &place{fetcher: f, url: u}
	if u.Address().IsValid() {
		p.addresses = []netip.Addr{u.Address()}
	}
	return p
}

func (p *place) access() tools.Access {
	if p.addresses == nil {
		return tools.Access{URL: p.url.String(), Resolve: p.resolve}
	}
	p.isJudged = true
	return tools.Access{URL: p.url.String(), Addresses: p.addresses}
}

// resolve returns the addresses that will be used. A name without one leads nowhere, so
// that there is nothing to judge, unless a proxy may know it.
func (p *place) resolve(ctx context.Context) []netip.Addr {
	p.lookUp(ctx)
	p.isJudged = true
	if proxy, err := p.proxy(); len(p.addresses) == 0 && proxy == nil && err == nil {
		return nil
	}
	return p.addresses
}

// proxy returns the proxy by way of which the place is reached, nil for none.
func (p *place) proxy() (*url.URL, error) {
	if p.isLocal() {
		return nil, nil
	}
	request, err := http.NewRequest(http.MethodGet, p.url.String(), nil)
	if err != nil {
		return nil, err
	}
	return p.Proxy(request)
}

// lookUp finds the addresses of a name, once: the rules see the first answer, and only it is used, so
// that a name cannot have another address afterwards.
func (p *place) lookUp(ctx context.Context) {
	if p.addresses != nil {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, lookupTime)
	defer cancel()
	found, err := p.Resolver.LookupNetIP(ctx, "ip", p.url.Host())
	p.addresses = []netip.Addr{}
	for _, address := range found[:min(len(found), maxAddresses)] {
		p.addresses = append(p.addresses, address.Unmap())
	}
	switch wrapped := new(net.DNSError); {
	case errors.As(err, &wrapped) && wrapped.IsNotFound, err == nil && len(found) == 0:
		p.wrong = fmt.Errorf("there is no host %s", p.url.Host())
	case err != nil:
		p.wrong = fmt.Errorf("looking up %s: %w", p.url.Host(), err)
	}
}

// check refuses a place that nobody has judged, unless all its addresses are public.
func (p *place) check(ctx context.Context) error {
	p.lookUp(ctx)
	switch target := p.target(); {
	case p.isJudged:
		return nil
	case target.Class == urls.Unresolved:
		return p.wrong
	case target.IsSensitive():
		return fmt.Errorf("%s is refused: %s, and nothing allows that", p.url, target.Reason)
	}
	return nil
}

// target is where the place leads, as far as that is known.
func (p *place) target() permissions.Target {
	return permissions.TargetOf(tools.Access{URL: p.url.String(), Addresses: p.addresses})
}

func (p *place) isLocal() bool {
	return p.url.Class() == urls.Loopback || len(p.addresses) > 0 &&
		!slices.ContainsFunc(p.addresses, func(a netip.Addr) bool { return urls.ClassOf(a) != urls.Loopback })
}
