package mcp_test

import (
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"

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
