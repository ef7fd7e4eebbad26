package openai

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/chibi-host/chibi/internal/fuzztest"
)

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
