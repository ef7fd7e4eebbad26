// Package oauth logs in to MCP servers with a URL, and keeps the logins: OAuth 2.1 as the
// authorization of MCP has it (https://modelcontextprotocol.io/specification, "Authorization").
//
// What it promises:
//
//   - Only [Logins.Login] starts a login. A run that needs one gets a [mcp.LoginError], which
//     names the command.
//   - A token is sent to the URL that it was obtained for, and to the server that gave it.
//     It is never a part of an error or of a text that is printed.
//   - When several processes refresh a login at the same time, one of them asks, and all use
//     the new tokens: a refresh token that can be used once is not lost.
//   - Servers are asked over TLS, except for those on this machine, follow no redirect, and
//     are bounded in time and size. A server on the Internet cannot name a login server in
//     a private network.
//
// It prints nothing, and starts no browser. Its types are safe for concurrent use.
package oauth

import (
	"fmt"
	"path/filepath"
	"slices"
	"time"

	"github.com/chibi-host/chibi/internal/jsonfile"
	"github.com/chibi-host/chibi/tools/mcp"
	"golang.org/x/oauth2"
)

// maxFile bounds mcp-tokens.json, in bytes; maxToken a token in it, maxScopes and maxScope
// the rights that a server asks for.
const (
	maxFile   = 4 << 20
	maxToken  = 64 << 10
	maxScopes = 64
	maxScope  = 256
)

// Logins are the logins of a home, in its file mcp-tokens.json.
type Logins struct {
	home string
	// within bounds one request to a login server.
	within time.Duration
	// report tells the person that a damaged file was renamed.
	report func(text string)
}

// In returns the logins of a home. report tells a person about problems of the file;
// it may be nil.
func In(home string, report func(text string)) Logins {
	return Logins{home: home, within: requestTime, report: report}
}

// login is what is known about the login at one URL, under one name of a server.
type login struct {
	Server string `json:"server"`
	URL    string `json:"url"`
	// Resource is how the login server knows the URL, TokenURL where tokens come from.
	Resource  string `json:"resource"`
	TokenURL  string `json:"token_url"`
	AuthStyle int    `json:"auth_style"`
	// ClientID is chibi's name at the login server. ClientSecret is stored only if that
	// server made it; a secret in the configuration stays there.
	ClientID     string `json:"client_id"`
	ClientSecret string `json:"client_secret,omitempty"`
	// The tokens; both are "" when the login has ended.
	AccessToken  string    `json:"access_token,omitempty"`
	RefreshToken string    `json:"refresh_token,omitempty"`
	Expiry       time.Time `json:"expiry,omitzero"`
	// Scopes are the rights of the login, Wanted further rights that calls needed.
	Scopes []string `json:"scopes,omitempty"`
	Wanted []string `json:"wanted_scopes,omitempty"`
}

// String and GoString keep tokens out of texts.
func (l login) String() string   { return fmt.Sprintf("the login at MCP server %s", l.Server) }
func (l login) GoString() string { return l.String() }

// early is how long before its end a token is renewed, so that it is valid when it arrives.
const early = 10 * time.Second

// isFresh reports whether the access token can be used.
func (l login) isFresh() bool {
	return l.AccessToken != "" && (l.Expiry.IsZero() || time.Now().Add(early).Before(l.Expiry))
}

func (l login) token() *oauth2.Token {
	return &oauth2.Token{AccessToken: l.AccessToken, TokenType: "Bearer", Expiry: l.Expiry}
}

// take makes a token that a login server gave a part of the login.
func (l *login) take(token *oauth2.Token) error {
	switch {
	case token.Type() != "Bearer":
		return fmt.Errorf("the login server gave a token of another type than Bearer")
	case len(token.AccessToken) > maxToken || len(token.RefreshToken) > maxToken:
		return fmt.Errorf("the login server gave a token of more than %d KiB", maxToken>>10)
	}
	l.AccessToken, l.Expiry = token.AccessToken, token.Expiry
	if token.RefreshToken != "" { // otherwise the old one stays valid
		l.RefreshToken = token.RefreshToken
	}
	if scope, ok := token.Extra("scope").(string); ok && scope != "" {
		l.Scopes = scopes(scope)
	}
	return nil
}

// document is the content of the file.
type document struct {
	Logins []login `json:"logins"`
}

// at returns the place of a login in the list, -1 if there is none.
func (d *document) at(server, url string) int {
	return slices.IndexFunc(d.Logins, func(l login) bool { return l.Server == server && l.URL == url })
}

func (l Logins) file() jsonfile.File {
	return jsonfile.File{Path: filepath.Join(l.home, "mcp-tokens.json"), Max: maxFile, Private: true, Report: l.report}
}

func (l Logins) find(s mcp.Server) (found login, ok bool, err error) {
	all, err := jsonfile.Read[document](l.file())
	if jsonfile.IsDamaged(err) { // the next login makes it anew
		return login{}, false, nil
	}
	if err != nil {
		return login{}, false, err
	}
	if i := all.at(s.Name, s.URL); i >= 0 {
		return all.Logins[i], true, nil
	}
	return login{}, false, nil
}

// change changes the login of a server, if there is one. If do fails, nothing is written.
func (l Logins) change(s mcp.Server, do func(*login) error) error {
	return jsonfile.Update(l.file(), func(all *document) error {
		if i := all.at(s.Name, s.URL); i >= 0 {
			return do(&all.Logins[i])
		}
		return nil
	})
}

func (l Logins) put(new login) error {
	return jsonfile.Update(l.file(), func(all *document) error {
		if i := all.at(new.Server, new.URL); i >= 0 {
			all.Logins[i] = new
		} else {
			all.Logins = append(all.Logins, new)
		}
		return nil
	})
}

// HasEnded reports whether there was a login at a server, whose variables are filled in, that
// has expired or was revoked. It asks nobody.
func (l Logins) HasEnded(s mcp.Server) (bool, error) {
	known, ok, err := l.find(s)
	isOver := known.RefreshToken == "" && !known.isFresh()
	return ok && isOver, err
}
