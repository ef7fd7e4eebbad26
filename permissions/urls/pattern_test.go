package urls_test

import (
	"strings"
	"testing"

	"github.com/chibi-host/chibi/internal/fuzztest"
	"github.com/chibi-host/chibi/permissions/urls"
)

func TestPatterns(t *testing.T) {
	for _, test := range []struct{ pattern, matches, others string }{
		{"https://example.com", "https://example.com https://EXAMPLE.com./a/b?c https://example.com:443/",
			"http://example.com https://a.example.com https://example.com:8443/ https://example.com.evil.net"},
		{"https://example.com/docs/*", "https://example.com/docs/ https://example.com/docs/a?b",
			"https://example.com/docs https://example.com/docs/../secret https://example.com/docs/%2e%2e/secret"},
		{"https://*.example.com/*", "https://a.example.com/ https://a.b.example.com/x",
			"https://example.com/ https://evil.net/.example.com/ https://evil.net/?a.example.com/ " +
				"https://aexample.com/"},
		{"*://example.com:*/*", "http://example.com/ https://example.com:81/x", "http://example.org/"},
		{"http://localhost:*", "http://localhost:3000/a http://localhost/", "http://localhost.evil.net:3000/ " +
			"https://localhost/"},
		{"http://[::1]:*/*", "http://[::1]:80/ http://[0::1]:81/", "http://127.0.0.1/"},
		{"http://0x7f.1/*", "http://127.0.0.1/ http://2130706433/x", "http://127.0.0.2/"},
		{"https://BÜCHER.example", "https://xn--bcher-kva.example/", "https://bucher.example/"},
		{"https://example.com/?q=\\?", "https://example.com/?q=?", "https://example.com/?q=x " +
			"https://example.com/xq=?"},
		{"https://example.com/a\\*b", "https://example.com/a*b", "https://example.com/axb"},
		{"https://example.com/?.txt", "https://example.com/a.txt", "https://example.com/ab.txt " +
			"https://example.com/.txt"},
		{"https://example.com/*a*b*c", "https://example.com/xxabaabbc https://example.com/abc",
			"https://example.com/acb https://example.com/abcd"},
		{"*tracker*", "https://a.example/tracker.js http://tracker.example/", "https://example.com/"},
		{"*", "https://example.com/ http://127.0.0.1/", ""},
		{"preset:loopback", "http://127.1/ http://[::1]/ http://localhost/ http://[::ffff:7f00:1]/",
			"http://10.0.0.1/ http://1.1.1.1"},
		{"preset:cloud_metadata", "http://169.254.169.254/latest", "http://169.254.169.253/"},
	} {
		p, err := urls.ParsePattern(test.pattern)
		if err != nil {
			t.Errorf("%s: %v", test.pattern, err)
			continue
		}
		for text := range strings.FieldsSeq(test.matches + " " + test.others) {
			u, err := urls.Parse(text)
			want := strings.Contains(" "+test.matches+" ", " "+text+" ")
			if err != nil || p.Matches(u, u.Class()) != want {
				t.Errorf("%s and %s: %v, want %v (%v)", test.pattern, text, !want, want, err)
			}
		}
	}
}

func TestADenialWithoutAPortIsForAllPorts(t *testing.T) {
	for pattern, want := range map[string]bool{
		"http://example.com": true, "http://example.com:81/*": true, "http://example.com:82/": false,
		"http://*":            true,
		"https://example.com": false,
	} {
		p, err := urls.ParsePattern(pattern)
		u, _ := urls.Parse("http://example.com:81/")
		if err != nil || p.MatchesDenied(u, urls.Public) != want {
			t.Errorf("%s: %v, want %v (%v)", pattern, !want, want, err)
		}
	}
}

func TestOnlyAWrittenHostOpensAddressesThatAreNotPublic(t *testing.T) {
	for _, test := range []struct {
		pattern, url string
		class        urls.Class
		want         bool
	}{
		{"https://*", "https://example.com", urls.Public, true},
		{"https://*", "https://example.com", urls.Loopback, false},
		{"*", "https://example.com", urls.PrivateNetwork, false},
		{"https://*.example.com", "https://a.example.com", urls.PrivateNetwork, false},
		{"https://wiki.example.com", "https://wiki.example.com", urls.PrivateNetwork, true},
		{"https://wiki.example.com", "https://wiki.example.com", urls.Unresolved, true},
		{"https://wiki.example.com", "https://wiki.example.com", urls.CloudMetadata, false},
		{"https://wiki.example.com", "https://wiki.example.com", urls.LinkLocal, false},
		{"http://169.254.169.254/*", "http://169.254.169.254/", urls.CloudMetadata, true},
		{"http://metadata.google.internal/*", "http://metadata.google.internal/", urls.CloudMetadata, true},
		{"preset:link_local", "https://a.example.com", urls.LinkLocal, true},
	} {
		p, err := urls.ParsePattern(test.pattern)
		u, _ := urls.Parse(test.url)
		if err != nil || p.Opens(u, test.class) != test.want {
			t.Errorf("%s, %s: %v, want %v (%v)", test.pattern, test.class, !test.want, test.want, err)
		}
	}
}

func TestPatternsThatCannotBeRead(t *testing.T) {
	for text, want := range map[string]string{
		"":                    "1 to 8192 bytes",
		"preset:intranet":     `there is no preset "intranet"; there are loopback, private_network`,
		"https://u@example/*": "user name",
		"https://exa mple/":   "is not a host name",
		"https:///x":          "1 to 253 characters",
		"https://300.1.1.1/":  "nor an IPv4 address",
	} {
		if p, err := urls.ParsePattern(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v %v, want an error with %q", text, p, err, want)
		}
	}
}

func FuzzPattern(f *testing.F) {
	f.Add("https://*.example.com:*/a?b\\*", "https://x.example.com/a")
	f.Add("preset:loopback", "http://127.1/")
	f.Fuzz(func(t *testing.T, pattern, text string) {
		fuzztest.Memory(t)
		u, err := urls.Parse(text)
		p, wrong := urls.ParsePattern(pattern)
		if err != nil || wrong != nil {
			return
		}
		if p.Matches(u, u.Class()) && !p.MatchesDenied(u, u.Class()) {
			t.Fatalf("%q allows %s, and does not deny it", pattern, u)
		}
		if exact, err := urls.ParsePattern(strings.NewReplacer("*", "\\*", "?",
			"\\?").Replace(u.String())); err != nil ||
			!exact.Matches(u, u.Class()) {
			t.Fatalf("%s does not match itself: %v", u, err)
		}
	})
}
