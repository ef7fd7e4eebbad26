package natsstore_test

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"errors"
	"fmt"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nkeys"

	"github.com/chibi-host/chibi/cluster/internal/natstest"
	"github.com/chibi-host/chibi/cluster/natsstore"
	"github.com/chibi-host/chibi/store"
)

// certificate makes a certificate for loopback, which is its own authority, and returns the
// paths of it and of its key.
func certificate(t *testing.T) (cert, key string) {
	t.Helper()
	private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "store"}, NotAfter: time.Now().Add(time.Hour),
		IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}, IsCA: true, BasicConstraintsValid: true,
		KeyUsage: x509.KeyUsageDigitalSignature | x509.KeyUsageCertSign,
	}
	made, err := x509.CreateCertificate(rand.Reader, template, template, private.Public(), private)
	if err != nil {
		t.Fatal(err)
	}
	secret, err := x509.MarshalPKCS8PrivateKey(private)
	if err != nil {
		t.Fatal(err)
	}
	write := func(name, kind string, bytes []byte) string {
		path := filepath.Join(t.TempDir(), name)
		if err := os.WriteFile(path, pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: bytes}), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	return write("cert.pem", "CERTIFICATE", made), write("key.pem", "PRIVATE KEY", secret)
}

func TestTLS(t *testing.T) {
	cert, key := certificate(t)
	s := natstest.Start(t, "", natstest.Always, fmt.Sprintf("tls { cert_file: %q, key_file: %q }", cert, key))
	plain := natstest.Start(t, "", natstest.Always, "")
	secure := "tls://" + s.Address() + "/team"
	init := store.InitOptions{Options: store.Options{URL: secure, CA: cert}, Replicas: 1}
	if _, err := natsstore.Driver().Init(t.Context(), init); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		what string
		o    store.Options
		want string // "": it opens
	}{
		{"with the authority", store.Options{URL: secure, CA: cert}, ""},
		{"nats:// with the authority", store.Options{URL: "nats://" + s.Address() + "/team", CA: cert}, ""},
		{"without the authority", store.Options{URL: secure}, "certificate is not trusted"},
		{"a server without TLS", store.Options{URL: "tls://" + plain.Address() + "/team"}, "the server has no TLS"},
		{"an authority without TLS", store.Options{URL: plain.URL() + "/team", CA: cert}, "the server has no TLS"},
		{"a file that is no certificate", store.Options{URL: secure, CA: key}, "has no certificates in PEM"},
		{"a file that is not there", store.Options{URL: secure, CA: cert + "x"}, "certificates for the store: "},
	} {
		e, err := natsstore.Driver().Open(t.Context(), c.o)
		if err == nil {
			e.Close()
		}
		if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v", c.what, err)
		}
	}
}

func TestCredentialsFiles(t *testing.T) {
	user, err := nkeys.CreateUser()
	if err != nil {
		t.Fatal(err)
	}
	public, _ := user.PublicKey()
	seed, _ := user.Seed()
	s := natstest.Start(t, "", natstest.Always,
		fmt.Sprintf("accounts { TEAM { jetstream: enabled, users: [ { nkey: %s } ] } }", public))
	file := func(text string, mode os.FileMode) string {
		path := filepath.Join(t.TempDir(), "user.nk")
		if err := os.WriteFile(path, []byte(text), mode); err != nil {
			t.Fatal(err)
		}
		return path
	}
	o := store.Options{URL: s.URL() + "/team", Credentials: file(string(seed)+"\n", 0o600)}
	if _, err := natsstore.Driver().Init(t.Context(), store.InitOptions{Options: o, Replicas: 1}); err != nil {
		t.Fatal(err)
	}
	natstest.Open(t, o)
	cases := map[string]string{
		file("hello", 0o600):                     "has neither a JWT with a key nor a key (SU...)",
		file(strings.Repeat("x", 70<<10), 0o600): "is larger than 65536 bytes",
		t.TempDir():                              "is not a regular file",
	}
	if runtime.GOOS != "windows" { // whose files have no such modes
		cases[file(string(seed), 0o640)] = "run: chmod 600"
	}
	for path, want := range cases {
		o.Credentials = path
		_, err := natsstore.Driver().Open(t.Context(), o)
		if err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), string(seed)) {
			t.Errorf("%s: %v", want, err)
		}
	}
	o.Credentials = ""
	if _, err := natsstore.Driver().Open(t.Context(), o); !errors.Is(err, store.ErrDenied) {
		t.Errorf("without credentials: %v", err)
	}
}
