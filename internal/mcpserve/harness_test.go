package mcpserve_test

import (
	"context"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chibi-host/chibi/agent"
	"github.com/chibi-host/chibi/internal/app"
	"github.com/chibi-host/chibi/internal/mcpserve"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// The versions of the protocol that tests speak: the last one with sessions, and the first one
// without.
var versions = []string{"2025-11-25", "2026-07-28"}

// token is the token of tests over HTTP.
const token = "0123456789abcdef"

// home is a home with plugins, which is served.
type home struct {
	t      testing.TB
	dir    string
	opts   app.Options
	serve  mcpserve.Options
	served *mcpserve.Tools
	server *mcpserve.Server

	mu      sync.Mutex
	notices []string
}

// newHome returns a home with plugins: shell scripts, without their first line, which get
// their schema as $1, and their name in $0.
func newHome(t testing.TB, plugins map[string]string) *home {
	t.Helper()
	h := &home{t: t, dir: t.TempDir()}
	t.Setenv("HOME", filepath.Join(h.dir, "person"))
	for name, script := range plugins {
		h.install(name, script)
	}
	h.opts = app.Options{Home: h.dir, Transient: true, Watched: true, Plugins: app.PluginOptions{NoTerminal: true},
		Output: agent.Output{Notice: func(text string) {
			h.mu.Lock()
			defer h.mu.Unlock()
			h.notices = append(h.notices, text)
		}}}
	return h
}

func (h *home) install(name, script string) {
	h.t.Helper()
	h.write("plugins/"+name, "#!/bin/sh\n"+script, 0o755)
}

// write writes a file at once, as whoever installs a plugin does.
func (h *home) write(name, text string, mode os.FileMode) {
	h.t.Helper()
	path := filepath.Join(h.dir, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		h.t.Fatal(err)
	}
	temp := filepath.Join(h.dir, "temp")
	if err := os.WriteFile(temp, []byte(text), mode); err != nil {
		h.t.Fatal(err)
	}
	if err := os.Rename(temp, path); err != nil {
		h.t.Fatal(err)
	}
}

func (h *home) read(name string) string {
	data, err := os.ReadFile(filepath.Join(h.dir, name))
	if err != nil {
		return ""
	}
	return string(data)
}

// start serves the home until the returned function is called, which waits for the end.
func (h *home) start() (stop func()) {
	h.t.Helper()
	ctx, cancel := context.WithCancel(h.t.Context())
	session, err := app.Open(ctx, h.opts)
	if err != nil {
		h.t.Fatal(err)
	}
	started, ended := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		defer session.Close()
		err := mcpserve.Serve(ctx, session, h.serve, func(served *mcpserve.Tools) error {
			h.served, h.server = served, mcpserve.New(served, "1.0")
			close(started)
			<-ctx.Done()
			h.server.Close()
			return nil
		})
		if err != nil {
			h.t.Error(err)
		}
	}()
	<-started
	stop = sync.OnceFunc(func() {
		cancel()
		<-ended
	})
	h.t.Cleanup(stop)
	return stop
}

// transport connects a client with the server that runs.
type transport struct {
	name    string
	connect func(h *home) sdk.Transport
}

// transports are the ways to the server.
var transports = []transport{{"lines", overLines}, {"HTTP", overHTTP}}

func overLines(h *home) sdk.Transport {
	fromClient, toServer := io.Pipe()
	fromServer, toClient := io.Pipe()
	go func() {
		if err := h.server.Lines(h.t.Context(), fromClient, toClient); err != nil {
			h.t.Error(err)
		}
		fromClient.Close() // as the end of the process does, so that the client does not wait to be read
		toClient.Close()
	}()
	return &sdk.IOTransport{Reader: fromServer, Writer: toServer}
}

// withToken sends the token with each request.
type withToken struct{}

func (withToken) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Set("Authorization", "Bearer "+token)
	return http.DefaultTransport.RoundTrip(r)
}

func overHTTP(h *home) sdk.Transport {
	return &sdk.StreamableClientTransport{Endpoint: h.listen(), HTTPClient: &http.Client{Transport: withToken{}}}
}

// listen serves over HTTP and returns the URL.
func (h *home) listen() string {
	h.t.Helper()
	l, err := mcpserve.Listen(h.t.Context(), "localhost:0")
	if err != nil {
		h.t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- h.server.HTTP(context.Background(), l, token) }()
	h.t.Cleanup(func() {
		h.server.Close()
		if err := <-ended; err != nil {
			h.t.Error(err)
		}
	})
	return "http://" + l.Addr().String() + mcpserve.Path
}

// connect returns a client that is connected.
func (h *home) connect(t testing.TB, way transport, version string, o *sdk.ClientOptions) *sdk.ClientSession {
	t.Helper()
	client := sdk.NewClient(&sdk.Implementation{Name: "tester", Version: "1"}, o)
	session, err := client.Connect(t.Context(), way.connect(h), &sdk.ClientSessionOptions{ProtocolVersion: version})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { session.Close() })
	return session
}

// call calls a tool and returns its text, with "error: " before it if the call failed.
func call(t testing.TB, s *sdk.ClientSession, tool string, args map[string]any) string {
	t.Helper()
	result, err := s.CallTool(t.Context(), &sdk.CallToolParams{Name: tool, Arguments: args})
	if err != nil {
		return "refused: " + err.Error()
	}
	return textOf(result)
}

func textOf(result *sdk.CallToolResult) string {
	var b strings.Builder
	if result.IsError {
		b.WriteString("error: ")
	}
	for _, c := range result.Content {
		if text, ok := c.(*sdk.TextContent); ok {
			b.WriteString(text.Text)
		}
	}
	return b.String()
}

// names returns the names of the tools that a client sees.
func names(t *testing.T, s *sdk.ClientSession) (list []string) {
	t.Helper()
	result, err := s.ListTools(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, tool := range result.Tools {
		list = append(list, tool.Name)
	}
	return list
}

// eventually waits until a condition holds.
func eventually(t testing.TB, what string, holds func() bool) {
	t.Helper()
	for end := time.Now().Add(30 * time.Second); !holds(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("%s: not within 30 seconds", what)
		}
	}
}

// everywhere runs a test over each transport and in each version.
func everywhere(t *testing.T, test func(t *testing.T, way transport, version string)) {
	for _, way := range transports {
		for _, version := range versions {
			t.Run(way.name+" "+version, func(t *testing.T) { test(t, way, version) })
		}
	}
}
