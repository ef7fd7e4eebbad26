package mcpserve_test

import (
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chibi-host/chibi/internal/mcpserve"
)

func TestWhoMayCallOverHTTP(t *testing.T) {
	h := newHome(t, map[string]string{"greet": greet})
	h.start()
	url := h.listen()
	port := strings.TrimSuffix(url[strings.LastIndexByte(url, ':')+1:], mcpserve.Path)
	for _, test := range []struct {
		name   string
		header http.Header // Host is that of the request
		body   string
		status int
		text   string
	}{
		{"nothing is wrong", nil, begin, 200, `"serverInfo"`},
		{"localhost", http.Header{"Host": {"localhost:" + port}}, begin, 200, `"serverInfo"`},
		{"IPv6", http.Header{"Host": {"[::1]:" + port}}, begin, 200, `"serverInfo"`},
		{"a page of this machine", http.Header{"Origin": {"http://localhost:6274"}}, begin, 200, `"serverInfo"`},
		{"a page of elsewhere", http.Header{"Origin": {"https://evil.example"}}, begin, 403,
			"pages of other origins may not call tools\n"},
		{"a page without an origin", http.Header{"Origin": {"null"}}, begin, 403, "pages of other origins"},
		{"a page of a name that begins like ours", http.Header{"Origin": {"http://localhost.evil.example"}}, begin, 403,
			"pages of other origins"},
		{"two origins", http.Header{"Origin": {"http://localhost", "https://evil.example"}}, begin, 403, "pages of other"},
		{"a name that leads here", http.Header{"Host": {"evil.example:" + port}}, begin, 403,
			"the host \"evil.example:" + port + "\" is not this server\n"},
		{"another port", http.Header{"Host": {"localhost:1"}}, begin, 403, "is not this server"},
		{"a host without a port", http.Header{"Host": {"localhost"}}, begin, 403, "is not this server"},
		{"no token", http.Header{"Authorization": nil}, begin, 401,
			"send the token that chibi mcp serve printed, or was given: Authorization: Bearer TOKEN\n"},
		{"a wrong token", http.Header{"Authorization": {"Bearer " + token + "x"}}, begin, 401, "send the token"},
		{"another scheme", http.Header{"Authorization": {"Basic " + token}}, begin, 401, "send the token"},
		{"garbage", nil, "hello?", 400, ""},
		{"a large message", nil, `{"jsonrpc":"2.0","id":1,"method":"ping","params":{"a":"` + strings.Repeat("a", 17<<20) +
			`"}}`, 413, "the request is larger than 16 MiB\n"},
		{"a session that is not there", http.Header{"Mcp-Session-Id": {"x"}}, begin, 404, ""},
		{"not JSON", http.Header{"Content-Type": {"text/plain"}}, begin, 415, ""},
	} {
		r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, url, strings.NewReader(test.body))
		if err != nil {
			t.Fatal(err)
		}
		r.Header = http.Header{"Authorization": {"Bearer " + token}, "Content-Type": {"application/json"},
			"Accept": {"application/json, text/event-stream"}}
		for name, values := range test.header {
			r.Header[name] = values
		}
		r.Host = r.Header.Get("Host")
		response, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Errorf("%s: %v", test.name, err)
			continue
		}
		text, err := io.ReadAll(response.Body)
		response.Body.Close()
		if err != nil || response.StatusCode != test.status || !strings.Contains(string(text), test.text) {
			t.Errorf("%s: %s %.200q, %v; want %d %q", test.name, response.Status, text, err, test.status, test.text)
		}
	}
	response, err := withToken{}.RoundTrip(must(http.NewRequest(http.MethodGet, strings.TrimSuffix(url, "/mcp"), nil)))
	if err != nil || response.StatusCode != http.StatusNotFound {
		t.Errorf("another path: %v, %v", response, err)
	}
}

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

