package oauthtest

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// resource is the MCP server that wants logins.
type resource struct{ *Servers }

func (s resource) handler() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /.well-known/oauth-protected-resource/mcp", s.describe)
	mux.Handle("/mcp", s.guard(s.mcp()))
	return mux
}

func (s resource) describe(w http.ResponseWriter, _ *http.Request) {
	write(w, http.StatusOK, map[string]any{
		"resource": s.URL, "authorization_servers": []string{s.Login}, "scopes_supported": []string{"read"},
	})
}

// guard lets in who has a token.
func (s resource) guard(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.mu.Lock()
		g, ok := s.tokens[strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer ")]
		settings := s.settings
		s.mu.Unlock()
		body, err := io.ReadAll(r.Body)
		if err != nil {
			return
		}
		r.Body = io.NopCloser(bytes.NewReader(body))
		isCall := bytes.Contains(body, []byte(`"tools/call"`))
		metadata := fmt.Sprintf(`Bearer resource_metadata="%s"`,
			strings.Replace(s.URL, "/mcp", "/.well-known/oauth-protected-resource/mcp", 1))
		switch {
		case !ok && (!settings.IsOpen || isCall):
			w.Header().Set("WWW-Authenticate", metadata)
			w.WriteHeader(http.StatusUnauthorized)
		case isCall && settings.Scope != "" && !slices.Contains(g.scopes, settings.Scope):
			w.Header().Set("WWW-Authenticate",
				metadata+fmt.Sprintf(`, error="insufficient_scope", scope="%s"`, settings.Scope))
			w.WriteHeader(http.StatusForbidden)
		default:
			next.ServeHTTP(w, r)
		}
	})
}

func (s resource) mcp() http.Handler {
	server := sdk.NewServer(&sdk.Implementation{Name: "real"}, nil)
	sdk.AddTool(server, &sdk.Tool{Name: "echo", Description: "says what it heard"},
		func(_ context.Context, _ *sdk.CallToolRequest, args map[string]any) (*sdk.CallToolResult, any, error) {
			s.mu.Lock()
			defer s.mu.Unlock()
			s.Calls++
			text := &sdk.TextContent{Text: fmt.Sprint("heard ", args["text"])}
			return &sdk.CallToolResult{Content: []sdk.Content{text}}, nil, nil
		})
	return sdk.NewStreamableHTTPHandler(func(*http.Request) *sdk.Server { return server }, nil)
}
