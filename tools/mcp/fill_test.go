package mcp

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestVariablesAreFilledIn(t *testing.T) {
	env := map[string]string{"HOST": "h", "EMPTY": "", "A_1": "a", "DOLLARS": "$HOST ${HOST}"}
	lookup := func(name string) (string, bool) {
		value, ok := env[name]
		return value, ok
	}
	for text, want := range map[string]string{
		"":                        "",
		"plain":                   "plain",
		"$HOST":                   "h",
		"${HOST}":                 "h",
		"x${HOST}y$HOST/z":        "xhyh/z",
		"$A_1.$A_1":               "a.a",
		"${HOST:-else}":           "h",
		"${NONE:-else}":           "else",
		"${NONE:-}":               "",
		"${EMPTY:-else}":          "else",
		"$EMPTY":                  "",
		"$DOLLARS":                "$HOST ${HOST}",
		"$$HOST $$":               "$HOST $",
		"^a$":                     "^a$",
		"$1 $@ ${1} ${} $":        "$1 $@ ${1} ${} $",
		"${HOST":                  "${HOST",
		"${HOST%x} ${HOST:x}":     "${HOST%x} ${HOST:x}",
		"${NONE:-a $HOST b}":      "a $HOST b",
		"Bearer ${NONE:-$}secret": "Bearer $secret",
	} {
		got, err := Server{Args: []string{text}}.Filled(lookup)
		if err != nil || got.Args[0] != want {
			t.Errorf("%q: %q, %v; want %q", text, got.Args, err, want)
		}
	}
}

func TestEveryTextOfAServerIsFilledInAndItselfStays(t *testing.T) {
	server := Server{Name: "$A", Command: "$A", Args: []string{"$A"}, Dir: "$A", Env: map[string]string{"$A": "$A"},
		URL: "$A", Headers: map[string]string{"$A": "$A"}, OAuth: OAuth{ClientID: "$A", ClientSecret: "$A"}}
	want := Server{Name: "$A", Command: "a", Args: []string{"a"}, Dir: "a", Env: map[string]string{"$A": "a"},
		URL: "a", Headers: map[string]string{"$A": "a"}, OAuth: OAuth{ClientID: "a", ClientSecret: "a"}}
	before := server.Fingerprint()
	got, err := server.Filled(func(string) (string, bool) { return "a", true })
	if diff := cmp.Diff(want, got); err != nil || diff != "" || server.Fingerprint() != before {
		t.Errorf("%v, the original has changed: %v\n%s", err, server.Fingerprint() != before, diff)
	}
}

func TestAVariableThatIsNotSetIsNamed(t *testing.T) {
	for want, server := range map[string]Server{
		"the variable A in its command is not set":               {Command: "$A"},
		"the variable B in its args is not set":                  {Args: []string{"a", "${B}"}},
		"the variable C in its env.TOKEN is not set":             {Env: map[string]string{"TOKEN": "$C", "U": "$D"}},
		"the variable A in its url is not set":                   {URL: "https://$A/$B"},
		"the variable E in its headers.Authorization is not set": {Headers: map[string]string{"Authorization": "$E"}},
	} {
		_, err := server.Filled(func(string) (string, bool) { return "", false })
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
}

// TestErrorsDoNotSayWhatWasFilledIn, since they are shown and remembered.
func TestErrorsDoNotSayWhatWasFilledIn(t *testing.T) {
	written := Server{Dir: "/a/$T", URL: "ftp://$T/x"}
	filled := Server{Dir: "/a/secret", URL: "ftp://secret/x"}
	why := errors.New(`no "/a/secret" at "ftp://secret/x"`)
	err := unfilled(why, written, filled)
	if got, want := err.Error(), `no "/a/$T" at "ftp://$T/x"`; got != want || !errors.Is(err, why) {
		t.Errorf("got %s, want %s", got, want)
	}
	if got := unfilled(why, Server{Dir: "$T"}, Server{}); got.Error() != why.Error() {
		t.Errorf("got %v", got)
	}
	if unfilled(nil, written, filled) != nil {
		t.Error("an error where there is none")
	}
}
