package strictjson_test

import (
	"testing"

	"github.com/chibi-host/chibi/internal/strictjson"
)

func TestCommentsAndLastCommasBecomeSpaces(t *testing.T) {
	for text, want := range map[string]string{
		"{\"a\": 1} // end":               "{\"a\": 1}       ",
		"{ // b\r\n\"a\": [1, 2,]}":       "{     \r\n\"a\": [1, 2 ]}",
		"/* \"x */{\"//\": \"/* no */\"}": "        {\"//\": \"/* no */\"}",
		"{\"a\\\"//\": 1, /* , */ }":      "{\"a\\\"//\": 1          }",
		"{\"a\": 1, // last\n}":           "{\"a\": 1         \n}",
		"[1,,]":                           "[1, ]",
		"\"open // text":                  "\"open // text",
		"/* open":                         "       ",
		"/":                               "/",
	} {
		if got := string(strictjson.WithoutComments([]byte(text))); got != want {
			t.Errorf("%q became %q, want %q", text, got, want)
		}
	}
}
