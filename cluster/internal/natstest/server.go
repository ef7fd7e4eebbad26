// Package natstest starts NATS servers for tests: one in the process of the test, or three
// as processes of their own, and a proxy that freezes. They listen on loopback, and end with
// the test.
package natstest

import (
	"context"
	"crypto/rand"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"

	"github.com/chibi-host/chibi/cluster/internal/portstest"
	"github.com/chibi-host/chibi/cluster/natsstore"
	"github.com/chibi-host/chibi/store"
)

// readyTime bounds how long a server may take to start.
const readyTime = 30 * time.Second

// Always is the section of a server that acknowledges what is on its disk.
const Always = "sync_interval: always"

// Server is a server in this process.
type Server struct {
	server *server.Server
}

// Start starts a server with JetStream, whose section has the given lines (such as Always)
// in addition to its directory, and with more at the top of its configuration. The directory is the
// test's if dir is "".
func Start(t testing.TB, dir, jetstream, more string) *Server {
	t.Helper()
	portstest.NeedServers(t)
	if dir == "" {
		dir = t.TempDir()
	}
	options := &server.Options{}
	if err := options.ProcessConfigString(configuration(dir, jetstream, more)); err != nil {
		t.Fatal(err)
	}
	options.NoSigs, options.NoLog = true, true
	s, err := server.NewServer(options)
	if err != nil {
		t.Fatal(err)
	}
	s.Start()
	if !s.ReadyForConnections(readyTime) {
		t.Fatal("the server does not start")
	}
	this := &Server{s}
	t.Cleanup(this.Stop)
	return this
}

// configuration is the configuration of a single server. Homes reserve storage, of which the machine need
// not have as much.
func configuration(dir, jetstream, more string) string {
	text := "listen: 127.0.0.1:-1\nserver_name: single\nmax_payload: 1MB\n" +
		"jetstream { store_dir: %q, max_file_store: 1000TB, %s }\n%s\n"
	if strings.Contains(more, "listen:") {
		text = strings.TrimPrefix(text, "listen: 127.0.0.1:-1\n")
	}
	return fmt.Sprintf(text, dir, jetstream, more)
}

// Stop stops the server.
func (s *Server) Stop() {
	s.server.Shutdown()
	s.server.WaitForShutdown()
}

// Address is where clients connect: host:port.
func (s *Server) Address() string { return s.server.Addr().String() }

// URL is the server's URL, without a home.
func (s *Server) URL() string { return "nats://" + s.Address() }

// Monitor is the URL of the monitoring port, for a server that has one.
func (s *Server) Monitor() string { return "http://" + s.server.MonitorAddr().String() }

// NewHome makes a home, with as many replicas, on the server of a URL and returns its URL.
func NewHome(t testing.TB, url string, replicas int) string {
	t.Helper()
	url += "/t" + strings.ToLower(rand.Text()[:12])
	Init(t, url, replicas)
	return url
}

// Init makes the home of a URL.
func Init(t testing.TB, url string, replicas int) []string {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), findTime)
	defer cancel()
	o := store.InitOptions{Options: store.Options{URL: url, Timeout: findTime}, Replicas: replicas, OutputBytes: 1 << 30}
	said, err := natsstore.Driver().Init(ctx, o)
	if err != nil {
		t.Fatalf("store init: %v", err)
	}
	return said
}

// Open opens the home of a URL until the test ends.
func Open(t testing.TB, o store.Options) *store.Engine {
	t.Helper()
	e, err := natsstore.Driver().Open(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { e.Close() })
	return e
}
