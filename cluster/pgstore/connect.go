package pgstore

import (
	"cmp"
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"net"
	"strings"
	"time"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/chibi-host/chibi/internal/disk"
	"github.com/chibi-host/chibi/store"
)

const (
	// maxMessage bounds what the server sends in one piece: a row with the largest value.
	maxMessage = maxValue + 1<<20
	// maxPEM bounds a file with certificates, in bytes.
	maxPEM = 4 << 20
	// keepAlive is after how long a silent connection is tried, and how often.
	keepAlive   = 10 * time.Second
	hostTimeout = 5 * time.Second
)

// newConfig makes the configuration of connections. All of it comes from the options: the
// variables and files of libpq, such as PGHOST and ~/.pgpass, do not count.
func newConfig(t target, o store.Options) (*pgconn.Config, error) {
	c, err := pgconn.ParseConfig("host=127.0.0.1 user=chibi sslmode=disable passfile=")
	if err != nil {
		return nil, fmt.Errorf("an environment variable of PostgreSQL's clients is in the way: %w", err)
	}
	c.User, c.Database, c.Password = t.user, t.database, t.password
	if o.Credentials != "" {
		if c.Password, err = passwordFor(t, o.Credentials); err != nil {
			return nil, fmt.Errorf("store_credentials: %w", err)
		}
	}
	roots, err := readRoots(o.CA)
	if err != nil {
		return nil, fmt.Errorf("store_ca: %w", err)
	}
	certificates, err := t.certificates()
	if err != nil {
		return nil, fmt.Errorf("sslcert and sslkey of the store's URL: %w", err)
	}
	c.Fallbacks = nil
	for i, h := range t.hosts {
		secure := t.tlsConfig(h, roots, certificates)
		if i == 0 {
			c.Host, c.Port, c.TLSConfig = h.name, h.port, secure
			continue
		}
		c.Fallbacks = append(c.Fallbacks, &pgconn.FallbackConfig{Host: h.name, Port: h.port, TLSConfig: secure})
	}
	c.RuntimeParams = map[string]string{"application_name": applicationName(o.Program)}
	c.MinProtocolVersion, c.MaxProtocolVersion = "3.0", "3.0"
	c.MaxProtocolMessageBodyLen = maxMessage
	c.ConnectTimeout = hostTimeout
	c.OnNotice = noteCutShort
	dialer := net.Dialer{KeepAliveConfig: net.KeepAliveConfig{Enable: true, Idle: keepAlive, Interval: keepAlive,
		Count: 3}}
	c.DialFunc = dialer.DialContext
	return c, nil
}

// applicationName is what the server's list of connections shows.
func applicationName(program string) string {
	program = strings.Map(func(c rune) rune {
		if c < ' ' || c > '~' {
			return '?'
		}
		return c
	}, program)
	program = cmp.Or(program, "chibi")
	return program[:min(len(program), maxName)]
}

// readRoots reads the certificates that are trusted; nil: the system's.
func readRoots(file string) (*x509.CertPool, error) {
	if file == "" {
		return nil, nil
	}
	pem, err := disk.ReadFile(disk.OS{}, file, maxPEM)
	if err != nil {
		return nil, err
	}
	roots := x509.NewCertPool()
	if !roots.AppendCertsFromPEM(pem) {
		return nil, fmt.Errorf("%s has no certificate in PEM format", file)
	}
	return roots, nil
}

// certificates reads the client's certificate, if there is one.
func (t *target) certificates() ([]tls.Certificate, error) {
	if t.sslCert == "" {
		return nil, nil
	}
	cert, err := disk.ReadFile(disk.OS{}, t.sslCert, maxPEM)
	if err != nil {
		return nil, err
	}
	key, err := disk.ReadPrivate(t.sslKey, maxCredentials)
	if err != nil {
		return nil, err
	}
	pair, err := tls.X509KeyPair(cert, []byte(key))
	return []tls.Certificate{pair}, err
}

// tlsConfig is how a host is talked to; nil: without TLS, as through a socket always.
func (t *target) tlsConfig(h host, roots *x509.CertPool, certificates []tls.Certificate) *tls.Config {
	if t.sslMode == sslDisable || strings.HasPrefix(h.name, "/") {
		return nil
	}
	c := &tls.Config{ServerName: h.name, RootCAs: roots, Certificates: certificates, MinVersion: tls.VersionTLS12}
	switch t.sslMode {
	case sslRequire:
		c.InsecureSkipVerify = true
	case sslVerifyCA:
		c.InsecureSkipVerify = true // of the name; the chain is verified here
		c.VerifyConnection = func(state tls.ConnectionState) error {
			chain := x509.VerifyOptions{Roots: roots, Intermediates: x509.NewCertPool()}
			for _, certificate := range state.PeerCertificates[1:] {
				chain.Intermediates.AddCert(certificate)
			}
			_, err := state.PeerCertificates[0].Verify(chain)
			return err
		}
	}
	return c
}
