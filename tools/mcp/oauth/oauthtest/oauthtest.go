// Package oauthtest has a login server and an MCP server that wants its logins, on this
// machine, for tests: with discovery, registration, PKCE, and refresh tokens that can be
// used once.
package oauthtest

import (
	"crypto/rand"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"
)

// Settings are what tests change about the servers.
type Settings struct {
	// Issuer is the login server's name for itself; "": its URL.
	Issuer string
	// KnownClient is the only client that is known, with its secret; "": clients register.
	KnownClient, KnownSecret string
	// Lifetime is the lifetime of access tokens; 0: an hour.
	Lifetime time.Duration
	// Deny is the error that the login server sends browsers back with.
	Deny string
	// IsOpen lets everybody in except for calls of tools.
	IsOpen bool
	// Scope is what a token must have for a call of the tool; "": nothing.
	Scope string
	// Before, if set, gets each request first, and may answer it.
	Before func(http.ResponseWriter, *http.Request) (answered bool)
}

// Servers are both servers.
type Servers struct {
	// URL is the endpoint of the MCP server, which has the tool "echo".
	URL string
	// Login is the URL of the login server.
	Login string

	mu        sync.Mutex
	settings  Settings
	grants    map[string]grant // by code
	tokens    map[string]grant // by access token
	refresh   map[string]grant // by refresh token
	used      map[string]bool  // refresh tokens
	Refreshes int              // how often tokens were refreshed
	Calls     int              // how often the tool was called
	Secrets   []string         // all tokens, codes and secrets that were given
}

// grant is what a person has allowed a client.
type grant struct {
	client, secret, redirect, challenge, resource string
	scopes                                        []string
}

// Start starts both servers. They end with the test.
func Start(t testing.TB, settings Settings) *Servers {
	s := &Servers{settings: settings, grants: map[string]grant{}, tokens: map[string]grant{}, refresh: map[string]grant{},
		used: map[string]bool{}}
	login, mcp := s.server(t, issuer{s}.handler()), s.server(t, resource{s}.handler())
	s.Login, s.URL = "http://"+login.Listener.Addr().String(), "http://"+mcp.Listener.Addr().String()+"/mcp"
	login.Start() // both know the URLs by now
	mcp.Start()
	return s
}

func (s *Servers) server(t testing.TB, handler http.Handler) *httptest.Server {
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if before := s.now().Before; before == nil || !before(w, r) {
			handler.ServeHTTP(w, r)
		}
	}))
	t.Cleanup(server.Close)
	return server
}

// Set changes the settings.
func (s *Servers) Set(change func(*Settings)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	change(&s.settings)
}

func (s *Servers) now() Settings {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.settings
}

// Expire makes all access tokens invalid, RevokeAll refresh tokens, too.
func (s *Servers) Expire() {
	s.mu.Lock()
	defer s.mu.Unlock()
	clear(s.tokens)
}

// RevokeAll makes all tokens invalid.
func (s *Servers) RevokeAll() {
	s.Expire()
	s.mu.Lock()
	defer s.mu.Unlock()
	clear(s.refresh)
}

// Count returns how often tokens were refreshed, and how often the tool was called.
func (s *Servers) Count() (refreshes, calls int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.Refreshes, s.Calls
}

// Leaked returns a secret that a text has, "" if there is none.
func (s *Servers) Leaked(text string) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, secret := range s.Secrets {
		if strings.Contains(text, secret) {
			return secret
		}
	}
	return ""
}

// secret makes a token or a code. The caller holds the lock.
func (s *Servers) secret(kind string) string {
	text := kind + "-" + rand.Text()
	s.Secrets = append(s.Secrets, text)
	return text
}

func write(w http.ResponseWriter, status int, v any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	json.NewEncoder(w).Encode(v)
}

func fail(w http.ResponseWriter, code, description string) {
	write(w, http.StatusBadRequest, map[string]string{"error": code, "error_description": description})
}
