package oauth_test

import (
	"compress/gzip"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/chibi-host/chibi/tools/mcp"
	"github.com/chibi-host/chibi/tools/mcp/oauth"
	"github.com/chibi-host/chibi/tools/mcp/oauth/oauthtest"
)

// at answers requests for a path.
func at(path string, answer http.HandlerFunc) func(*oauthtest.Settings) {
	return func(s *oauthtest.Settings) {
		s.Before = func(w http.ResponseWriter, r *http.Request) bool {
			if r.URL.Path != path {
				return false
			}
			answer(w, r)
			return true
		}
	}
}

func endless(w io.Writer) {
	for piece := []byte(strings.Repeat(" ", 1<<16)); ; {
		if _, err := w.Write(piece); err != nil {
			return
		}
	}
}

func say(status int, kind, text string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", kind)
		w.WriteHeader(status)
		io.WriteString(w, text)
	}
}

func TestWhatALoginServerMayNotDo(t *testing.T) {
	other := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		t.Errorf("another host was asked for %s", r.URL)
	}))
	defer other.Close()
	const (
		metadata = "/.well-known/oauth-authorization-server"
		json     = "application/json"
	)
	elsewhere := func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, other.URL+"/there?code=secret", http.StatusTemporaryRedirect)
	}
	for name, test := range map[string]struct {
		change func(*oauthtest.Settings)
		want   string
	}{
		"another issuer": {func(s *oauthtest.Settings) { s.Issuer = "https://login.example" },
			`metadata issuer "https://login.example" does not match issuer URL`},
		"a redirect of its description": {at(metadata, elsewhere),
			"it redirects to " + other.URL + "/there, which is not followed"},
		"a redirect of a registration": {at("/register", elsewhere),
			"it redirects to " + other.URL + "/there, which is not followed"},
		"a redirect of a code": {at("/token", elsewhere),
			"it redirects to " + other.URL + "/there, which is not followed"},
		"a web page as description": {at(metadata, say(200, "text/html", "<h1>hello</h1>")),
			`bad content type "text/html"`},
		"a web page for a token": {at("/token", say(200, "text/html", "<h1>access-token-1</h1>")),
			"cannot parse json"},
		"an error for a token": {at("/token", say(500, "text/html", "<h1>secret</h1>")),
			"the login server answered 500 Internal Server Error"},
		"a registration without a name": {at("/register", say(201, json, `{"client_secret":"secret"}`)),
			"missing required 'client_id'"},
		"a registration that is none": {at("/register", say(201, json, `{"client_secret":"secret"`)),
			"failed to decode successful registration response"},
		"a refused registration": {at("/register", say(400, json, `{"error":"no","error_description":"\u001b[2Jnever"}`)),
			`registering: the login server answered "no": never`},
		"a description without PKCE": {at(metadata, func(w http.ResponseWriter, r *http.Request) {
			say(200, json, `{"issuer":"http://`+r.Host+`"}`)(w, r)
		}), "does not implement PKCE"},
		"an address that is a script": {at(metadata, func(w http.ResponseWriter, r *http.Request) {
			say(200, json, `{"issuer":"http://`+r.Host+`","code_challenge_methods_supported":["S256"],`+
				`"authorization_endpoint":"javascript:alert(1)"}`)(w, r)
		}), `authorization_endpoint: URL has disallowed scheme "javascript"`},
		"an address with a user": {at(metadata, func(w http.ResponseWriter, r *http.Request) {
			say(200, json, `{"issuer":"http://`+r.Host+`","code_challenge_methods_supported":["S256"],`+
				`"registration_endpoint":"http://`+r.Host+`/register",`+
				`"authorization_endpoint":"https://bank.example@evil.example/"}`)(w, r)
		}), "the login server named an address for browsers that is not valid"},
		"an endless description": {at(metadata, func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", json)
			endless(w)
		}), "EOF"},
		"an endless registration": {at("/register", func(w http.ResponseWriter, _ *http.Request) { endless(w) }),
			"failed to decode successful registration response"},
		"a bomb": {at("/token", func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", json)
			w.Header().Set("Content-Encoding", "gzip")
			endless(gzip.NewWriter(w))
		}), "unexpected end of JSON input"},
		"a token of another type": {at("/token", say(200, json, `{"access_token":"a","token_type":"mac"}`)),
			"the login server gave a token of another type than Bearer"},
		"a token without an end": {
			at("/token", say(200, json, `{"access_token":"`+strings.Repeat("a", 70<<10)+`","token_type":"bearer"}`)),
			"the login server gave a token of more than 64 KiB"},
		"a person who says no": {func(s *oauthtest.Settings) { s.Deny = "access_denied" },
			`the login server answered "access_denied": <b>no</b>`},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, oauthtest.Settings{})
			w.Set(test.change)
			page, err := w.login()
			if err == nil || !strings.Contains(err.Error(), test.want) || strings.Contains(err.Error(), "secret") ||
				strings.Contains(err.Error(), "\x1b") || len(err.Error()) > 300 {
				t.Errorf("%v, want %q", err, test.want)
			}
			if strings.Contains(page, "<b>") || strings.Contains(page, "logged in to the MCP server notes. You") {
				t.Errorf("the page says %q", page)
			}
			if _, err := os.Stat(filepath.Join(w.home, "mcp-tokens.json")); !errors.Is(err, os.ErrNotExist) {
				t.Errorf("something was stored: %v", err)
			}
		})
	}
}

