package mcp_test

import (
	"bytes"
	"fmt"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chibi-host/chibi/tools/mcp"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

func TestAServerIsReachedOverHTTP(t *testing.T) {
	var mu sync.Mutex
	var versions []string
	handler := sdk.NewStreamableHTTPHandler(func(*http.Request) *sdk.Server { return goodServer() }, nil)
	web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		versions = append(versions, r.Header.Get("Mcp-Protocol-Version"))
		mu.Unlock()
		if r.Header.Get("Authorization") != "Bearer secret" {
			http.Error(w, "no", http.StatusUnauthorized)
			return
		}
		handler.ServeHTTP(w, r)
	}))
	defer web.Close()
	pool := newPool(t, mcp.PoolConfig{})
	server := mcp.Server{Name: "web", URL: web.URL, Headers: map[string]string{"Authorization": "Bearer secret"}}
	if text, failed := call(t, pool, server, "echo", `{"a":1e3}`); failed || text != `{"a":1e3}` {
		t.Error(text)
	}
	pool.Close()
	for i, version := range versions {
		if want := map[bool]string{false: "2025-11-25", true: ""}[i == 0]; version != want {
			t.Errorf("request %d is in version %q, want %q", i, version, want)
		}
	}
	if len(versions) < 4 { // initialize, initialized, the call, the end
		t.Errorf("%d requests", len(versions))
	}
}

// misbehaving is an HTTP server that is as it should be until a tool is called; the name of
// the tool says what it does then.
func misbehaving(t *testing.T) mcp.Server {
	t.Helper()
	good := sdk.NewStreamableHTTPHandler(func(*http.Request) *sdk.Server { return goodServer() }, nil)
	stalled := make(chan struct{})
	ways := map[string]http.HandlerFunc{
		"stalls": func(_ http.ResponseWriter, r *http.Request) {
			select {
			case <-stalled:
			case <-r.Context().Done():
			}
		},
		"stalls in the midst": func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Type", "text/event-stream")
			fmt.Fprint(w, "event: message\ndata: {\"jsonrpc\"")
			w.(http.Flusher).Flush()
			select {
			case <-stalled:
			case <-r.Context().Done():
			}
		},
		"redirects": func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, "http://127.0.0.1:1/other", http.StatusTemporaryRedirect)
		},
		"shows a page": func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "text/html")
			fmt.Fprint(w, "<html>Log in, please.</html>")
		},
		"breaks off": func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) },
		"fails":      func(w http.ResponseWriter, _ *http.Request) { http.Error(w, "\x1b[2Joops", 500) },
		"forgets":    func(w http.ResponseWriter, _ *http.Request) { http.Error(w, "no such session", 404) },
		"says nothing": func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "application/json")
		},
		"says nonsense": func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			fmt.Fprint(w, "{]")
		},
		"says too much": func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			fmt.Fprintf(w, `{"jsonrpc":"2.0","id":2,"result":{"content":[{"type":"text","text":"%s"}]}}`,
				strings.Repeat("x", 100<<20))
		},
	}
	web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		r.Body = io.NopCloser(bytes.NewReader(body))
		for name, way := range ways {
			if strings.Contains(string(body), fmt.Sprintf("%q", name)) {
				way(w, r)
				return
			}
		}
		good.ServeHTTP(w, r)
	}))
	web.Config.ErrorLog = log.New(io.Discard, "", 0)
	t.Cleanup(func() {
		close(stalled)
		web.Close()
	})
	return mcp.Server{Name: "web", URL: web.URL}
}

func TestWhatAnHTTPServerDoesWrongIsSaidAndTheNextCallWorks(t *testing.T) {
	t.Parallel()
	for tool, want := range map[string]string{
		"stalls":              "no answer within 1s (timeout_ms)",
		"stalls in the midst": "no answer within 1s (timeout_ms)",
		"redirects": "it redirects to http://127.0.0.1:1/other, which is not followed, so that calls and keys are " +
			"not sent elsewhere; if that address is right, make it the url of the server",
		"shows a page": "it answered with a web page (text/html) where MCP was expected: check the url of the server; it " +
			"may also be the page of a login or a proxy",
		"breaks off": "it closed the connection before it answered: EOF",
		"fails":      "Internal Server Error",
		"forgets": "it has forgotten the session (404 Not Found); the next call begins another one; the call is not " +
			"repeated, as it may have had an effect",
		"says nothing": "failed to decode response: unmarshaling jsonrpc message: EOF; the call is not repeated, as it " +
			"may have had an effect",
		"says nonsense": "failed to decode response: unmarshaling jsonrpc message: unexpected EOF; the call is not " +
			"repeated, as it may have had an effect",
		"says too much": "its answer has more than 8 MiB; the call is not repeated, as it may have had an effect",
	} {
		t.Run(tool, func(t *testing.T) {
			pool := newPool(t, mcp.PoolConfig{})
			server := misbehaving(t)
			call(t, pool, server, "echo", `{}`)
			slow := server
			slow.Timeout = time.Second
			if strings.HasPrefix(tool, "stalls") {
				pool = newPool(t, mcp.PoolConfig{})
				server = slow
			}
			text, failed := call(t, pool, server, tool, `{}`)
			if want := fmt.Sprintf("Error: tool %q of MCP server \"web\": %s", tool, want); !failed || text != want {
				t.Errorf("%s\nwant %s", text, want)
			}
			if text, failed := call(t, pool, server, "echo", `{"a":1}`); failed || text != `{"a":1}` {
				t.Errorf("the next call: %s", text)
			}
		})
	}
}

func TestAServerThatIsNotThereIsSaid(t *testing.T) {
	web := httptest.NewServer(http.NotFoundHandler())
	web.Close()
	pool := newPool(t, mcp.PoolConfig{})
	text, failed := call(t, pool, mcp.Server{Name: "web", URL: web.URL}, "any", `{}`)
	if !failed || !strings.HasPrefix(text, `Error: MCP server "web": `) || !strings.Contains(text, "connection refused") ||
		!strings.HasSuffix(text, "; see: chibi mcp check web") {
		t.Error(text)
	}
}
