package oauth_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chibi-host/chibi/internal/childtest"
	"github.com/chibi-host/chibi/tools/mcp"
	"github.com/chibi-host/chibi/tools/mcp/oauth"
	"github.com/chibi-host/chibi/tools/mcp/oauth/oauthtest"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// world is a home, and the servers.
type world struct {
	*oauthtest.Servers
	t      *testing.T
	home   string
	logins oauth.Logins
	server mcp.Server
	said   []string
}

func newWorld(t *testing.T, settings oauthtest.Settings) *world {
	servers := oauthtest.Start(t, settings)
	w := &world{Servers: servers, t: t, home: t.TempDir(), server: mcp.Server{Name: "notes", URL: servers.URL}}
	w.logins = oauth.In(w.home, func(text string) { w.said = append(w.said, text) })
	return w
}

// browse follows an address as a browser does, and returns the last page.
func browse(t *testing.T, address string) string {
	res, err := http.Get(address)
	if err != nil {
		t.Error(err)
		return ""
	}
	defer res.Body.Close()
	text, err := io.ReadAll(res.Body)
	if err != nil {
		t.Error(err)
	}
	return string(text)
}

// login logs in with a browser, and returns the last page.
func (w *world) login() (page string, err error) {
	w.t.Helper()
	pages := make(chan string, 1)
	err = w.logins.Login(w.t.Context(), oauth.Request{Server: w.server, Show: func(address string) {
		go func() { pages <- browse(w.t, address) }()
	}})
	select {
	case page = <-pages:
	default:
		if err == nil {
			page = <-pages
		}
	}
	if err != nil && w.Leaked(err.Error()) != "" {
		w.t.Errorf("the error has a secret: %v", err)
	}
	return page, err
}

func (w *world) mustLogin() {
	w.t.Helper()
	if _, err := w.login(); err != nil {
		w.t.Fatal(err)
	}
}

// call connects and calls the tool.
func (w *world) call() error {
	w.t.Helper()
	session, err := w.connect()
	if err != nil {
		return err
	}
	defer session.Close()
	return w.ask(session)
}

func (w *world) connect() (*sdk.ClientSession, error) {
	client := sdk.NewClient(&sdk.Implementation{Name: "test"}, &sdk.ClientOptions{Capabilities: &sdk.ClientCapabilities{}})
	return client.Connect(w.t.Context(), &sdk.StreamableClientTransport{
		Endpoint: w.server.URL, DisableStandaloneSSE: true, OAuthHandler: w.logins.Handler(w.server),
	}, nil)
}

func (w *world) ask(session *sdk.ClientSession) error {
	res, err := session.CallTool(w.t.Context(), &sdk.CallToolParams{Name: "echo", Arguments: map[string]any{"text": "hi"}})
	if err != nil {
		if secret := w.Leaked(err.Error()); secret != "" {
			w.t.Errorf("the error has a secret: %v", err)
		}
		return err
	}
	if text := res.Content[0].(*sdk.TextContent).Text; text != "heard hi" {
		return fmt.Errorf("the tool said %q", text)
	}
	return nil
}

// wantsLogin checks that an error tells the person to log in.
func wantsLogin(t *testing.T, err error, want string) {
	t.Helper()
	var login *mcp.LoginError
	if !errors.As(err, &login) || login.Error() != want {
		t.Errorf("%v, want %q", err, want)
	}
}

func TestALoginLetsTheRunsAfterItIn(t *testing.T) {
	w := newWorld(t, oauthtest.Settings{})
	wantsLogin(t, w.call(), "MCP server notes wants you to log in: chibi mcp login notes")
	page, err := w.login()
	if err != nil || !strings.Contains(page, "chibi is logged in to the MCP server notes. You can close this page.") {
		t.Fatalf("%v; the page says %s", err, page)
	}
	for range 2 {
		if err := w.call(); err != nil {
			t.Fatal(err)
		}
	}
	info, err := os.Stat(filepath.Join(w.home, "mcp-tokens.json"))
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("mcp-tokens.json: %v, %v", info.Mode(), err)
	}
}

func TestATokenIsForOneNameAndOneURL(t *testing.T) {
	w := newWorld(t, oauthtest.Settings{})
	w.mustLogin()
	other := *w
	other.server.Name = "other"
	wantsLogin(t, other.call(), "MCP server other wants you to log in: chibi mcp login other")
	seen := make(chan string, 10)
	w.Set(func(s *oauthtest.Settings) {
		s.Before = func(_ http.ResponseWriter, r *http.Request) bool {
			if r.URL.Path == "/mcp" && r.URL.RawQuery != "" {
				seen <- r.Header.Get("Authorization")
			}
			return false
		}
	})
	w.server.URL += "?elsewhere"
	wantsLogin(t, w.call(), "MCP server notes wants you to log in: chibi mcp login notes")
	for len(seen) > 0 {
		if sent := <-seen; sent != "" {
			t.Errorf("another URL was sent %q", sent)
		}
	}
}

func TestATokenThatHasExpiredIsRefreshedAndKept(t *testing.T) {
	w := newWorld(t, oauthtest.Settings{Lifetime: time.Second}) // less than the time by which it is renewed early
	w.mustLogin()
	session, err := w.connect() // each request refreshes
	if err != nil {
		t.Fatal(err)
	}
	defer session.Close()
	if err := w.ask(session); err != nil {
		t.Fatal(err)
	}
	before, _ := w.Count()
	if before < 2 {
		t.Errorf("%d tokens were refreshed", before)
	}
	w.Set(func(s *oauthtest.Settings) { s.Lifetime = time.Hour })
	for range 3 {
		if err := w.call(); err != nil {
			t.Fatal(err)
		}
	}
	if after, _ := w.Count(); after != before+1 {
		t.Errorf("a token that lasts was refreshed %d times", after-before)
	}
}

