package pgstore

import (
	"errors"
	"fmt"
	"net"
	"net/url"
	"path"
	"slices"
	"strconv"
	"strings"
)

// target is what a URL of a store says.
type target struct {
	user, password string
	hosts          []host
	database       string
	home           string
	sslMode        string
	// sslCert and sslKey are paths of a client's certificate and key.
	sslCert, sslKey string
	// grants are the roles that Init lets use the home.
	grants []string
}

// host is a server, by name or address, or by the directory of its socket.
type host struct {
	name string
	port uint16
}

// The modes of TLS, as PostgreSQL names them.
const (
	sslDisable    = "disable"
	sslRequire    = "require"
	sslVerifyCA   = "verify-ca"
	sslVerifyFull = "verify-full"
)

const (
	defaultPort = 5432
	defaultHome = "default"
	maxHosts    = 16
)

// parseURL reads the URL of a store. Its errors do not contain the password.
func parseURL(text string) (target, error) {
	_, rest, ok := strings.Cut(text, "://")
	if !ok {
		return target{}, errors.New("a store's URL begins with postgres://")
	}
	// Several hosts are not a URL by the rules of net/url, so they are cut out before it.
	end := strings.IndexAny(rest, "/?#")
	if end < 0 {
		end = len(rest)
	}
	authority, tail := rest[:end], rest[end:]
	if strings.Contains(tail, "@") {
		return target{}, errTail // what was read as a host would be a password
	}
	t := target{home: defaultHome}
	if err := t.setAuthority(authority); err != nil {
		return target{}, err
	}
	u, err := url.Parse(tail)
	if err != nil || u.Fragment != "" {
		return target{}, errors.New("the store's URL does not go on after the host with /DATABASE?NAME=VALUE&...; " +
			"write / ? # and % as %2F, %3F, %23 and %25 in user, password and names")
	}
	t.database = strings.TrimPrefix(u.Path, "/")
	query, err := url.ParseQuery(u.RawQuery)
	if err != nil {
		return target{}, errors.New("the store's URL has no list NAME=VALUE&NAME=VALUE after the ?")
	}
	if err := t.setOptions(query); err != nil {
		return target{}, err
	}
	return t, t.check()
}

// errTail reports a URL that may have been cut in the midst of a password.
var errTail = errors.New("the store's URL does not go on after the hosts with /DATABASE?NAME=VALUE&...; " +
	"in user, password and values write @ / ? # and % as %40, %2F, %3F, %23 and %25")

// setAuthority reads USER:PASSWORD@HOST:PORT,HOST:PORT.
func (t *target) setAuthority(authority string) error {
	at := strings.LastIndexByte(authority, '@')
	if at >= 0 {
		user, password, _ := strings.Cut(authority[:at], ":")
		var errUser, errPassword error
		t.user, errUser = url.PathUnescape(user)
		t.password, errPassword = url.PathUnescape(password)
		if errUser != nil || errPassword != nil {
			return errors.New("the user or password in the store's URL has a % that is not followed by two hex digits")
		}
	}
	list := strings.Split(authority[at+1:], ",")
	if len(list) > maxHosts {
		return fmt.Errorf("the store's URL names %d hosts; at most %d are tried", len(list), maxHosts)
	}
	for _, text := range list {
		if text == "" && len(list) == 1 {
			return nil // the option host may name a socket
		}
		h, err := parseHost(text)
		if err != nil {
			return fmt.Errorf("host %d in the store's URL %w", len(t.hosts)+1, err) // not the text: it may be a password
		}
		t.hosts = append(t.hosts, h)
	}
	return nil
}

func parseHost(text string) (host, error) {
	name, port := text, ""
	if i := strings.LastIndexByte(text, ':'); i >= 0 && !strings.HasSuffix(text, "]") {
		name, port = text[:i], text[i+1:]
	}
	inner, isBracketed := strings.CutPrefix(name, "[")
	if isBracketed {
		name = strings.TrimSuffix(inner, "]")
	}
	h := host{name: name, port: defaultPort}
	isAddress := isBracketed && net.ParseIP(name) != nil
	if !isAddress && (name == "" || strings.ContainsFunc(name, isNotOfHost)) {
		return host{}, errors.New("is not HOST or HOST:PORT; an IPv6 address is written in brackets")
	}
	if port == "" {
		return h, nil
	}
	n, err := strconv.ParseUint(port, 10, 16)
	if err != nil || n == 0 {
		return host{}, errors.New("has no port from 1 to 65535 after the colon")
	}
	h.port = uint16(n)
	return h, nil
}

