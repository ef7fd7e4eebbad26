package oauth

import (
	"context"
	"net/http"
	"strings"

	"github.com/chibi-host/chibi/tools/mcp"
	"github.com/chibi-host/chibi/tools/mcp/internal/web"
	"github.com/modelcontextprotocol/go-sdk/auth"
	"github.com/modelcontextprotocol/go-sdk/oauthex"
	"golang.org/x/oauth2"
)

// Handler returns a handler that authorizes the requests of a run to a server, whose variables
// are filled in: it sends and refreshes the token of a login, and starts no login. It is for
// [mcp.HTTP].
func (l Logins) Handler(s mcp.Server) auth.OAuthHandler { return &handler{l, s} }

type handler struct {
	logins Logins
	server mcp.Server
}

// TokenSource returns the token of the login, nil if there is none. The file is read for
// each request, because another process may have refreshed it.
func (h *handler) TokenSource(ctx context.Context) (oauth2.TokenSource, error) {
	known, ok, err := h.logins.find(h.server)
	if err != nil || !ok || known.AccessToken == "" {
		return nil, err
	}
	return source(func() (*oauth2.Token, error) {
		if known.isFresh() {
			return known.token(), nil
		}
		return h.refresh(ctx, known.AccessToken)
	}), nil
}

// source is a function as a source of tokens.
type source func() (*oauth2.Token, error)

func (s source) Token() (*oauth2.Token, error) { return s() }

// Authorize is called for an answer 401 or 403. If it returns nil, the request, which the
// server has refused, is sent once more.
func (h *handler) Authorize(ctx context.Context, req *http.Request, res *http.Response) error {
	res.Body.Close()
	challenges, _ := oauthex.ParseWWWAuthenticate(res.Header.Values("WWW-Authenticate")) // or it says nothing
	if res.StatusCode == http.StatusForbidden {
		return h.forbidden(challenges)
	}
	sent := strings.TrimPrefix(req.Header.Get("Authorization"), "Bearer ")
	known, ok, err := h.logins.find(h.server)
	switch {
	case err != nil:
		return err
	case !ok:
		return &mcp.LoginError{Server: h.server.Name}
	case known.isFresh() && known.AccessToken != sent: // another process has refreshed it
		return nil
	}
	_, err = h.refresh(ctx, sent)
	return err
}

// forbidden is the error for a request that the login does not allow. If it has not enough
// rights, those that are missing are kept for the next login.
func (h *handler) forbidden(challenges []oauthex.Challenge) error {
	for _, c := range challenges {
		if c.Scheme != "bearer" || c.Params["error"] != "insufficient_scope" {
			continue
		}
		wanted := scopes(c.Params["scope"])
		err := h.logins.change(h.server, func(known *login) error {
			known.Wanted = union(wanted, known.Wanted)
			return nil
		})
		if err != nil {
			return err
		}
		reason := "this call needs more rights than its login has"
		if len(wanted) > 0 {
			reason += " (" + web.Text(strings.Join(wanted, " ")) + ")"
		}
		return &mcp.LoginError{Server: h.server.Name, Reason: reason}
	}
	return mcp.Refused("it answered 403 Forbidden")
}
