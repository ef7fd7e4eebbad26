//go:build unix

package pgstore_test

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"errors"
	"math/big"
	"net"
	"strings"
	"testing"
	"time"

	"github.com/chibi-host/chibi/cluster/pgstore"
	"github.com/chibi-host/chibi/store"
)

// certificate makes one that signs itself, for a name or address.
func certificate(t *testing.T, name string) (cert, key string) {
	t.Helper()
	private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := x509.Certificate{SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: name},
		DNSNames:  []string{name},
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour), IsCA: true, BasicConstraintsValid: true}
	if ip := net.ParseIP(name); ip != nil {
		template.DNSNames, template.IPAddresses = nil, []net.IP{ip}
	}
	der, err := x509.CreateCertificate(rand.Reader, &template, &template, private.Public(), private)
	if err != nil {
		t.Fatal(err)
	}
	encoded, err := x509.MarshalPKCS8PrivateKey(private)
	if err != nil {
		t.Fatal(err)
	}
	block := func(kind string, bytes []byte) string {
		return string(pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: bytes}))
	}
	return block("CERTIFICATE", der), block("PRIVATE KEY", encoded)
}

func TestTheServersCertificateIsChecked(t *testing.T) {
	s := ownServer(t)
	url := home(t, s, "tls")
	// Without TLS on the server:
	begin := time.Now()
	_, err := pgstore.Driver().Open(t.Context(), store.Options{URL: url + "&sslmode=verify-full"})
	if err == nil || !strings.Contains(err.Error(), "server refused TLS connection; sslmode=verify-full needs a server "+
		"with TLS") {
		t.Error(err)
	}
	saidSoon(t, begin)
	cert, key := certificate(t, "127.0.0.1")
	for name, text := range map[string]string{"server.crt": cert, "server.key": key} {
		if err := s.Write(name, []byte(text)); err != nil {
			t.Fatal(err)
		}
	}
	run(t, s, "alter system set ssl = on")
	s.Shutdown()
	if err := s.Restart(); err != nil {
		t.Fatal(err)
	}
	stranger, _ := certificate(t, "127.0.0.1")
	trusted, other := private(t, cert), private(t, stranger)
	named := strings.Replace(url, "127.0.0.1", "localhost", 1)
	cases := []struct {
		url, ca string
		isGood  bool
	}{
		{url + "&sslmode=verify-full", trusted, true},
		{url + "&sslmode=verify-full", other, false},
		{url + "&sslmode=verify-full", "", false}, // the system's
		{named + "&sslmode=verify-full", trusted, false},
		{named + "&sslmode=verify-ca", trusted, true},
		{named + "&sslmode=verify-ca", other, false},
		{url + "&sslmode=require", "", true},
	}
	for _, c := range cases {
		e, err := pgstore.Driver().Open(t.Context(), store.Options{URL: c.url, CA: c.ca})
		if (err == nil) != c.isGood || err != nil && (errors.Is(err, store.ErrUnavailable) ||
			!strings.Contains(err.Error(), "whose certificate is trusted")) {
			t.Errorf("%s: %v", c.url, err)
		}
		if err == nil {
			e.Close()
		}
	}
	_, err = pgstore.Driver().Open(t.Context(), store.Options{URL: url + "&sslmode=verify-full", CA: private(t, "no PEM")})
	if err == nil || !strings.Contains(err.Error(), "store_ca: ") || !strings.Contains(err.Error(), "has no certificate") {
		t.Error(err)
	}
}