func TestManySessions(t *testing.T) {
	h := newHome(t, map[string]string{"greet": greet})
	h.start()
	url := h.listen()
	open := func() (int, string) {
		r := must(http.NewRequestWithContext(t.Context(), http.MethodPost, url, strings.NewReader(begin)))
		r.Header = http.Header{"Content-Type": {"application/json"}, "Accept": {"application/json, text/event-stream"}}
		response := must(withToken{}.RoundTrip(r))
		defer response.Body.Close()
		return response.StatusCode, string(must(io.ReadAll(response.Body)))
	}
	for i := range 64 {
		if status, text := open(); status != 200 {
			t.Fatalf("session %d: %d %s", i, status, text)
		}
	}
	if status, text := open(); status != 503 || text != "there are 64 clients already; end one of them\n" {
		t.Errorf("one more: %d %q", status, text)
	}
}

func TestAddressesThatOthersReachAreRefused(t *testing.T) {
	const only = " is not an address of this machine only, and whoever reaches this server can run tools; " +
		"use 127.0.0.1:PORT, [::1]:PORT or localhost:PORT"
	for address, want := range map[string]string{
		"0.0.0.0:0":      `"0.0.0.0:0"` + only,
		":0":             `":0"` + only,
		"[::]:0":         `"[::]:0"` + only,
		"192.0.2.1:0":    `"192.0.2.1:0"` + only,
		"example.com:0":  `"example.com:0"` + only,
		"127.0.0.1":      `"127.0.0.1" is not an address; use 127.0.0.1:PORT, [::1]:PORT or localhost:PORT`,
		"8080":           `"8080" is not an address; use 127.0.0.1:PORT, [::1]:PORT or localhost:PORT`,
		"127.0.0.1:0":    "",
		"localhost:0":    "",
		"LOCALHOST:0":    "",
		"127.8.9.10:0":   "",
		"127.0.0.1:many": "listening on 127.0.0.1:many: ",
	} {
		l, err := mcpserve.Listen(t.Context(), address)
		if err == nil {
			l.Close()
		}
		if want == "" && err != nil || want != "" && (err == nil || !strings.HasPrefix(err.Error(), want)) {
			t.Errorf("%s: %v, want %q", address, err, want)
		}
	}
}

func TestTokensOfFiles(t *testing.T) {
	path := filepath.Join(t.TempDir(), "token")
	const made = "; make one with: openssl rand -hex 32"
	for _, test := range []struct {
		text string
		mode os.FileMode
		want string
	}{
		{"0123456789abcdef\n", 0o600, ""},
		{"0123456789abcdef", 0o400, ""},
		{"0123456789abcdef", 0o640, "others may read PATH (mode 0640); run: chmod 600 PATH"},
		{"0123456789abcdef", 0o604, "others may read PATH (mode 0604); run: chmod 600 PATH"},
		{"short", 0o600, "PATH: the token is shorter than 16 characters" + made},
		{"", 0o600, "PATH: the token is shorter than 16 characters" + made},
		{"0123456789 abcdef", 0o600, "PATH: the token has spaces, or characters that are not ASCII" + made},
		{strings.Repeat("a", 5000), 0o600, "PATH is larger than 4096 bytes; it was not changed"},
	} {
		os.Remove(path)
		if err := os.WriteFile(path, []byte(test.text), test.mode); err != nil {
			t.Fatal(err)
		}
		token, err := mcpserve.ReadToken(path)
		got := ""
		if err != nil {
			got = strings.ReplaceAll(err.Error(), path, "PATH")
		} else if token != "0123456789abcdef" {
			t.Errorf("%q: %q", test.text, token)
		}
		if got != test.want {
			t.Errorf("%.20q %o: %q, want %q", test.text, test.mode, got, test.want)
		}
	}
	if a, b := mcpserve.NewToken(), mcpserve.NewToken(); a == b || mcpserve.CheckToken(a) != nil {
		t.Errorf("%q, %q", a, b)
	}
}
