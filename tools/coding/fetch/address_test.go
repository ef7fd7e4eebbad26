package fetch_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/chibi-host/chibi/permissions"
	"github.com/chibi-host/chibi/tools"
	"github.com/chibi-host/chibi/tools/coding/fetch"
)

// denied ends what is said where nobody can be asked; it begins with the reason.
const denied = "a person must allow it, and there is no terminal to ask at; --trust-tools allows it for one run"

// isDenied reports whether a call was refused because nobody can be asked.
func isDenied(text string) bool {
	return strings.HasPrefix(text, "Permission denied: ") && strings.HasSuffix(text, denied)
}

func TestAddressesThatAreNotPublicAreRefusedWithoutARule(t *testing.T) {
	secret := serve(t, says("text/plain", "secret"))
	resolver := (&names{answers: map[string][]string{
		"home.example": {"127.0.0.1"}, "metadata.example": {"169.254.169.254"},
		"mapped.example": {"::ffff:127.0.0.1"},
		"mixed.example":  {"93.184.216.34 127.0.0.1"}, "six.example": {"fd00:ec2::254"},
		"nat64.example": {"64:ff9b::7f00:1"},
	}}).resolver(t)
	for _, allow := range [][]string{{"http://*:*"}, {"*"}, {"http://*.example:*", "preset:private_network"}} {
		u := setUp(t, fetch.Config{Resolver: resolver}, allow...)
		for _, host := range []string{"127.0.0.1", "0x7f.1", "2130706433", "localhost", "[::1]", "[::ffff:7f00:1]",
			"[64:ff9b::7f00:1]",
			"[2002:7f00:1::]", "0", "[::]", "169.254.169.254", "[::ffff:169.254.169.254]", "home.example",
			"metadata.example",
			"mapped.example", "mixed.example", "six.example", "nat64.example", "HOME.example."} {
			if got := u.get(t, "http://"+host+":"+secret+"/"); !isDenied(got.Text) {
				t.Errorf("%v and %s: %s", allow, host, got.Text)
			}
		}
	}
	u := setUp(t, fetch.Config{Resolver: resolver}, "http://home.example:*")
	if got := u.get(t, "http://home.example:"+secret); !strings.HasSuffix(got.Text, "secret\n") {
		t.Errorf("a name that is written out: %s", got.Text)
	}
}

func TestWithoutAJudgeOnlyPublicAddressesAreFetched(t *testing.T) {
	port := serve(t, says("text/plain", "secret"))
	resolver := (&names{answers: map[string][]string{"home.example": {"127.0.0.1"}}}).resolver(t)
	tool := fetch.New(fetch.Config{Resolver: resolver, Proxy: noProxy})
	for host, want := range map[string]string{
		"127.0.0.1":    "is refused: 127.0.0.1 is not a public address (loopback), and nothing allows that",
		"home.example": "is refused: home.example has the address 127.0.0.1 (loopback), and nothing allows that",
		"none.example": "Error: there is no host none.example",
	} {
		call := tools.Call{ID: "call_1", Arguments: fmt.Appendf(nil, `{"url": "http://%s:%s/"}`, host, port)}
		if got, err := tool.Call(t.Context(), call); err != nil || !got.Failed || !strings.Contains(got.Text, want) {
			t.Errorf("%s: %+v %v", host, got, err)
		}
	}
}

func TestAPersonFetchesWhatTheyName(t *testing.T) {
	port := serve(t, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/to" {
			http.Redirect(w, r, "http://localhost:1/", http.StatusFound)
		}
		fmt.Fprint(w, "mine")
	})
	tool := fetch.New(fetch.Config{Proxy: noProxy})
	for path, want := range map[string]string{"/": "\n\nmine\n", "/to": "redirects to http://localhost:1/, " +
		"which was not fetched"} {
		call := tools.Call{Arguments: fmt.Appendf(nil, `{"url": "http://127.0.0.1:%s%s"}`, port, path)}
		if got, err := tool.Call(t.Context(), call); err != nil || !strings.Contains(got.Text, want) {
			t.Errorf("%s: %+v %v", path, got, err)
		}
	}
}

func TestANameCannotChangeItsAddressAfterItWasJudged(t *testing.T) {
	port := serve(t, says("text/plain", "the judged one"))
	dns := &names{answers: map[string][]string{"rebind.example": {"127.0.0.1", "127.0.0.2"}}}
	u := setUp(t, fetch.Config{Resolver: dns.resolver(t)}, "http://rebind.example:*")
	if got := u.get(t, "http://rebind.example:"+port); !strings.HasSuffix(got.Text, "the judged one\n") {
		t.Errorf("%s", got.Text)
	}
	if len(dns.lookups()) != 1 {
		t.Errorf("it was looked up %d times", len(dns.lookups()))
	}
}

