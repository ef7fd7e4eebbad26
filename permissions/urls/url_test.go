package urls_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/chibi-host/chibi/internal/fuzztest"
	"github.com/chibi-host/chibi/permissions/urls"
)

func TestParseMakesOneSpelling(t *testing.T) {
	for text, want := range map[string]string{
		"http://example.com":                     "http://example.com/",
		"HTTP://EXAMPLE.com:80/":                 "http://example.com/",
		"https://example.com:443":                "https://example.com/",
		"https://example.com:8443/":              "https://example.com:8443/",
		"https://example.com:/":                  "https://example.com/",
		"http://example.com:0080/":               "http://example.com/",
		"https://example.com./a":                 "https://example.com/a",
		"https://example.com/a/../b/./c":         "https://example.com/b/c",
		"https://example.com/a/%2e%2E/b":         "https://example.com/b",
		"https://example.com/../../x":            "https://example.com/x",
		"https://example.com/a/..":               "https://example.com/",
		"https://example.com/a//b":               "https://example.com/a//b",
		"https://example.com/%7euser/%c3%a9":     "https://example.com/~user/%C3%A9",
		"https://example.com/é":                  "https://example.com/%C3%A9",
		"https://example.com/a%2Fb%3F":           "https://example.com/a%2Fb%3F",
		"https://example.com/?q=a%20b#part":      "https://example.com/?q=a%20b",
		"https://example.com?x=100%&y=%zz":       "https://example.com/?x=100%25&y=%25zz",
		"https://example.com/?":                  "https://example.com/",
		"https://bücher.example/":                "https://xn--bcher-kva.example/",
		"https://BÜCHER.example/":                "https://xn--bcher-kva.example/",
		"https://XN--BCHER-KVA.example/":         "https://xn--bcher-kva.example/",
		"http://my_host.example/":                "http://my_host.example/",
		"http://127.0.0.1/":                      "http://127.0.0.1/",
		"http://127.1/":                          "http://127.0.0.1/",
		"http://0x7f.1/":                         "http://127.0.0.1/",
		"http://0X7F.0x1/":                       "http://127.0.0.1/",
		"http://0177.0.0.01/":                    "http://127.0.0.1/",
		"http://2130706433/":                     "http://127.0.0.1/",
		"http://017700000001/":                   "http://127.0.0.1/",
		"http://127.0.0.1./":                     "http://127.0.0.1/",
		"http://0/":                              "http://0.0.0.0/",
		"http://１２７.０.０.１/":                      "http://127.0.0.1/",
		"http://127。0。0。1/":                      "http://127.0.0.1/",
		"http://[::1]:8080/":                     "http://[::1]:8080/",
		"http://[0:0::1]/":                       "http://[::1]/",
		"http://[::ffff:127.0.0.1]/":             "http://127.0.0.1/",
		"http://[::ffff:7f00:1]/":                "http://127.0.0.1/",
		"http://[64:FF9B::169.254.169.254]:80/x": "http://[64:ff9b::a9fe:a9fe]/x",
	} {
		u, err := urls.Parse(text)
		if err != nil || u.String() != want {
			t.Errorf("%s: %s %v, want %s", text, u, err, want)
		}
	}
}

