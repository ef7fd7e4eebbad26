package natsstore

import (
	"bytes"
	"crypto/x509"
	"fmt"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nkeys"

	"github.com/chibi-host/chibi/internal/disk"
	"github.com/chibi-host/chibi/store"
)

// maxCredentials bounds a credentials file, maxCertificates one with certificates, in bytes.
const (
	maxCredentials  = 64 << 10
	maxCertificates = 4 << 20
)

// identity returns the options that say who we are and whom we trust.
func identity(p place, o store.Options) ([]nats.Option, error) {
	var options []nats.Option
	if o.Credentials != "" {
		user, err := credentials(o.Credentials)
		if err != nil {
			return nil, fmt.Errorf("credentials for the store: %w", err)
		}
		options = append(options, user)
	}
	if p.user != nil {
		if password, has := p.user.Password(); has {
			options = append(options, nats.UserInfo(p.user.Username(), password))
		} else {
			options = append(options, nats.Token(p.user.Username()))
		}
	}
	if p.scheme == "tls" {
		options = append(options, nats.Secure())
	}
	if o.CA != "" {
		pool, err := readCA(o.CA)
		if err != nil {
			return nil, fmt.Errorf("certificates for the store: %w", err)
		}
		options = append(options, nats.ClientTLSConfig(nil, func() (*x509.CertPool, error) { return pool, nil }))
	}
	return options, nil
}

// userOf names who connects, for a person who is refused.
func userOf(p place, o store.Options) string {
	if o.Credentials != "" {
		return "the user of " + o.Credentials
	}
	if p.user == nil {
		return "a connection without a user"
	}
	if _, has := p.user.Password(); has {
		return fmt.Sprintf("the user %q", p.user.Username())
	}
	return "the token in the URL"
}

// credentials reads a credentials file: a JWT and a key, or only a key, as nk makes it.
func credentials(path string) (nats.Option, error) {
	text, err := disk.ReadPrivate(path, maxCredentials)
	if err != nil {
		return nil, err
	}
	if bytes.Contains(text, []byte("BEGIN NATS USER JWT")) {
		return nats.UserCredentialBytes(text), nil
	}
	key, err := nkeys.ParseDecoratedNKey(text)
	if err != nil {
		return nil, fmt.Errorf("%s has neither a JWT with a key nor a key (SU...): %w", path, err)
	}
	public, err := key.PublicKey()
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return nats.Nkey(public, key.Sign), nil
}

func readCA(path string) (*x509.CertPool, error) {
	text, err := disk.ReadFile(disk.OS{}, path, maxCertificates)
	if err != nil {
		return nil, err
	}
	pool := x509.NewCertPool()
	if !pool.AppendCertsFromPEM(text) {
		return nil, fmt.Errorf("%s has no certificates in PEM", path)
	}
	return pool, nil
}