func TestANameThatIsRefusedIsNotLookedUp(t *testing.T) {
	dns := &names{answers: map[string][]string{"leak.example": {"1.1.1.1"}}}
	u := setUp(t, fetch.Config{Resolver: dns.resolver(t)})
	if got := u.get(t, "http://leak.example/"); got.Text != "Permission denied: "+denied || len(dns.lookups()) > 0 {
		t.Errorf("%s, and these names were looked up: %v", got.Text, dns.lookups())
	}
}

func TestAHostThatDoesNotExist(t *testing.T) {
	u := setUp(t, fetch.Config{Resolver: (&names{}).resolver(t)}, "http://*")
	if got := u.get(t, "http://none.example/"); got.Text != "Error: fetching http://none.example/: there is no "+
		"host none.example" {
		t.Errorf("%s", got.Text)
	}
}

func TestTheNextAddressIsTriedIfOneDoesNotAnswer(t *testing.T) {
	port := serve(t, says("text/plain", "hello"))
	dns := &names{answers: map[string][]string{"two.example": {"127.0.0.9 127.0.0.1"}}}
	u := setUp(t, fetch.Config{Resolver: dns.resolver(t)}, "http://two.example:*")
	if got := u.get(t, "http://two.example:"+port); !strings.HasSuffix(got.Text, "hello\n") {
		t.Errorf("%s", got.Text)
	}
}

func TestRedirects(t *testing.T) {
	var mu sync.Mutex
	var asked []string
	handler := func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		asked = append(asked, r.Host+r.URL.Path)
		mu.Unlock()
		if to := r.URL.Query().Get("to"); to != "" {
			w.Header().Set("Location", to)
			w.WriteHeader(http.StatusFound)
			return
		}
		if n := 0; r.URL.Path != "/" {
			if fmt.Sscanf(r.URL.Path, "/%d", &n); n > 0 {
				http.Redirect(w, r, fmt.Sprintf("/%d", n-1), http.StatusMovedPermanently)
				return
			}
		}
		fmt.Fprint(w, "arrived")
	}
	port := serve(t, handler)
	dns := &names{answers: map[string][]string{"a.example": {"127.0.0.1"}, "b.example": {"127.0.0.1"},
		"c.example":    {"127.0.0.1"},
		"meta.example": {"169.254.169.254"}}}
	u := setUp(t, fetch.Config{Resolver: dns.resolver(t)}, "http://a.example:*", "http://b.example:"+port+"/open/*",
		"http://*.example:*")
	from := "http://a.example:" + port + "/"
	was := "Error: " + from + "?to=TARGET redirects to TARGET, which was not fetched: "
	ask := "no rule allows that without a question; call fetch_url with this URL to ask"
	for _, test := range []struct{ to, want string }{
		{"/10", "http://a.example:" + port + "/0\n200 OK, text/plain, 7 bytes\nredirected from " +
			"" + from + "10\n\narrived\n"},
		{"/11", "Error: " + from + "11 redirects more than 10 times, now to " + from + "0"},
		{"http://b.example:" + port + "/open/x", "\n\narrived\n"},
		{"http://b.example:" + port + "/closed", was + "b.example has the address 127.0.0.1 (loopback); " + ask},
		{"http://meta.example:" + port + "/", was + "meta.example has the address 169.254.169.254 " +
			"(cloud_metadata); " + ask},
		{"http://169.254.169.254/latest/", was + "169.254.169.254 is not a public address (cloud_metadata); " + ask},
		{"http://[::ffff:7f00:1]:" + port + "/", was + "127.0.0.1 is not a public address (loopback); " + ask},
		{"http://other.test/", was + ask},
		{"https://a.example:" + port + "/", was + "a.example has the address 127.0.0.1 (loopback); " + ask},
		// not the same port
		{"file:///etc/passwd", "Error: " + from + "?to=TARGET redirects to \"file:///etc/passwd\", which is not " +
			"fetched: the scheme " +
			"\"file\" is not supported; only http and https are"},
		{"http://u:p@a.example/", "the URL has a user name or password; these are not sent"},
	} {
		start, shown := from+"?to="+url.QueryEscape(test.to), test.to
		if strings.HasPrefix(test.to, "/") {
			start = from + test.to[1:]
		}
		if strings.Contains(shown, "::ffff:") {
			shown = "http://127.0.0.1:" + port + "/"
		}
		want := strings.Replace(test.want, "?to=TARGET", start[len(from):], 1)
		want = strings.Replace(want, "TARGET", shown, 1)
		if got := u.get(t, start); !strings.Contains(strings.ReplaceAll(got.Text, "%3A", ":"),
			strings.ReplaceAll(want, "%3A", ":")) {
			t.Errorf("to %s:\n got %s\nwant %s", test.to, got.Text, want)
		}
	}
	mu.Lock()
	defer mu.Unlock()
	if slices.ContainsFunc(asked, func(at string) bool {
		return !strings.HasPrefix(at,
			"a.example:") && !strings.Contains(at, "/open/")
	}) {
		t.Errorf("these were fetched: %v", asked)
	}
}

