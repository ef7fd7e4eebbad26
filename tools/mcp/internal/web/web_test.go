package web

import (
	"errors"
	"io"
	"net/url"
	"strings"
	"testing"
)

func TestABodyHasABound(t *testing.T) {
	beyond := errors.New("too much")
	for text, want := range map[string]error{"": nil, "1234": nil, "12345": nil, "123456": beyond, "1234567890": beyond} {
		b := &Body{ReadCloser: io.NopCloser(strings.NewReader(text)), Left: 5, Beyond: func() error { return beyond }}
		got, err := io.ReadAll(b)
		if !errors.Is(err, want) || string(got) != text[:min(len(text), 5)] {
			t.Errorf("%q: read %q, %v; want %v", text, got, err, want)
		}
		if _, again := b.Read(make([]byte, 1)); want != nil && !errors.Is(again, want) {
			t.Errorf("%q: reading goes on behind the bound: %v", text, again)
		}
	}
}

func TestOrigins(t *testing.T) {
	for text, want := range map[string]string{
		"https://a/x?y": "https://a:443",
		"http://a":      "http://a:80", "https://a:8443/": "https://a:8443", "http://[::1]:1/": "http://[::1]:1",
	} {
		u, err := url.Parse(text)
		if err != nil || Origin(u) != want {
			t.Errorf("%s: %q, %v, want %q", text, Origin(u), err, want)
		}
	}
}

func TestTextOfServersIsHarmless(t *testing.T) {
	got := Text("a\x1b[31m\nb\u202e" + strings.Repeat("c", 10000))
	if !strings.HasPrefix(got, "a bccc") || len(got) > 203 {
		t.Errorf("%q", got)
	}
	if got := Shown("https://me:secret@a/b?secret#secret"); got != "https://a/b" {
		t.Errorf("%q", got)
	}
}
