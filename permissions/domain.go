package permissions

import (
	"errors"
	"fmt"
	"net/netip"
	"slices"
	"strings"

	"github.com/chibi-host/chibi/permissions/urls"
	"github.com/chibi-host/chibi/tools"
)

// domainPattern is the specifier of a rule about URLs: a host, or all hosts below one.
type domainPattern struct {
	host  string // in its canonical spelling
	below bool   // *.HOST: all below it, not the host itself
	any   bool
}

// parseDomainPattern reads domain:HOST, domain:*.HOST or domain:*.
func parseDomainPattern(text string) (domainPattern, error) {
	host, ok := strings.CutPrefix(text, "domain:")
	if !ok {
		return domainPattern{}, errors.New("a rule about URLs has domain:HOST or domain:*.HOST in its parentheses")
	}
	if host == "*" {
		return domainPattern{any: true}, nil
	}
	var p domainPattern
	host, p.below = strings.CutPrefix(host, "*.")
	address, notAddress := netip.ParseAddr(strings.Trim(host, "[]"))
	switch {
	case host == "":
		return p, errors.New("domain: needs a host behind it")
	case strings.ContainsAny(host, "/?#@"):
		return p, errors.New("domain: takes only a host, without scheme and path")
	case strings.Contains(host, "*"):
		return p, errors.New("in a domain, * can only be the first part")
	case notAddress == nil && address.Is6():
		host = "[" + address.String() + "]"
	case strings.Contains(host, ":"):
		return p, errors.New("domain: takes only a host; the rule holds for all its ports")
	}
	u, err := urls.Parse("http://" + host + "/")
	if err != nil {
		return p, fmt.Errorf("domain: needs a host: %w", err)
	}
	p.host = u.Host()
	return p, nil
}

// match returns how sure it is that the pattern is about a URL.
func (p domainPattern) match(text string) certainty {
	u, err := urls.Parse(text)
	switch {
	case p.any:
		return certain
	case err != nil:
		return possible
	case p.below && strings.HasSuffix(u.Host(), "."+p.host), !p.below && u.Host() == p.host:
		return certain
	}
	return no
}

// concerns returns how sure it is that a rule that denies or asks is about a fetch: by its
// host, or by an address that this has.
func (p domainPattern) concerns(a tools.Access) certainty {
	host := strings.Trim(p.host, "[]")
	if slices.ContainsFunc(a.Addresses, func(addr netip.Addr) bool { return addr.Unmap().String() == host }) {
		return certain
	}
	return p.match(a.URL)
}

// allowsFetch reports whether a rule allows a fetch. One for a host by its name allows the
// address that the name has; others allow public addresses only.
func (r *rule) allowsFetch(a tools.Access) bool {
	target := TargetOf(a)
	switch {
	case r.isBare():
		return !target.IsSensitive()
	case r.notDomain != nil || r.domain.match(a.URL) != certain:
		return false
	case r.domain.below || r.domain.any:
		return !target.IsSensitive()
	}
	return target.NameOpens()
}
