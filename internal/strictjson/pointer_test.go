package strictjson_test

import (
	"testing"

	"github.com/chibi-host/chibi/internal/strictjson"
)

func TestTokensOfPointers(t *testing.T) {
	for name, token := range map[string]string{
		"": "", "plain": "plain", "a/b": "a~1b", "~": "~0", "~1": "~01", "/~": "~1~0",
	} {
		if got := strictjson.EscapeToken(name); got != token {
			t.Errorf("%q is written %q, want %q", name, got, token)
		}
		if got := strictjson.UnescapeToken(token); got != name {
			t.Errorf("%q means %q, want %q", token, got, name)
		}
	}
}
