// Package urls knows URLs that may be fetched: their one canonical spelling, what kind of
// address they lead to, and patterns of them. It is pure: it looks up no names.
//
// It promises that the host of a [URL] is the host that an HTTP client connects to when it
// is given the canonical text, so the rules see the URL that is fetched.
package urls

import (
	"errors"
	"fmt"
	"net/netip"
	"net/url"
	"strconv"
	"strings"
)

// MaxLength is how many bytes a URL may have.
const MaxLength = 8 << 10

// URL is an http or https URL in its canonical spelling: the scheme and the host in lower
// case, the host in ASCII and without a dot at its end, an IPv4 address with four decimal
// numbers however it was written, no port where it is the scheme's own, no user, no
// fragment, no dot segments, and percent signs only where they are needed. The zero value is not a URL.
type URL struct {
	scheme, host, port string
	rest               string // the path and the query
	address            netip.Addr
}

// Parse reads an absolute URL. An error says why chibi cannot fetch it: a scheme other
// than http and https, a user or password, a wrong host, a control
// character, a space or a backslash, or more than [MaxLength] bytes.
func Parse(text string) (URL, error) {
	if len(text) > MaxLength {
		return URL{}, fmt.Errorf("the URL has %d bytes; at most %d are allowed", len(text), MaxLength)
	}
	if i := strings.IndexFunc(text, isRefused); i >= 0 {
		return URL{}, fmt.Errorf("the URL contains the character %q; write it as %%%02X", text[i:i+1], text[i])
	}
	parsed, err := url.Parse(text)
	if err != nil {
		return URL{}, fmt.Errorf("invalid URL: %w", reason(err))
	}
	if err := checkParts(parsed); err != nil {
		return URL{}, err
	}
	u := URL{scheme: parsed.Scheme, rest: canonicalPath(parsed.EscapedPath())}
	if parsed.RawQuery != "" {
		u.rest += "?" + escape(parsed.RawQuery)
	}
	if u.host, u.address, err = canonicalHost(parsed.Hostname(), strings.HasPrefix(parsed.Host, "[")); err != nil {
		return URL{}, err
	}
	if u.port, err = canonicalPort(parsed.Scheme, parsed.Host); err != nil {
		return URL{}, err
	}
	if n := len(u.String()); n > MaxLength {
		return URL{}, fmt.Errorf("the URL has %d bytes when it is escaped; at most %d are allowed", n, MaxLength)
	}
	return u, nil
}

// isRefused reports characters that programs read differently in URLs.
func isRefused(r rune) bool { return r <= ' ' || r == '\\' || r == 0x7f }

// reason is an error of net/url without the URL, which the caller names.
func reason(err error) error {
	if wrapped := new(url.Error); errors.As(err, &wrapped) {
		return wrapped.Err
	}
	return err
}

// checkParts refuses URLs that name nothing on a web server.
func checkParts(u *url.URL) error {
	switch {
	case u.Scheme == "":
		return errors.New("the URL has no scheme; it must begin with https:// or http://")
	case u.Scheme != "http" && u.Scheme != "https":
		return fmt.Errorf("the scheme %q is not supported; only http and https are", u.Scheme)
	case u.User != nil:
		return errors.New("the URL has a user name or password; these are not sent")
	case u.Opaque != "" || u.Host == "":
		return errors.New("the URL has no host")
	}
	return nil
}

// canonicalPort is the port of a URL, "" for the port of its scheme.
func canonicalPort(scheme, hostPort string) (string, error) {
	_, text, found := strings.Cut(hostPort[strings.LastIndexByte(hostPort, ']')+1:], ":")
	if !found || text == "" {
		return "", nil
	}
	port, err := strconv.ParseUint(text, 10, 16)
	if err != nil || port == 0 {
		return "", fmt.Errorf("%.20q is not a port", text)
	}
	if scheme == "http" && port == 80 || scheme == "https" && port == 443 {
		return "", nil
	}
	return strconv.FormatUint(port, 10), nil
}

// IsZero reports whether u is the zero value, which is not a URL.
func (u URL) IsZero() bool { return u.scheme == "" }

// String returns the canonical text, "" for the zero value.
func (u URL) String() string {
	if u.IsZero() {
		return ""
	}
	return u.Origin() + u.rest
}

// Origin returns the scheme, the host and the port, as in "https://example.com:8443".
func (u URL) Origin() string { return u.scheme + "://" + u.authority() }

// authority is the host and the port as in a URL.
func (u URL) authority() string {
	host := u.host
	if u.address.Is6() {
		host = "[" + host + "]"
	}
	if u.port != "" {
		return host + ":" + u.port
	}
	return host
}

// Scheme returns "http" or "https".
func (u URL) Scheme() string { return u.scheme }

// Host returns the name or the address, without brackets and port.
func (u URL) Host() string { return u.host }

// Port returns the port, also where it is the scheme's own.
func (u URL) Port() string {
	switch {
	case u.port != "":
		return u.port
	case u.scheme == "http":
		return "80"
	}
	return "443"
}

// Address returns the host if it is an address; otherwise an invalid address.
func (u URL) Address() netip.Addr { return u.address }

// Join returns the URL that a reference in a document of u leads to: a link, or the
// target of a redirect. Errors come from [Parse].
func (u URL) Join(reference string) (URL, error) {
	if len(reference) > MaxLength {
		return URL{}, fmt.Errorf("the URL has %d bytes; at most %d are allowed", len(reference), MaxLength)
	}
	base, err := url.Parse(u.String())
	if err != nil {
		return URL{}, err
	}
	// Parse of the reference alone would not see what ResolveReference then cleans away.
	if i := strings.IndexFunc(reference, isRefused); i >= 0 {
		return URL{}, fmt.Errorf("the URL contains the character %q", reference[i:i+1])
	}
	target, err := base.Parse(reference)
	if err != nil {
		return URL{}, fmt.Errorf("invalid URL: %w", reason(err))
	}
	return Parse(target.String())
}
