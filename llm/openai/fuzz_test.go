package openai

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/chibi-host/chibi/internal/fuzztest"
)

// TestAPageIsALine: proxies answer with pages, of which the title says what is wrong.
func TestAPageIsALine(t *testing.T) {
	for page, want := range map[string]string{
		"<!DOCTYPE html>\r\n<html><head>\n<title>\n502 Bad &amp; Gateway\n</title></head><h1>nginx</h1>": "it " +
			"answered with a page of HTML: 502 Bad & Gateway",
		"<html><body><h1>Oops</h1>":                 "it answered with a page of HTML",
		"<xml>no page</xml>":                        "<xml>no page</xml>",
		`{"message": "see <html><title>x</title>"}`: "see <html><title>x</title>",
	} {
		if got := message([]byte(page)); got != want {
			t.Errorf("%q became %q, want %q", page, got, want)
		}
	}
}

// FuzzErrorBody holds that a server's error becomes one line, and a time that is
// not negative.
func FuzzErrorBody(f *testing.F) {
	f.Add([]byte(`{"error": {"message": "out of luck"}}`), "3")
	f.Add([]byte(`{"error": "\u001b]52;c;aGk=\u0007"}`), "Sun, 06 Nov 1994 08:49:37 GMT")
	f.Add([]byte("<html>\r\n502"), "1e300")
	f.Add([]byte(`{"error": {"a": [`), "-1")
	f.Fuzz(func(t *testing.T, body []byte, after string) {
		fuzztest.Memory(t)
		if text := message(body); text == "" || strings.ContainsAny(text, "\n\r") {
			t.Errorf("%q became %q", body, text)
		}
		if wait, ok := retryAfter(http.Header{"Retry-After": {after}}, time.Unix(0, 0)); wait < 0 {
			t.Errorf("Retry-After %q is %v, %v", after, wait, ok)
		}
	})
}
