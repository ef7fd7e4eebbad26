package natsstore

import (
	"cmp"
	"errors"
	"fmt"
	"net/netip"
	"net/url"
	"strings"
)

const (
	// maxURL bounds a store's URL in bytes, maxServers the servers that it names.
	maxURL      = 8 << 10
	maxServers  = 64
	maxHome     = 32
	defaultHome = "default"
	defaultPort = "4222"
)

// place is where a store is: what its URL says.
type place struct {
	scheme  string
	servers []string // host:port
	user    *url.Userinfo
	home    string
}

// parsePlace reads a URL such as nats://host:4222,host2/HOME. Its errors do not repeat the
// URL, which may have a password.
func parsePlace(text string) (place, error) {
	if len(text) > maxURL {
		return place{}, fmt.Errorf("the store's URL is longer than %d bytes", maxURL)
	}
	scheme, rest, _ := strings.Cut(text, "://")
	if scheme != "nats" && scheme != "tls" {
		return place{}, errors.New("the store's URL does not begin with nats:// or tls://")
	}
	hosts, home, _ := strings.Cut(rest, "/")
	p := place{scheme: scheme, home: home}
	if home == "" {
		p.home = defaultHome
	}
	if !isHome(p.home) {
		return place{}, fmt.Errorf("the store's URL ends in %q, which is not the name of a home: write 1 to %d of a-z, "+
			"0-9 and _",
			home, maxHome)
	}
	list := strings.Split(hosts, ",")
	if len(list) > maxServers {
		return place{}, fmt.Errorf("the store's URL names more than %d servers", maxServers)
	}
	for _, host := range list {
		if err := p.add(host); err != nil {
			return place{}, err
		}
	}
	return p, nil
}

// add adds a server, written user:password@host:port.
func (p *place) add(host string) error {
	u, err := url.Parse("nats://" + host)
	if err != nil || !isHost(u.Hostname()) || u.RawQuery != "" || u.Fragment != "" || u.Path != "" {
		return errors.New("the store's URL has a server that is not written host:port")
	}
	name := u.Hostname()
	if strings.Contains(name, ":") { // the % before a zone is an escape in a URL
		name = "[" + strings.Replace(name, "%", "%25", 1) + "]"
	}
	p.servers = append(p.servers, name+":"+cmp.Or(u.Port(), defaultPort))
	if p.user == nil {
		p.user = u.User
	}
	return nil
}

// isHost reports whether a text is a name that can be looked up, or an address of IPv4 or IPv6.
func isHost(text string) bool {
	address, zone, _ := strings.Cut(text, "%")
	if strings.Contains(address, ":") {
		_, err := netip.ParseAddr(text)
		return err == nil && !strings.ContainsFunc(zone, isNoLetterOfHosts)
	}
	return text != "" && !strings.ContainsFunc(text, isNoLetterOfHosts)
}

func isNoLetterOfHosts(c rune) bool {
	return !(c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || strings.ContainsRune("-_.", c))
}

func isHome(text string) bool {
	for _, c := range []byte(text) {
		if !(c >= 'a' && c <= 'z' || c >= '0' && c <= '9' || c == '_') {
			return false
		}
	}
	return len(text) >= 1 && len(text) <= maxHome
}

// urls are the servers as the client library wants them.
func (p place) urls() string {
	return p.scheme + "://" + strings.Join(p.servers, ","+p.scheme+"://")
}

// String is the URL without credentials.
func (p place) String() string {
	return p.scheme + "://" + strings.Join(p.servers, ",") + "/" + p.home
}

// hasPassword reports whether the URL has a password or a token.
func (p place) hasPassword() bool { return p.user != nil && p.user.String() != "" }
