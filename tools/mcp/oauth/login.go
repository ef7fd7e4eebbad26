package oauth

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/chibi-host/chibi/internal/jsonfile"
	"github.com/chibi-host/chibi/tools/mcp"
	"github.com/chibi-host/chibi/tools/mcp/internal/web"
	"github.com/modelcontextprotocol/go-sdk/auth"
	"github.com/modelcontextprotocol/go-sdk/oauthex"
	"golang.org/x/oauth2"
)

// DefaultWait is how long a person may take to log in.
const DefaultWait = 5 * time.Minute

// Request is a login that a person asks for.
type Request struct {
	// Server is where to log in. Its variables are filled in.
	Server mcp.Server
	// Show shows the address that the person opens in a browser. It begins with
	// https://, or with http:// for a login server on this machine.
	Show func(address string)
	// Wait bounds how long the person may take; 0: DefaultWait.
	Wait time.Duration
}

// Login logs in to a server and stores the login in the place of the one before. It waits
// until the person has logged in, ctx ends, or the time is over.
func (l Logins) Login(ctx context.Context, r Request) error {
	if err := check(r.Server); err != nil {
		return err
	}
	before, _, err := l.find(r.Server)
	if err != nil {
		return err
	}
	page, err := listen(r.Server)
	if err != nil {
		return err
	}
	a := &attempt{Request: r, before: before, page: page, client: l.client(r.Server)}
	defer a.client.CloseIdleConnections()
	err = a.do(ctx)
	if err == nil {
		err = l.put(a.got)
	}
	page.finish(err)
	return err
}

// check says why nobody can log in to a server.
func check(s mcp.Server) error {
	if s.URL == "" {
		return errors.New("it is a program: only servers with a url have logins")
	}
	for name := range s.Headers {
		if strings.EqualFold(name, "Authorization") {
			return errors.New("it has an Authorization header in its headers; remove that to log in")
		}
	}
	if err := web.CheckURL(s.URL); err != nil {
		return fmt.Errorf("its url %w", err)
	}
	return nil
}

type attempt struct {
	Request
	before login // the one that it replaces; its Wanted are asked for, too
	page   *page
	client *http.Client

	resource string // the purpose of the tokens, for the login server
	got      login
}

// do logs in; then got is the login.
func (a *attempt) do(ctx context.Context) error {
	req, res, err := a.ask(ctx)
	if err != nil {
		return explain(err)
	}
	defer res.Body.Close()
	handler, err := auth.NewAuthorizationCodeHandler(a.config())
	if err != nil {
		return err
	}
	if err := handler.Authorize(ctx, req, res); err != nil {
		if mine, ok := errors.AsType[*pageError](err); ok {
			return mine
		}
		return explain(err)
	}
	return nil
}

// ask sends the first request of MCP, without a token, to see how the server refuses it.
func (a *attempt) ask(ctx context.Context) (*http.Request, *http.Response, error) {
	const initialize = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25",` +
		`"capabilities":{},"clientInfo":{"name":"chibi","version":"1"}}}`
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, a.Server.URL, strings.NewReader(initialize))
	if err != nil {
		return nil, nil, err
	}
	for name, value := range a.Server.Headers {
		req.Header.Set(name, value)
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Accept", "application/json, text/event-stream")
	res, err := a.client.Do(req)
	if err != nil {
		return nil, nil, err
	}
	isRefused := res.StatusCode == http.StatusUnauthorized || res.StatusCode == http.StatusForbidden
	if !isRefused && !a.describesLogin(ctx) {
		res.Body.Close()
		return nil, nil, fmt.Errorf("it does not ask for a login: it answered %s", res.Status)
	}
	res.StatusCode = http.StatusUnauthorized // the handler takes 403 as a question for more rights
	return req, res, nil
}

