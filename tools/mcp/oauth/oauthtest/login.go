package oauthtest

import (
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/chibi-host/chibi/internal/strictjson"
)

// issuer is where people log in.
type issuer struct{ *Servers }

func (s issuer) handler() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /.well-known/oauth-authorization-server", s.describe)
	mux.HandleFunc("POST /register", s.register)
	mux.HandleFunc("GET /authorize", s.authorize)
	mux.HandleFunc("POST /token", s.token)
	return mux
}

func (s issuer) describe(w http.ResponseWriter, _ *http.Request) {
	issuer := s.now().Issuer
	if issuer == "" {
		issuer = s.Login
	}
	meta := map[string]any{
		"issuer": issuer, "authorization_endpoint": s.Login + "/authorize", "token_endpoint": s.Login + "/token",
		"response_types_supported": []string{"code"}, "code_challenge_methods_supported": []string{"S256"},
		"authorization_response_iss_parameter_supported": true,
	}
	if s.now().KnownClient == "" {
		meta["registration_endpoint"] = s.Login + "/register"
	}
	write(w, http.StatusOK, meta)
}

func (s issuer) register(w http.ResponseWriter, r *http.Request) {
	var asked map[string]any
	body, err := io.ReadAll(r.Body)
	if err == nil {
		err = strictjson.Decode(body, &asked)
	}
	if err != nil || asked["client_name"] != "chibi" {
		fail(w, "invalid_client_metadata", fmt.Sprint(asked, err))
		return
	}
	asked["client_id"] = "registered"
	write(w, http.StatusCreated, asked)
}

// authorize is the page of the login server: the person allows everything.
func (s issuer) authorize(w http.ResponseWriter, r *http.Request) {
	q := r.URL.Query()
	s.mu.Lock()
	defer s.mu.Unlock()
	client := "registered"
	if s.settings.KnownClient != "" {
		client = s.settings.KnownClient
	}
	back, err := url.Parse(q.Get("redirect_uri"))
	if err != nil || back.Hostname() != "127.0.0.1" || q.Get("client_id") != client || q.Get("resource") != s.URL ||
		q.Get("code_challenge_method") != "S256" {
		http.Error(w, "bad request: "+r.URL.RawQuery, http.StatusBadRequest)
		return
	}
	answer := url.Values{"state": {q.Get("state")}, "iss": {s.Login}}
	if s.settings.Deny != "" {
		answer.Set("error", s.settings.Deny)
		answer.Set("error_description", "<b>no\x1b[31m</b>")
	} else {
		code := s.secret("code")
		s.grants[code] = grant{client: client, secret: s.settings.KnownSecret, redirect: q.Get("redirect_uri"),
			challenge: q.Get("code_challenge"), resource: q.Get("resource"), scopes: strings.Fields(q.Get("scope"))}
		answer.Set("code", code)
	}
	back.RawQuery = answer.Encode()
	http.Redirect(w, r, back.String(), http.StatusFound)
}

func (s issuer) token(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	r.ParseForm()
	id, secret, ok := r.BasicAuth()
	if secret, _ = url.QueryUnescape(secret); !ok { // RFC 6749, section 2.3.1
		id, secret = r.PostForm.Get("client_id"), r.PostForm.Get("client_secret")
	}
	var granted grant
	var found bool
	switch r.PostForm.Get("grant_type") {
	case "authorization_code":
		code := r.PostForm.Get("code")
		granted, found = s.grants[code]
		delete(s.grants, code)
		sum := sha256.Sum256([]byte(r.PostForm.Get("code_verifier")))
		found = found && base64.RawURLEncoding.EncodeToString(sum[:]) == granted.challenge &&
			r.PostForm.Get("redirect_uri") == granted.redirect
	case "refresh_token":
		old := r.PostForm.Get("refresh_token")
		granted, found = s.refresh[old]
		delete(s.refresh, old)
		if s.used[old] { // somebody has stolen it, or it was lost
			clear(s.refresh)
		}
		s.used[old] = true
		s.Refreshes++
	}
	if !found || id != granted.client || secret != granted.secret || r.PostForm.Get("resource") != granted.resource {
		fail(w, "invalid_grant", "not known")
		return
	}
	s.give(w, granted)
}

// give answers with new tokens. The caller holds the lock.
func (s issuer) give(w http.ResponseWriter, g grant) {
	lifetime := s.settings.Lifetime
	if lifetime == 0 {
		lifetime = time.Hour
	}
	access, refresh := s.secret("access"), s.secret("refresh")
	s.tokens[access], s.refresh[refresh] = g, g
	write(w, http.StatusOK, map[string]any{
		"access_token": access, "refresh_token": refresh, "token_type": "bearer",
		"expires_in": int(lifetime.Seconds()), "scope": strings.Join(g.scopes, " "),
	})
}
