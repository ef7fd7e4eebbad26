package natsstore_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/chibi-host/chibi/cluster/internal/natstest"
	"github.com/chibi-host/chibi/cluster/natsstore"
	"github.com/chibi-host/chibi/store"
)

// limited is an account of its own, whose JetStream has limits.
func limited(limits string) string {
	return "accounts { TEAM { jetstream: {" + limits + "}, users: [{user: me, password: secret}] } }"
}

// TestAHomeWithoutRoomIsNotMade: the error says what to do, at once, and nothing is half made. With
// less it is made.
func TestAHomeWithoutRoomIsNotMade(t *testing.T) {
	as := func(url string) string { return strings.Replace(url, "://", "://me:secret@", 1) }
	for _, c := range []struct {
		name     string
		url      func(t *testing.T) string
		replicas int
		want     string
		isCured  bool // by --max-output-bytes
	}{
		{"a server", func(t *testing.T) string {
			return natstest.Start(t, "", "max_file_store: 1GB", "").URL()
		}, 1, "--max-output-bytes", true},
		{"an account", func(t *testing.T) string {
			return as(natstest.Start(t, "", "", limited("max_file: 1GB")).URL())
		}, 1, "--max-output-bytes", true},
		{"an account without streams", func(t *testing.T) string {
			return as(natstest.Start(t, "", "", limited("max_streams: 2")).URL())
		}, 1, "max_streams", false},
		{"three servers", func(t *testing.T) string {
			return natstest.StartCluster(t, "max_file_store: 1GB").URL()
		}, 3, "--max-output-bytes", true},
	} {
		t.Run(c.name, func(t *testing.T) {
			url := c.url(t)
			o := store.InitOptions{Options: store.Options{URL: url + "/room", Timeout: 2 * time.Minute}, Replicas: c.replicas}
			said, err := natsstore.Driver().Init(t.Context(), o)
			if err == nil || errors.Is(err, store.ErrUnavailable) || !strings.Contains(err.Error(), c.want) || len(said) > 0 {
				t.Errorf("%q, %v", said, err)
			}
			if left := streams(t, url); len(left) > 0 {
				t.Errorf("there are %q", left)
			}
			o.OutputBytes = 100 << 20
			if _, err = natsstore.Driver().Init(t.Context(), o); (err == nil) != c.isCured {
				t.Errorf("with less: %v", err)
			}
		})
	}
}

// streams are the names of all streams of a server.
func streams(t *testing.T, url string) (names []string) {
	t.Helper()
	nc, err := nats.Connect(url)
	if err != nil {
		t.Fatal(err)
	}
	defer nc.Close()
	js, err := nc.JetStream()
	if err != nil {
		t.Fatal(err)
	}
	for name := range js.StreamNames() {
		names = append(names, name)
	}
	return names
}
