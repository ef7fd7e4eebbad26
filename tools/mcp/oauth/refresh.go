package oauth

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"path/filepath"
	"time"

	"github.com/chibi-host/chibi/internal/disk"
	"github.com/chibi-host/chibi/tools/mcp"
	"golang.org/x/oauth2"
	"golang.org/x/oauth2/clientcredentials"
)

// The bounds of a refresh: how long the login server may take, how long a process waits for
// others that refresh the same login, and how long Ctrl-C waits for the answer. A login
// server that was asked has perhaps made the old refresh token invalid; so the answer is
// waited for and stored.
const (
	refreshTime  = 15 * time.Second
	refreshQueue = 3 * refreshTime
	refreshGrace = 2 * time.Second
)

// refresh returns a token in the place of one that is not valid any more. If another
// process has refreshed the login meanwhile, it returns that token.
func (h *handler) refresh(ctx context.Context, old string) (*oauth2.Token, error) {
	unlock, err := h.lock(ctx)
	if err != nil {
		return nil, err
	}
	defer unlock()
	known, ok, err := h.logins.find(h.server)
	switch {
	case err != nil:
		return nil, err
	case !ok:
		return nil, &mcp.LoginError{Server: h.server.Name}
	case known.AccessToken != old && known.isFresh():
		return known.token(), nil
	case known.RefreshToken == "":
		return nil, h.end(known)
	}
	ctx, cancel := patient(ctx)
	defer cancel()
	given, err := h.renew(ctx, known)
	var refused *oauth2.RetrieveError
	switch {
	case errors.As(err, &refused) && refused.ErrorCode == "invalid_grant":
		return nil, h.end(known)
	case err != nil:
		return nil, fmt.Errorf("refreshing the login at MCP server %s: %w", h.server.Name, explain(err))
	}
	used := known.RefreshToken
	if err := known.take(given); err != nil {
		return nil, fmt.Errorf("refreshing the login at MCP server %s: %w", h.server.Name, err)
	}
	return known.token(), h.logins.change(h.server, func(now *login) error {
		if now.RefreshToken == used { // otherwise the person has logged in anew
			known.Wanted = now.Wanted
			*now = known
		}
		return nil
	})
}

func (h *handler) lock(ctx context.Context) (unlock func(), err error) {
	ctx, cancel := context.WithTimeout(ctx, refreshQueue)
	defer cancel()
	unlock, err = disk.WaitLock(ctx, filepath.Join(h.logins.home, "mcp-tokens."+h.server.Name+".lock"))
	if errors.Is(err, context.DeadlineExceeded) {
		return nil, fmt.Errorf("another process refreshes the login at MCP server %s, and has not finished within %s; "+
			"end it and try again", h.server.Name, refreshQueue)
	}
	return unlock, err
}

// patient is a context that goes on for a moment when ctx was cancelled.
func patient(ctx context.Context) (context.Context, func()) {
	later, cancel := context.WithTimeout(context.WithoutCancel(ctx), refreshTime)
	stop := context.AfterFunc(ctx, func() { time.AfterFunc(refreshGrace, cancel) })
	return later, func() { stop(); cancel() }
}

// renew asks the login server for a new token. The request is as in RFC 6749, section 6, with
// the resource (RFC 8707), which the refresh of oauth2 itself leaves out.
func (h *handler) renew(ctx context.Context, known login) (*oauth2.Token, error) {
	secret := known.ClientSecret
	if known.ClientID == h.server.OAuth.ClientID {
		secret = h.server.OAuth.ClientSecret
	}
	client := h.logins.client(h.server)
	defer client.CloseIdleConnections()
	request := clientcredentials.Config{
		ClientID:     known.ClientID,
		ClientSecret: secret,
		TokenURL:     known.TokenURL,
		AuthStyle:    oauth2.AuthStyle(known.AuthStyle),
		EndpointParams: url.Values{
			"grant_type": {"refresh_token"}, "refresh_token": {known.RefreshToken}, "resource": {known.Resource},
		},
	}
	return request.Token(context.WithValue(ctx, oauth2.HTTPClient, client))
}

// end notes that a login has ended, unless there is a new one, and returns the error for
// the person.
func (h *handler) end(ended login) error {
	err := h.logins.change(h.server, func(known *login) error {
		if known.AccessToken == ended.AccessToken && known.RefreshToken == ended.RefreshToken {
			known.AccessToken, known.RefreshToken = "", ""
		}
		return nil
	})
	if err != nil {
		return err
	}
	return &mcp.LoginError{Server: h.server.Name, Reason: "its login has expired or was revoked"}
}
