package term_test

import (
	"testing"

	"github.com/chibi-host/chibi/internal/term"
)

func TestShellWords(t *testing.T) {
	for text, want := range map[string]string{
		"":              "''",
		"plain/path-1":  "plain/path-1",
		"two words":     "'two words'",
		"it's":          `'it'\''s'`,
		"$(rm -rf .)":   "'$(rm -rf .)'",
		"é":             "'é'",
		"a\x1b[2J'b\\c": `$'a\x1b[2J\x27b\x5cc'`,
		"\xff":          `$'\xff'`,
	} {
		if got := term.ShellWord(text); got != want {
			t.Errorf("%q is written %s, want %s", text, got, want)
		}
	}
}

func TestAClippedTextSaysSo(t *testing.T) {
	for _, test := range []struct {
		text string
		most int
		want string
	}{{"ümlaut", 6, "ümlaut"}, {"ümlaute", 6, "üml..."}, {"long", 2, "..."}, {"", 0, ""}} {
		if got := term.Clip(test.text, test.most); got != test.want {
			t.Errorf("%q in %d characters is %q, want %q", test.text, test.most, got, test.want)
		}
	}
}