func TestATokenThatTheServerForgotIsRefreshedInTheMidstOfASession(t *testing.T) {
	w := newWorld(t, oauthtest.Settings{})
	w.mustLogin()
	session, err := w.connect()
	if err != nil {
		t.Fatal(err)
	}
	defer session.Close()
	w.Expire()
	if err := w.ask(session); err != nil {
		t.Fatal(err)
	}
	if refreshes, calls := w.Count(); refreshes != 1 || calls != 1 {
		t.Errorf("%d refreshes, %d calls; want one of each", refreshes, calls)
	}
}

func TestALoginThatWasRevokedSaysSo(t *testing.T) {
	w := newWorld(t, oauthtest.Settings{})
	w.mustLogin()
	w.RevokeAll()
	const want = "MCP server notes wants you to log in again, because its login has expired or was revoked: " +
		"chibi mcp login notes"
	wantsLogin(t, w.call(), want)
	wantsLogin(t, w.call(), want)
	if refreshes, _ := w.Count(); refreshes != 1 {
		t.Errorf("a login that has ended was refreshed %d times", refreshes)
	}
	w.mustLogin()
	if err := w.call(); err != nil {
		t.Fatal(err)
	}
}

func TestACallThatNeedsMoreRightsNamesThem(t *testing.T) {
	w := newWorld(t, oauthtest.Settings{Scope: "notes:write"})
	w.mustLogin()
	wantsLogin(t, w.call(), "MCP server notes wants you to log in again, because this call needs more rights "+
		"than its login has (notes:write): chibi mcp login notes")
	w.mustLogin()
	if err := w.call(); err != nil {
		t.Fatalf("after the second login: %v", err)
	}
}

func TestAServerThatAsksOnlyForCalls(t *testing.T) {
	w := newWorld(t, oauthtest.Settings{IsOpen: true})
	wantsLogin(t, w.call(), "MCP server notes wants you to log in: chibi mcp login notes")
	w.mustLogin()
	if err := w.call(); err != nil {
		t.Fatal(err)
	}
}

func TestAClientThatIsKnown(t *testing.T) {
	w := newWorld(t, oauthtest.Settings{KnownClient: "chibi-of-mine", KnownSecret: "the secret of mine",
		Lifetime: time.Second})
	if _, err := w.login(); err == nil || !strings.Contains(err.Error(), "no configured client registration methods") {
		t.Errorf("without a client: %v", err)
	}
	w.server.OAuth = mcp.OAuth{ClientID: "chibi-of-mine", ClientSecret: "the secret of mine"}
	w.mustLogin()
	if err := w.call(); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(filepath.Join(w.home, "mcp-tokens.json"))
	if err != nil || strings.Contains(string(text), "the secret of mine") {
		t.Errorf("the secret of the configuration was stored: %v", err)
	}
}

func TestLogout(t *testing.T) {
	w := newWorld(t, oauthtest.Settings{})
	w.mustLogin()
	for _, want := range []int{1, 0} {
		if n, err := w.logins.Logout("notes"); n != want || err != nil {
			t.Errorf("%d, %v; want %d", n, err, want)
		}
	}
	wantsLogin(t, w.call(), "MCP server notes wants you to log in: chibi mcp login notes")
}

func TestADamagedFileIsNoLogin(t *testing.T) {
	w := newWorld(t, oauthtest.Settings{})
	if err := os.WriteFile(filepath.Join(w.home, "mcp-tokens.json"), []byte("{"), 0o644); err != nil {
		t.Fatal(err)
	}
	wantsLogin(t, w.call(), "MCP server notes wants you to log in: chibi mcp login notes")
	w.mustLogin()
	if err := w.call(); err != nil || len(w.said) != 1 {
		t.Errorf("%v; said %q", err, w.said)
	}
}

// refreshMany is what each of several processes does with one login.
func refreshMany(t *testing.T, place string) {
	home, url, _ := strings.Cut(place, " ")
	w := &world{Servers: &oauthtest.Servers{}, t: t, home: home, logins: oauth.In(home, nil),
		server: mcp.Server{Name: "notes", URL: url}}
	for range 5 {
		if err := w.call(); err != nil {
			t.Error(err)
		}
	}
}

func TestProcessesThatRefreshAtOnceLoseNoToken(t *testing.T) {
	childtest.Do(t, "OAUTH_TEST_CHILD", func(place string) { refreshMany(t, place) })
	w := newWorld(t, oauthtest.Settings{Lifetime: time.Second})
	w.mustLogin()
	var all sync.WaitGroup
	for range 4 {
		all.Go(func() {
			self := childtest.Command(t)
			child := exec.Command(self[0], self[1:]...)
			child.Env = childtest.Environ(t, "OAUTH_TEST_CHILD", w.home+" "+w.URL)
			if out, err := child.CombinedOutput(); err != nil {
				t.Errorf("%v: %s", err, out)
			}
		})
	}
	all.Wait()
	if err := w.call(); err != nil {
		t.Errorf("afterwards: %v", err)
	}
}

func TestALoginEndsWithItsContextAndItsTime(t *testing.T) {
	w := newWorld(t, oauthtest.Settings{})
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	err := w.logins.Login(ctx, oauth.Request{Server: w.server, Show: func(string) { cancel() }})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
	err = w.logins.Login(t.Context(), oauth.Request{Server: w.server, Show: func(string) {}, Wait: time.Millisecond})
	if err == nil || err.Error() != "nobody logged in within 1ms" {
		t.Errorf("late: %v", err)
	}
}
