package natsstore

import (
	"slices"
	"strings"
	"testing"

	"github.com/chibi-host/chibi/internal/fuzztest"
)

func TestPlaces(t *testing.T) {
	for _, c := range []struct {
		url     string
		servers []string
		home    string
		user    string
		shown   string
	}{
		{"nats://a", []string{"a:4222"}, "default", "", "nats://a:4222/default"},
		{"nats://a:1,b:2,c/team_1", []string{"a:1", "b:2", "c:4222"}, "team_1", "", "nats://a:1,b:2,c:4222/team_1"},
		{"tls://[::1]:1,b/x", []string{"[::1]:1", "b:4222"}, "x", "", "tls://[::1]:1,b:4222/x"},
		{"tls://[fe80::1%25eth0.7]", []string{"[fe80::1%25eth0.7]:4222"}, "default", "",
			"tls://[fe80::1%25eth0.7]:4222/default"},
		{"nats://A-1.b_c,127.0.0.1:1", []string{"A-1.b_c:4222", "127.0.0.1:1"}, "default", "",
			"nats://A-1.b_c:4222,127.0.0.1:1/default"},
		{"nats://me:secret@a,b/x", []string{"a:4222", "b:4222"}, "x", "me", "nats://a:4222,b:4222/x"},
		{"nats://token@a/x", []string{"a:4222"}, "x", "token", "nats://a:4222/x"},
	} {
		p, err := parsePlace(c.url)
		if err != nil {
			t.Errorf("%s: %v", c.url, err)
			continue
		}
		user := ""
		if p.user != nil {
			user = p.user.Username()
		}
		if !slices.Equal(p.servers, c.servers) || p.home != c.home || user != c.user || p.String() != c.shown ||
			p.hasPassword() != (c.user != "") {
			t.Errorf("%s: %q %q %q %q", c.url, p.servers, p.home, user, p)
		}
	}
}

func TestPlacesThatAreNone(t *testing.T) {
	for url, want := range map[string]string{
		"http://a/x":                             "does not begin with nats:// or tls://",
		"nats:a":                                 "does not begin with nats:// or tls://",
		"nats:///x":                              "is not written host:port",
		"nats://a,,b/x":                          "is not written host:port",
		"nats://::":                              "is not written host:port",
		"nats://[a:b]":                           "is not written host:port",
		"nats://a%25b":                           "is not written host:port",
		"nats://a<b":                             "is not written host:port",
		"nats://[::1%25%25]":                     "is not written host:port",
		"nats://me:secret@a:b:c/x":               "is not written host:port",
		"nats://me:secret@a?x=1/x":               "is not written host:port",
		"nats://me:secret@a/Team":                `"Team", which is not the name of a home`,
		"nats://a/x/y":                           `"x/y", which is not the name of a home`,
		"nats://a/" + strings.Repeat("x", 33):    "which is not the name of a home",
		"nats://a/>":                             `">", which is not the name of a home`,
		"nats://" + strings.Repeat("a,", 70):     "more than 64 servers",
		"nats://" + strings.Repeat("a", 10<<10):  "longer than 8192 bytes",
		"nats://me:secret@a/x?password=secret#y": "which is not the name of a home",
	} {
		_, err := parsePlace(url)
		if err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "me:secret") {
			t.Errorf("%.60s: %v", url, err)
		}
	}
}

func FuzzPlace(f *testing.F) {
	for _, seed := range []string{"nats://a:1,b/x", "tls://me:secret@[::1]/y", "nats://%41/x", "nats://a@b@c/",
		"nats://::", "nats://[::1%25a]"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		fuzztest.Memory(t)
		p, err := parsePlace(text)
		if err != nil {
			return
		}
		again, err := parsePlace(p.String())
		if err != nil || again.String() != p.String() {
			t.Errorf("%q is shown as %q, which is read as %q, %v", text, p, again, err)
		}
	})
}
