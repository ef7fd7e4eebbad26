package pgstore

import (
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/chibi-host/chibi/internal/fuzztest"
)

func TestParseURL(t *testing.T) {
	local := []host{{"127.0.0.1", 5432}}
	cases := map[string]target{
		"postgres://me@127.0.0.1/chibi": {user: "me", hosts: local, database: "chibi", home: "default", sslMode: "disable"},
		"postgresql://m%40e:p%2F%3A@db.example:6432/chibi?home=team_2&sslmode=require": {user: "m@e", password: "p/:",
			hosts: []host{{"db.example", 6432}}, database: "chibi", home: "team_2", sslMode: "require"},
		"postgres://me@a:1,b,[::1]:3/chibi": {user: "me", hosts: []host{{"a", 1}, {"b", 5432}, {"::1", 3}}, database: "chibi",
			home: "default", sslMode: "verify-full"},
		"postgres://me@localhost,[::1],127.0.0.2/chibi": {user: "me", database: "chibi", home: "default", sslMode: "disable",
			hosts: []host{{"localhost", 5432}, {"::1", 5432}, {"127.0.0.2", 5432}}},
		"postgres://me@/chibi?host=/run/pg:6000": {user: "me", hosts: []host{{"/run/pg", 6000}}, database: "chibi",
			home: "default", sslMode: "disable"},
		"postgres://me@db/chibi?sslcert=/c&sslkey=/k&grant=a,b%20c": {user: "me", hosts: []host{{"db", 5432}},
			database: "chibi", home: "default", sslMode: "verify-full", sslCert: "/c", sslKey: "/k", grants: []string{"a",
				"b c"}},
	}
	for text, want := range cases {
		got, err := parseURL(text)
		if err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%s\n%+v, %v\nwant %+v", text, got, err, want)
		}
	}
}

func TestURLsThatAreRefused(t *testing.T) {
	cases := map[string]string{
		"postgres:":                           "a store's URL begins with postgres://",
		"postgres://me@/chibi":                "names no host",
		"postgres://127.0.0.1/chibi":          "names no user",
		"postgres://me@127.0.0.1":             "names no database",
		"postgres://me@127.0.0.1/a/b":         "names no database",
		"postgres://me@h:70000/chibi":         "host 1 in the store's URL has no port from 1 to 65535",
		"postgres://me@h:0/chibi":             "no port from 1 to 65535",
		"postgres://me@::1/chibi":             "an IPv6 address is written in brackets",
		"postgres://me@a,,b/chibi":            "host 2 in the store's URL is not HOST or HOST:PORT",
		"postgres://me@h/chibi?home=Team":     "home=Team in the store's URL: a home is 1 to 32 of a-z, 0-9 and _",
		"postgres://me@h/chibi?home=a&home=b": `"home" more than once`,
		"postgres://me@h/chibi?sslmode=prefer": "sslmode=prefer in the store's URL is not disable, require, " +
			"verify-ca",
		"postgres://me@h/chibi?options=-c+x":        `unknown option "options"; there are home,`,
		"postgres://me@h/chibi?host=/run":           "other hosts stand after the @",
		"postgres://me@/chibi?host=run":             "host= in the store's URL is the absolute path of a socket's directory",
		"postgres://me@h/chibi?sslcert=/c":          "needs both sslcert and sslkey",
		"postgres://me@h/chibi?grant=":              "grant= in the store's URL is a list of roles",
		"postgres://me@h/chibi%00":                  "has a NUL in it",
		"postgres://me:%zz@h/chibi":                 "a % that is not followed by two hex digits",
		"postgres://me:pass?word@h/chibi":           "write @ / ? # and % as %40",
		"postgres://me:pass/word@h/chibi":           "write @ / ? # and % as %40",
		"postgres://me:12?word@h/chibi":             "write @ / ? # and % as %40",
		"postgres://me@h/chibi#home":                "the store's URL does not go on after the host",
		"postgres://me@h/chibi?home=%zz":            "has no list NAME=VALUE",
		"postgres://me@" + strings.Repeat("a,", 20): "names 21 hosts; at most 16 are tried",
	}
	for text, want := range cases {
		if _, err := parseURL(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v; want %q", text, err, want)
		}
	}
}