// describesLogin reports whether a server that lets everybody in says where to log in: some
// ask for a login only when a tool is called.
func (a *attempt) describesLogin(ctx context.Context) bool {
	u, err := url.Parse(a.Server.URL)
	if err != nil {
		return false
	}
	u.Path, u.RawQuery = "/.well-known/oauth-protected-resource"+strings.TrimSuffix(u.Path, "/"), ""
	_, err = oauthex.GetProtectedResourceMetadata(ctx, u.String(), a.Server.URL, a.client)
	return err == nil
}

// config says to the SDK's handler how to log in.
func (a *attempt) config() *auth.AuthorizationCodeHandlerConfig {
	cfg := &auth.AuthorizationCodeHandlerConfig{
		RedirectURL:              a.page.address,
		AuthorizationCodeFetcher: a.fetchCode,
		ScopeFilter:              a.scopes,
		RequestRefreshToken:      true,
		AcceptUnadvertisedIss:    true,
		Client:                   a.client,
		NewTokenSource:           a.keep,
	}
	if known := a.Server.OAuth; known.ClientID != "" {
		cfg.PreregisteredClient = &oauthex.ClientCredentials{ClientID: known.ClientID}
		if known.ClientSecret != "" {
			cfg.PreregisteredClient.ClientSecretAuth = &oauthex.ClientSecretAuth{ClientSecret: known.ClientSecret}
		}
		return cfg
	}
	itself := &oauthex.ClientRegistrationMetadata{
		ClientName:              "chibi",
		RedirectURIs:            []string{a.page.address},
		GrantTypes:              []string{"authorization_code", "refresh_token"},
		ResponseTypes:           []string{"code"},
		TokenEndpointAuthMethod: "none",
	}
	cfg.DynamicClientRegistrationConfig = &auth.DynamicClientRegistrationConfig{Metadata: itself}
	return cfg
}

// scopes are the rights to ask for: the rights of the configuration, else the rights that the
// server names; and if calls needed more than the last login had, the rights of both.
func (a *attempt) scopes(named []string) []string {
	asked := a.Server.OAuth.Scopes
	if len(asked) == 0 {
		asked = named
	}
	if len(a.before.Wanted) > 0 {
		asked = union(asked, append(a.before.Wanted, a.before.Scopes...))
	}
	return asked
}

// fetchCode has the person log in, and returns what the browser comes back with.
func (a *attempt) fetchCode(ctx context.Context, args *auth.AuthorizationArgs) (*auth.AuthorizationResult, error) {
	u, err := url.Parse(args.URL)
	if err != nil || u.User != nil {
		return nil, errors.New("the login server named an address for browsers that is not valid")
	}
	a.resource = u.Query().Get("resource")
	a.page.expect(u.Query().Get("state")) // before anybody can open the address
	a.Show(u.String())
	return a.page.wait(ctx, cmp.Or(a.Wait, DefaultWait))
}

// keep is called with the tokens of the login.
func (a *attempt) keep(_ context.Context, cfg *oauth2.Config, token *oauth2.Token) (oauth2.TokenSource, error) {
	a.got = login{
		Server: a.Server.Name, URL: a.Server.URL, Resource: a.resource, TokenURL: cfg.Endpoint.TokenURL,
		AuthStyle: int(cfg.Endpoint.AuthStyle), ClientID: cfg.ClientID, Scopes: union(cfg.Scopes, nil),
	}
	if a.Server.OAuth.ClientID == "" {
		a.got.ClientSecret = cfg.ClientSecret
	}
	return oauth2.StaticTokenSource(token), a.got.take(token)
}

// Logout forgets the logins at a server, whatever its URL was, and returns how many there
// were. It does not tell the login server.
func (l Logins) Logout(server string) (n int, err error) {
	err = jsonfile.Update(l.file(), func(all *document) error {
		var kept []login
		for _, one := range all.Logins {
			if one.Server != server {
				kept = append(kept, one)
			}
		}
		n = len(all.Logins) - len(kept)
		all.Logins = kept
		return nil
	})
	return n, err
}