func TestALoginServerThatStallsIsGivenUp(t *testing.T) {
	w := newWorld(t, oauthtest.Settings{Lifetime: time.Second})
	w.mustLogin()
	w.logins = w.logins.Within(time.Second)
	done := make(chan struct{})
	w.Set(at("/token", func(http.ResponseWriter, *http.Request) { <-done }))
	defer close(done)
	session := make(chan error, 1)
	go func() { session <- w.call() }()
	select {
	case err := <-session:
		if err == nil || !strings.Contains(err.Error(), "did not answer in time") {
			t.Errorf("%v", err)
		}
	case <-time.After(2 * time.Minute):
		t.Error("it hangs")
	}
}

func TestALogoutDuringARefreshStays(t *testing.T) {
	w := newWorld(t, oauthtest.Settings{Lifetime: time.Second})
	w.mustLogin()
	w.Set(func(s *oauthtest.Settings) {
		s.Before = func(_ http.ResponseWriter, r *http.Request) bool {
			if r.URL.Path == "/token" {
				if _, err := w.logins.Logout("notes"); err != nil {
					t.Error(err)
				}
			}
			return false
		}
	})
	w.call() // ends well or not: the token is one that the person no longer wants
	text, err := os.ReadFile(filepath.Join(w.home, "mcp-tokens.json"))
	if err != nil || w.Leaked(string(text)) != "" {
		t.Errorf("after the logout: %s, %v", text, err)
	}
}

func TestOnlyTheBrowserOfTheLoginEndsIt(t *testing.T) {
	w := newWorld(t, oauthtest.Settings{})
	pages := make(chan string, 10)
	err := w.logins.Login(t.Context(), oauth.Request{Server: w.server, Show: func(address string) {
		u, err := url.Parse(address)
		if err != nil {
			t.Error(err)
		}
		back := u.Query().Get("redirect_uri")
		go func() {
			queries := []string{"", "?code=x", "?code=x&state=", "?code=x&state=guessed", "?error=x&state=guessed"}
			for _, query := range queries {
				pages <- browse(t, back+query)
			}
			browse(t, address)
			close(pages)
		}()
	}})
	if err != nil {
		t.Fatal(err)
	}
	for page := range pages {
		if !strings.Contains(page, "This is not the login that chibi waits for.") {
			t.Errorf("a page without the state says %q", page)
		}
	}
}

func TestWhereNobodyCanLogIn(t *testing.T) {
	open := httptest.NewServer(say(200, "text/plain", "hello"))
	defer open.Close()
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer taken.Close()
	busy := mcp.OAuth{RedirectPort: taken.Addr().(*net.TCPAddr).Port}
	for want, s := range map[string]mcp.Server{
		"only servers with a url have logins":              {Command: "x"},
		"an Authorization header":                          {URL: open.URL, Headers: map[string]string{"authorization": "x"}},
		"is not encrypted":                                 {URL: "http://mcp.example/"},
		"not ask for a login: it answered 200 OK":          {URL: open.URL},
		"the port at which the browser comes back (oauth.": {URL: open.URL, OAuth: busy},
	} {
		s.Name = "notes"
		err := oauth.In(t.TempDir(), nil).Login(t.Context(), oauth.Request{Server: s, Show: func(string) {}})
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
}