func isNotOfHost(c rune) bool {
	return (c < 'a' || c > 'z') && (c < 'A' || c > 'Z') && (c < '0' || c > '9') && !strings.ContainsRune(".-_", c)
}

func (t *target) setOptions(query url.Values) error {
	for name, values := range query {
		if len(values) != 1 {
			return fmt.Errorf("the store's URL has %q more than once", name)
		}
		value := values[0]
		switch name {
		case "home":
			t.home = value
		case "sslmode":
			t.sslMode = value
		case "sslcert":
			t.sslCert = value
		case "sslkey":
			t.sslKey = value
		case "grant":
			t.grants = strings.Split(value, ",")
		case "host":
			if err := t.setSocket(value); err != nil {
				return err
			}
		default:
			return fmt.Errorf("the store's URL has the unknown option %q; there are home, sslmode, sslcert, sslkey, host and "+
				"grant",
				name)
		}
	}
	return nil
}

// setSocket reads the option host: a directory, with the port that names the socket.
func (t *target) setSocket(value string) error {
	dir, port := value, uint64(defaultPort)
	if i := strings.LastIndexByte(value, ':'); i >= 0 {
		n, err := strconv.ParseUint(value[i+1:], 10, 16)
		if err != nil || n == 0 {
			return fmt.Errorf("host=%s in the store's URL has no port from 1 to 65535 after the colon", value)
		}
		dir, port = value[:i], n
	}
	if !path.IsAbs(dir) || len(t.hosts) > 0 {
		return errors.New("host= in the store's URL is the absolute path of a socket's directory, " +
			"as in postgres://USER@/DATABASE?host=/var/run/postgresql; other hosts stand after the @")
	}
	t.hosts = []host{{name: dir, port: uint16(port)}}
	return nil
}

// check reports what is missing, and fills in what follows from the rest.
func (t *target) check() error {
	switch {
	case len(t.hosts) == 0:
		return errors.New("the store's URL names no host: postgres://USER@HOST/DATABASE")
	case t.user == "":
		return errors.New("the store's URL names no user: postgres://USER@HOST/DATABASE")
	case t.database == "" || strings.Contains(t.database, "/"):
		return errors.New("the store's URL names no database: postgres://USER@HOST/DATABASE?home=HOME")
	case strings.ContainsRune(t.user+t.password+t.database, 0):
		return errors.New("the store's URL has a NUL in it")
	case !isHome(t.home):
		return fmt.Errorf("home=%s in the store's URL: a home is 1 to 32 of a-z, 0-9 and _", t.home)
	case (t.sslCert == "") != (t.sslKey == ""):
		return errors.New("the store's URL needs both sslcert and sslkey, or neither")
	}
	if t.sslMode == "" {
		t.sslMode = sslVerifyFull
		if t.isLocal() {
			t.sslMode = sslDisable
		}
	}
	if !slices.Contains([]string{sslDisable, sslRequire, sslVerifyCA, sslVerifyFull}, t.sslMode) {
		return fmt.Errorf("sslmode=%s in the store's URL is not disable, require, verify-ca or verify-full", t.sslMode)
	}
	for _, role := range t.grants {
		if role == "" || len(role) > maxName || strings.ContainsRune(role, 0) {
			return errors.New("grant= in the store's URL is a list of roles, apart by commas")
		}
	}
	return nil
}

// maxName is the longest name of PostgreSQL, in bytes; it cuts longer ones.
const maxName = 63

// isHome reports whether a text may name a home, and so a schema.
func isHome(home string) bool {
	isOther := func(c rune) bool { return (c < 'a' || c > 'z') && (c < '0' || c > '9') && c != '_' }
	return home != "" && len(home) <= 32 && !strings.ContainsFunc(home, isOther)
}

// isLocal reports whether all hosts are this machine.
func (t *target) isLocal() bool {
	return !slices.ContainsFunc(t.hosts, func(h host) bool {
		ip := net.ParseIP(h.name)
		return h.name != "localhost" && !path.IsAbs(h.name) && (ip == nil || !ip.IsLoopback())
	})
}

func (t *target) schema() string { return "chibi_" + t.home }

// String is the URL without the password.
func (t *target) String() string {
	var hosts []string
	u := url.URL{Path: "/" + t.database}
	query := url.Values{"home": {t.home}, "sslmode": {t.sslMode}}
	for _, h := range t.hosts {
		port := strconv.Itoa(int(h.port))
		if path.IsAbs(h.name) {
			query.Set("host", h.name+":"+port)
			continue
		}
		hosts = append(hosts, net.JoinHostPort(h.name, port))
	}
	u.RawQuery = query.Encode()
	return "postgres://" + url.PathEscape(t.user) + "@" + strings.Join(hosts, ",") + u.String()
}