// FuzzURL: what is read is in bounds, says the same when it is read again, and no error has the
// password in it, unless that is also written where no password stands.
func FuzzURL(f *testing.F) {
	for _, seed := range []string{"postgres://me:secretword@a:1,[::1]:2/chibi?home=team&sslmode=require&grant=x,y",
		"postgres://me@/chibi?host=/run:1", "postgres://%41:secretword@h", "://@[", "postgres://a:secretword@b:c/d",
		"postgres://a:1?secretword@b/d"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		fuzztest.Memory(t)
		got, err := parseURL(text)
		if err != nil {
			before, after, _ := strings.Cut(text, ":secretword@")
			if !strings.Contains(before+after, "secretword") && strings.Contains(err.Error(), "secretword") {
				t.Errorf("%q has the password", err)
			}
			return
		}
		if !isHome(got.home) || len(got.hosts) == 0 || len(got.schema()) > maxName {
			t.Errorf("%+v", got)
		}
		again, err := parseURL(got.String())
		again.password, again.sslCert, again.sslKey, again.grants = got.password, got.sslCert, got.sslKey, got.grants
		if err != nil || !reflect.DeepEqual(got, again) {
			t.Errorf("%+v\nas %s is\n%+v, %v", got, got.String(), again, err)
		}
	})
}

func TestPasswordFor(t *testing.T) {
	at := target{user: "me", database: "chibi", hosts: []host{{"a", 1}, {"b", 2}}}
	socket := target{user: "me", database: "chibi", hosts: []host{{"/run", 5432}}}
	cases := []struct {
		t          target
		text, want string
		refused    string
	}{
		{at, "secret\n", "secret", ""},
		{at, "secret", "secret", ""},
		{at, "# comment\nx:1:chibi:me:no\na:2:chibi:me:no\na:1:chibi:you:no\na:1:chibi:me:yes\n*:*:*:*:late\n", "yes", ""},
		{at, "b:2:*:me:b\\:\\\\c\n", "b:\\c", ""},
		{at, "*:*:*:me:\n", "", ""},
		{socket, "localhost:5432:chibi:me:local\n", "local", ""},
		{at, "*:*:other:me:x\n", "", "has no line for the user me and the database chibi"},
		{at, "", "", "has no line for"},
		{at, strings.Repeat("x", maxCredentials+1), "", "is larger than 65536 bytes"},
	}
	for _, c := range cases {
		file := filepath.Join(t.TempDir(), "pass")
		if err := os.WriteFile(file, []byte(c.text), 0o600); err != nil {
			t.Fatal(err)
		}
		got, err := passwordFor(c.t, file)
		if got != c.want || (err == nil) != (c.refused == "") || err != nil && !strings.Contains(err.Error(), c.refused) {
			t.Errorf("%.60q: %q, %v; want %q %s", c.text, got, err, c.want, c.refused)
		}
	}
}

func FuzzCredentials(f *testing.F) {
	for _, seed := range []string{"a:1:chibi:me:x", "*:*:*:*:a\\:b\\", "#\n:::::", "secret"} {
		f.Add(seed)
	}
	me := target{user: "me", database: "chibi", hosts: []host{{"a", 1}}}
	f.Fuzz(func(t *testing.T, text string) {
		fuzztest.Memory(t)
		password, found := findPassword(me, text)
		if len(password) > len(text) || !found && password != "" {
			t.Errorf("%q from %q", password, text)
		}
	})
}

func TestKeysFromAreTheKeysWithAPrefix(t *testing.T) {
	keys := []string{"a", "a-", "a-b", "a.", "a.b", "a.b.c", "a0", "aZ", "a_", "az", "b", "mail", "mail.", "mail.x",
		"mail/", "z"}
	for _, prefix := range append(keys, "") {
		after, before := keysFrom(prefix)
		for _, key := range keys {
			isBetween := key > string(after.value) && key < string(before.value)
			if isBetween != strings.HasPrefix(key, prefix) {
				t.Errorf("%q begins with %q: %v by the bounds %q and %q", key, prefix, isBetween, after.value, before.value)
			}
		}
	}
}
