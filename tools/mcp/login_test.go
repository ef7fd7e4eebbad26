package mcp_test

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"github.com/chibi-host/chibi/tools/mcp"
	"github.com/chibi-host/chibi/tools/mcp/oauth"
	"github.com/chibi-host/chibi/tools/mcp/oauth/oauthtest"
)

// loginWorld is a run with a server that wants logins.
type loginWorld struct {
	*oauthtest.Servers
	t      *testing.T
	logins oauth.Logins
	server mcp.Server
	pool   *mcp.Pool
}

func newLoginWorld(t *testing.T, settings oauthtest.Settings) *loginWorld {
	w := &loginWorld{Servers: oauthtest.Start(t, settings), t: t, logins: oauth.In(t.TempDir(), nil)}
	w.server = mcp.Server{Name: "notes", URL: w.URL}
	w.pool = mcp.NewPool(mcp.PoolConfig{HTTP: mcp.HTTP{Authorize: w.logins.Handler}})
	t.Cleanup(w.pool.Close)
	return w
}

func (w *loginWorld) login() {
	w.t.Helper()
	err := w.logins.Login(w.t.Context(), oauth.Request{Server: w.server, Show: func(address string) {
		go func() {
			if res, err := http.Get(address); err != nil {
				w.t.Error(err)
			} else {
				res.Body.Close()
			}
		}()
	}})
	if err != nil {
		w.t.Fatal(err)
	}
}

// call calls the tool, and checks that the model is told a text that has want, and no secret.
func (w *loginWorld) call(want string) {
	w.t.Helper()
	result, err := w.pool.Call(w.t.Context(), w.server, "echo", json.RawMessage(`{"text":"hi"}`))
	if err != nil || !strings.Contains(result.Text, want) || w.Leaked(result.Text) != "" {
		w.t.Errorf("%q, %v; want %q", result.Text, err, want)
	}
}

func TestALoginWhileARunGoesOnIsUsed(t *testing.T) {
	w := newLoginWorld(t, oauthtest.Settings{})
	for range 6 { // more often than a server is started that does not answer
		w.call("Error: MCP server notes wants you to log in: chibi mcp login notes")
	}
	w.login()
	w.call("heard hi")
	w.Expire()
	w.call("heard hi")
	w.RevokeAll()
	w.call("Error: MCP server notes wants you to log in again, because its login has expired or was revoked: " +
		"chibi mcp login notes")
	w.login()
	w.call("heard hi")
}

func TestATokenThatIsNewAndNotAcceptedEndsInALogin(t *testing.T) {
	w := newLoginWorld(t, oauthtest.Settings{})
	w.login()
	w.call("heard hi")
	w.Set(func(s *oauthtest.Settings) {
		s.Before = func(answer http.ResponseWriter, r *http.Request) bool {
			if r.URL.Path == "/mcp" {
				answer.WriteHeader(http.StatusUnauthorized)
			}
			return r.URL.Path == "/mcp"
		}
	})
	w.call("Error: MCP server notes wants you to log in again, because it does not accept its token: " +
		"chibi mcp login notes")
}

func TestAServerThatForbidsACallIsNotAskedAgain(t *testing.T) {
	w := newLoginWorld(t, oauthtest.Settings{})
	w.login()
	w.call("heard hi")
	asked := 0
	w.Set(func(s *oauthtest.Settings) {
		s.Before = func(answer http.ResponseWriter, r *http.Request) bool {
			if r.URL.Path == "/mcp" && r.Method == http.MethodPost {
				asked++
				answer.WriteHeader(http.StatusForbidden)
				return true
			}
			return false
		}
	})
	w.call("403 Forbidden")
	if asked != 1 {
		t.Errorf("the call was sent %d times", asked)
	}
}
