package cli

import "testing"

func TestHarmless(t *testing.T) {
	for text, want := range map[string]string{
		"plain \tä\n":           "plain \tä\n",
		"\x1b[1;36mcode\x1b[0m": "\x1b[1;36mcode\x1b[0m",
		"\x1b[2Jgone\x1b[31;m":  "\uFFFD[2Jgone\x1b[31;m",
		"\x1b]0;title\x07":      "\uFFFD]0;title\uFFFD",
		"a\r\nb\rc":             "a\r\nb\uFFFDc",
		"\u009b2J \x7f \x1b":    "\uFFFD2J \uFFFD \uFFFD",
		"\xc3\x9f":              "ß",
	} {
		if got := string(harmless([]byte(text))); got != want {
			t.Errorf("%q became %q, want %q", text, got, want)
		}
	}
}

func TestVisible(t *testing.T) {
	for name, want := range map[string]string{"guard": "guard", "a b": "a b", "two\nlines": `"two\nlines"`, "evil\x1b[2K": `"evil\x1b[2K"`, "x\u202ey": `"x\u202ey"`} {
		if got := visible(name); got != want {
			t.Errorf("%q is shown as %s, want %s", name, got, want)
		}
	}
}