func TestParseRefusesWhatIsNotFetched(t *testing.T) {
	for text, want := range map[string]string{
		"":                           "no scheme",
		"example.com":                "no scheme",
		"//example.com/":             "no scheme",
		"ftp://example.com/":         `the scheme "ftp" is not supported`,
		"file:///etc/passwd":         `the scheme "file" is not supported`,
		"http:example.com":           "no host",
		"http:///x":                  "no host",
		"http://:80/":                "a host name has 1 to 253 characters",
		"https://user@example.com/":  "user name or password",
		"https://good.example@evil/": "user name or password",
		"http://a b/":                `contains the character " "; write it as %20`,
		"http://example.com/\n":      `contains the character "\n"`,
		"http://example.com\\@evil/": `contains the character "\\"; write it as %5C`,
		"http://1.2.3.4.5/":          "neither a host name nor an IPv4 address",
		"http://256.1.1.1/":          "neither a host name nor an IPv4 address",
		"http://4294967296/":         "neither a host name nor an IPv4 address",
		"http://example.1/":          "neither a host name nor an IPv4 address",
		"http://08.0.0.1/":           "neither a host name nor an IPv4 address",
		"http://.0":                  "neither a host name nor an IPv4", "http://1..2/": "neither a host name nor an IPv4",
		"http://a..b/":                          "is not a host name",
		"http://example.com../":                 "is not a host name",
		"http://exa$mple.com/":                  "is not a host name",
		"http://xn--a/":                         "is not a host name",
		"http://[fe80::1%25eth0]/":              "zone",
		"http://[1.2.3.4]/":                     "invalid IP-literal",
		"http://[::1/":                          "invalid URL",
		"http://example.com:0/":                 "is not a port",
		"http://example.com:65536/":             "is not a port",
		"http://example.com:x/":                 "invalid URL",
		"http://example.com/%zz":                "invalid URL",
		"http://exa%00mple.com/":                "invalid URL",
		"http://" + strings.Repeat("a", 9000):   "at most 8192",
		"http://a/" + strings.Repeat("é", 4000): "when it is escaped",
	} {
		u, err := urls.Parse(text)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%.100q: %s %v, want an error with %q", text, u, err, want)
		}
	}
}

func TestJoinFollowsReferences(t *testing.T) {
	base, err := urls.Parse("https://example.com/a/b?x")
	if err != nil {
		t.Fatal(err)
	}
	for reference, want := range map[string]string{
		"c": "https://example.com/a/c", "/c": "https://example.com/c", "//other.example": "https://other.example/",
		"http://0x7f.1:81/": "http://127.0.0.1:81/", "?y": "https://example.com/a/b?y",
		"../../../c": "https://example.com/c",
		"#x":         "https://example.com/a/b?x", "javascript:alert(1)": "", "http://u:p@x/": "", "\\\\evil": "",
		"mailto:a@b": "",
	} {
		got, err := base.Join(reference)
		if got.String() != want || (err == nil) != (want != "") {
			t.Errorf("%s: %s %v, want %s", reference, got, err, want)
		}
	}
}

func FuzzParse(f *testing.F) {
	for _, seed := range []string{"http://0x7f.1:80/a/../b?c#d", "https://[::ffff:7f00:1]/",
		"https://BÜcher.example./%7e%zz",
		"http://a@b:c/", "http://1.2.3/", "http://2130706433", "HTTP://A:081//x/%2E%2e/..;/?%"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		fuzztest.Memory(t)
		u, err := urls.Parse(text)
		if err != nil {
			if !u.IsZero() {
				t.Fatalf("%q: %s and an error", text, u)
			}
			return
		}
		again, err := urls.Parse(u.String())
		if err != nil || again != u {
			t.Fatalf("%q: %s, read again %s %v", text, u, again, err)
		}
		request, err := http.NewRequest(http.MethodGet, u.String(), nil)
		if err != nil {
			t.Fatalf("%q: %s is no URL for a request: %v", text, u, err)
		}
		checkRequest(t, u, request.URL)
	})
}

// checkRequest checks that an HTTP client connects to what was judged, and asks for it.
func checkRequest(t *testing.T, u urls.URL, sent *url.URL) {
	t.Helper()
	if sent.Hostname() != u.Host() {
		t.Fatalf("%s: judged %q, connected to %q", u, u.Host(), sent.Hostname())
	}
	if port := sent.Port(); port != u.Port() && port != "" {
		t.Fatalf("%s: judged port %q, connected to %q", u, u.Port(), port)
	}
	if target := u.Origin() + sent.RequestURI(); target != u.String() {
		t.Fatalf("%s: asks for %s", u, target)
	}
	if strings.ContainsFunc(u.String(), func(r rune) bool { return r <= ' ' || r > '~' }) {
		t.Fatalf("%q is not all printable ASCII", u)
	}
}
