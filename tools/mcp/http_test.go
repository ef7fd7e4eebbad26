package mcp

import (
	"compress/gzip"
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// connectTo connects to a server by way of a link, and returns the reason if that fails.
func connectTo(t *testing.T, ctx context.Context, s Server) (*sdk.ClientSession, error) {
	t.Helper()
	l, err := HTTP{}.link(s)
	if err != nil {
		return nil, err
	}
	t.Cleanup(l.close)
	client := sdk.NewClient(&sdk.Implementation{Name: "test"}, &sdk.ClientOptions{Capabilities: &sdk.ClientCapabilities{}})
	session, err := client.Connect(ctx, l.transport, nil)
	if err != nil {
		return nil, l.why(err)
	}
	t.Cleanup(func() { session.Close() })
	return session, nil
}

// realServer is an MCP server of the SDK with one tool.
func realServer() http.Handler {
	server := sdk.NewServer(&sdk.Implementation{Name: "real"}, nil)
	sdk.AddTool(server, &sdk.Tool{Name: "echo"},
		func(context.Context, *sdk.CallToolRequest, map[string]any) (*sdk.CallToolResult, any, error) {
			return &sdk.CallToolResult{Content: []sdk.Content{&sdk.TextContent{Text: "heard"}}}, nil, nil
		})
	return sdk.NewStreamableHTTPHandler(func(*http.Request) *sdk.Server { return server }, nil)
}

func TestAServerOverHTTPGetsItsHeaders(t *testing.T) {
	seen := make(chan http.Header, 100)
	real := realServer()
	web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		seen <- r.Header
		real.ServeHTTP(w, r)
	}))
	defer web.Close()
	session, err := connectTo(t, t.Context(), Server{Name: "s", URL: web.URL, Headers: map[string]string{
		"x-key": "secret", "Accept": "nothing", "User-Agent": "mine",
	}})
	if err != nil {
		t.Fatal(err)
	}
	res, err := session.CallTool(t.Context(), &sdk.CallToolParams{Name: "echo"})
	if err != nil || res.Content[0].(*sdk.TextContent).Text != "heard" {
		t.Fatalf("%v, %v", res, err)
	}
	for len(seen) > 0 {
		h := <-seen
		if h.Get("X-Key") != "secret" || h.Get("User-Agent") != "mine" || h.Get("Accept") == "nothing" {
			t.Errorf("a request had the headers %v", h)
		}
	}
}

func TestWhatAnHTTPServerMayNotDo(t *testing.T) {
	other := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		t.Errorf("another host got a request with %v", r.Header)
	}))
	defer other.Close()
	say := func(status int, kind, text string) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", kind)
			w.WriteHeader(status)
			io.WriteString(w, text)
		}
	}
	redirect := func(status int) http.HandlerFunc {
		return func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, other.URL+"/mcp?key=secret", status)
		}
	}
	endless := func(w http.ResponseWriter) {
		for piece := []byte(strings.Repeat(" ", 1<<16)); ; {
			if _, err := w.Write(piece); err != nil {
				return
			}
		}
	}
	const or = " or "
	for name, test := range map[string]struct {
		server http.HandlerFunc
		want   string
	}{
		"a redirect":           {redirect(302), "it redirects to " + other.URL + "/mcp, which is not followed"},
		"a redirect of a POST": {redirect(307), "it redirects to " + other.URL + "/mcp, which is not followed"},
		"a web page": {say(200, "text/html; charset=utf-8", "<h1>Log in</h1>"),
			"it answered with a web page (text/html)"},
		// The library says what it does not support, or that the connection has ended: whichever it
		// notices first.
		"another text": {say(200, "text/plain", "hello"), `unsupported content type "text/plain"` + or +
			`calling "initialize": client is closing: EOF`},
		"no JSON": {say(200, "application/json", "<h1>"), "invalid"},
		"a refusal": {say(401, "text/plain", "no"),
			"it answered 401 Unauthorized: check the headers of the server"},
		"an error": {say(404, "text/html", "<h1>"), "Not Found"},
		"an endless answer": {func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			endless(w)
		}, "its answer has more than 8 MiB"},
		"an endless error": {func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(http.StatusNotFound)
			endless(w)
		}, "its answer has more than 8 MiB"},
		"an endless stream": {func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "text/event-stream")
			for event := []byte(": " + strings.Repeat("x", 1<<16) + "\n\n"); ; {
				if _, err := w.Write(event); err != nil {
					return
				}
			}
		}, "its answer has more than 64 MiB"},
		"a bomb": {func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			w.Header().Set("Content-Encoding", "gzip")
			z := gzip.NewWriter(w)
			for piece := make([]byte, 1<<20); ; {
				if _, err := z.Write(piece); err != nil {
					return
				}
			}
		}, "its answer has more than 8 MiB"},
	} {
		t.Run(name, func(t *testing.T) {
			web := httptest.NewServer(test.server)
			defer web.Close()
			_, err := connectTo(t, t.Context(), Server{Name: "s", URL: web.URL, Headers: map[string]string{"X-Key": "secret"}})
			says := func(want string) bool { return strings.Contains(err.Error(), want) }
			if err == nil || !slices.ContainsFunc(strings.Split(test.want, or), says) || says("secret") {
				t.Errorf("%v, want %q", err, test.want)
			}
		})
	}
}

func TestAStalledServerIsGivenUpWithItsContext(t *testing.T) {
	for name, begins := range map[string]bool{"before it answers": false, "in its answer": true} {
		t.Run(name, func(t *testing.T) {
			arrived, done := make(chan struct{}, 10), make(chan struct{})
			web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				if begins {
					w.Header().Set("Content-Type", "application/json")
					io.WriteString(w, "{")
					http.NewResponseController(w).Flush()
				}
				arrived <- struct{}{}
				<-done
			}))
			defer web.Close()
			defer close(done)
			ctx, cancel := context.WithCancel(t.Context())
			go func() { <-arrived; cancel() }()
			if _, err := connectTo(t, ctx, Server{Name: "s", URL: web.URL}); err == nil {
				t.Error("a server that stalls was connected to")
			}
		})
	}
}

func TestWhichURLsAreConnectedTo(t *testing.T) {
	for url, want := range map[string]string{
		"http://127.0.0.1:1/mcp": "",
		"http://localhost/mcp":   "", "http://[::1]/": "", "https://example.com/mcp?key=a": "",
		"http://example.com/mcp?key=secret": `its url "http://example.com/mcp" is not encrypted: use https`,
		"http://127.0.0.1.example.com/":     "is not encrypted",
		"ftp://example.com/":                "is not a URL that begins with https://",
		"https://":                          "is not a URL that begins with https://",
		"https://me:secret@example.com/":    `"https://example.com/" has a user or a password in it; put it`,
		"https://exa mple.com/?secret":      "is not a URL that begins with https://",
		"file:///etc/passwd":                "is not a URL that begins with https://",
		"mcp.example.com":                   "is not a URL that begins with https://",
	} {
		_, err := HTTP{}.link(Server{Name: "s", URL: url})
		if want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want)) ||
			err != nil && strings.Contains(err.Error(), "secret") {
			t.Errorf("%s: %v, want %q", url, err, want)
		}
	}
}

func TestALoginErrorSaysWhatToDo(t *testing.T) {
	for want, err := range map[string]error{
		"MCP server s wants you to log in: chibi mcp login s":                          &LoginError{Server: "s"},
		"MCP server s wants you to log in again, because it is old: chibi mcp login s": &LoginError{"s", "it is old"},
	} {
		if err.Error() != want {
			t.Errorf("%q, want %q", err, want)
		}
	}
}