func TestARedirectInACircle(t *testing.T) {
	port := serve(t, func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, map[string]string{"/a": "/b", "/b": "/a#again"}[r.URL.Path], http.StatusFound)
	})
	base := "http://127.0.0.1:" + port
	got := setUp(t, fetch.Config{}, "http://127.0.0.1:*").get(t, base+"/a")
	if got.Text != "Error: "+base+"/a redirects in a circle, by way of "+base+"/a" {
		t.Errorf("%s", got.Text)
	}
}

func TestAGuardSeesEachRedirect(t *testing.T) {
	port := serve(t, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/" {
			http.Redirect(w, r, "/admin", http.StatusFound)
		}
		fmt.Fprint(w, "admin")
	})
	base := "http://127.0.0.1:" + port
	was := "Error: " + base + "/ redirects to " + base + "/admin, which was not fetched: no admin pages; "
	for decision, want := range map[permissions.Decision]string{
		permissions.Deny:      was + "it is denied by plugin \"guard\"",
		permissions.Ask:       was + "no rule allows that without a question; call fetch_url with this URL to ask",
		permissions.Undecided: base + "/admin\n200 OK, text/plain, 5 bytes\nredirected from " + base + "/\n\nadmin\n",
		permissions.Allow:     base + "/admin\n200 OK, text/plain, 5 bytes\nredirected from " + base + "/\n\nadmin\n",
	} {
		u := setUp(t, fetch.Config{}, "http://127.0.0.1:*")
		guarded := func(ctx context.Context, target tools.Access) (permissions.Judgement, error) {
			guard := func(context.Context) (permissions.Judgement, error) {
				return permissions.Judgement{Decision: decision, By: `plugin "guard"`, Reason: "no admin pages"}, nil
			}
			return u.gate.Follow(ctx, permissions.Call{Access: target}, guard)
		}
		u.tool = fetch.New(fetch.Config{Proxy: noProxy, Follow: guarded}).(tools.Planner)
		if got := u.get(t, base); got.Text != want {
			t.Errorf("%s: %s", decision, got.Text)
		}
	}
}

func TestFromHTTPToHTTPSOfTheSameHostIsNotAnotherPlace(t *testing.T) {
	// Ports 80 and 443 are those of a proxy that answers for every host.
	proxy := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodConnect {
			w.WriteHeader(http.StatusTeapot) // it came this far
			return
		}
		http.Redirect(w, r, "https://up.example/", http.StatusMovedPermanently)
	}))
	defer proxy.Close()
	at, _ := url.Parse(proxy.URL)
	dns := &names{answers: map[string][]string{"up.example": {"93.184.216.34"}}}
	u := setUp(t, fetch.Config{Resolver: dns.resolver(t), Proxy: http.ProxyURL(at)}, "http://up.example")
	if got := u.get(t, "http://up.example/"); got.Text != "Error: fetching https://up.example/: I'm a teapot" {
		t.Errorf("%s", got.Text)
	}
}

func TestBehindAProxy(t *testing.T) {
	proxy := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprint(w, "by proxy: ", r.URL)
	}))
	defer proxy.Close()
	at, _ := url.Parse(proxy.URL)
	direct := serve(t, says("text/plain", "directly"))
	dns := &names{answers: map[string][]string{"public.example": {"93.184.216.34"}, "inner.example": {"10.0.0.1"},
		"home.example": {"127.0.0.1"}}}
	u := setUp(t, fetch.Config{Resolver: dns.resolver(t), Proxy: http.ProxyURL(at)}, "http://*",
		"http://known.example",
		"http://home.example:*", "preset:loopback")
	for address, want := range map[string]string{
		"http://public.example/":              "by proxy: http://public.example/",
		"http://inner.example/":               denied,
		"http://unknown.example/":             denied, // the proxy may know its address, and we do not
		"http://known.example/":               "by proxy: http://known.example/",
		"http://home.example:" + direct + "/": "directly",
		"http://127.0.0.1:" + direct + "/":    "directly",
		"http://[::ffff:127.0.0.1]:" + direct: "directly",
		"http://169.254.169.254/":             denied,
	} {
		got := u.get(t, address)
		if !strings.Contains(got.Text, want) || want == denied && !isDenied(got.Text) {
			t.Errorf("%s: %s", address, got.Text)
		}
	}
}
