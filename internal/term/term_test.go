package term_test

import (
	"bytes"
	"io"
	"strings"
	"testing"

	"github.com/chibi-host/chibi/internal/fuzztest"
	"github.com/chibi-host/chibi/internal/term"
	"github.com/chibi-host/chibi/internal/term/termtest"
)

// through is a text as it comes out of a filter in one piece.
func through(make func(io.Writer) *term.Filter, text string) string {
	var b bytes.Buffer
	f := make(&b)
	io.WriteString(f, text)
	f.Close()
	return b.String()
}

func TestWhatPasses(t *testing.T) {
	for _, tt := range []struct{ name, text, diagnostics, inText string }{
		{"text", "plain \tä 日本\n", "plain \tä 日本\n", "plain \tä 日本\n"},
		{"colours", "\x1b[1;36mcode\x1b[0m\x1b[m", "\x1b[1;36mcode\x1b[0m\x1b[m", "\x1b[1;36mcode\x1b[0m\x1b[m"},
		{"colours of a palette", "\x1b[38;5;8;48;2;8;8;8mx", "\x1b[38;5;8;48;2;8;8;8mx", "\x1b[38;5;8;48;2;8;8;8mx"},
		{"colours with colons", "\x1b[38:2::8:8:8;4:3mx", "\x1b[38:2::8:8:8;4:3mx", "\x1b[38:2::8:8:8;4:3mx"},
		{"a progress line", "10%\r20%\r\n", "10%\r20%\n", "10%\uFFFD20%\n"},
		{"joiners", "👩\u200d💻 ن\u200cم ❤\ufe0f", "👩\u200d💻 ن\u200cم ❤\ufe0f", "👩\u200d💻 ن\u200cم ❤\ufe0f"},
		{"Latin-1", "gr\xfc\xdfe", "gr\uFFFD\uFFFDe", "gr\uFFFD\uFFFDe"},
		{"concealed text", "\x1b[8mx\x1b[1;08;31mx\x1b[8:1mx", "x\x1b[1;31mxx", "\uFFFDx\x1b[1;31mx\uFFFDx"},
		{"conceal behind half a colour", "\x1b[38;8mx\x1b[38;5;8;8mx", "x\x1b[38;5;8mx", "\uFFFDx\x1b[38;5;8mx"},
		{"conceal as the colour of an underline", "\x1b[58;5;8mx", "x", "\uFFFDx"},
		{"what is no colour", "\x1b[>4;1mx\x1b[?1;2mx\x1b[1 mx", "xxx", "\uFFFDx\uFFFDx\uFFFDx"},
		{"the cursor", "a\x1b[2Ab\x1b[2Jc\x1b[?1049hd", "abcd", "a\uFFFDb\uFFFDc\uFFFDd"},
		{"a title", "a\x1b]0;title\ab", "ab", "a\uFFFDb"},
		{"the clipboard", "a\x1b]52;c;ZWNobyBoaQ==\x1b\\b", "ab", "a\uFFFDb"},
		{"a string in another", "a\x1bPq\x1b]0;x\ab", "ab", "a\uFFFD\uFFFDb"},
		{"a colour in a string", "a\x1b]0;x\x1b[31mb", "a\x1b[31mb", "a\uFFFD\x1b[31mb"},
		{"a string ends with its line", "a\x1b]52;c;lost\nb", "a\nb", "a\uFFFD\nb"},
		{"a string of no end", "\x1b_" + strings.Repeat("x", 70_000), strings.Repeat("x", 4463), "\uFFFD" +
			strings.Repeat("x", 4463)},
		{"controls of two bytes", "a\u009b2Jb\u009d0;t\u009cc\u0085d", "abcd", "a\uFFFDb\uFFFDc\uFFFDd"},
		{"controls of one byte", "a\x9b2Jb", "a\uFFFD2Jb", "a\uFFFD2Jb"},
		{"reset and character sets", "a\x1bcb\x1b(0c\x1b#8d", "abcd", "a\uFFFDb\uFFFDc\uFFFDd"},
		{"bell, backspace and the like", "a\a\b\v\f\x0e\x00\x7fb", "ab", "a" + strings.Repeat("\uFFFD", 7) + "b"},
		{"text that is turned around", "a\u202eb\u2066c\u200fd\u061c", "abcd", "abcd"},
		{"text that nobody sees", "a\u200bb\ufeffc\u2060d\U000e0041\u3164\u2028", "abcd", "abcd"},
		{"a broken sequence", "a\x1b[12ä\x1b\n", "aä\n", "a\uFFFDä\uFFFD\n"},
		{"half a sequence at the end", "a\x1b[12", "a", "a\uFFFD"},
		{"half a character at the end", "a\xe2\x82", "a\uFFFD", "a\uFFFD"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := through(term.Diagnostics, tt.text); got != tt.diagnostics {
				t.Errorf("of diagnostics it leaves %q, want %q", got, tt.diagnostics)
			}
			if got := through(term.Text, tt.text); got != tt.inText {
				t.Errorf("of a text it leaves %q, want %q", got, tt.inText)
			}
		})
	}
}

func TestAnyPieceOfAnyKindOfSequenceIsTakenOut(t *testing.T) {
	for _, kind := range termtest.Kinds() {
		t.Run(kind.Name, func(t *testing.T) {
			text := "before" + kind.Text + "after\n"
			for at := range len(text) {
				var b bytes.Buffer
				f := term.Diagnostics(&b)
				f.Write([]byte(text[:at]))
				f.Write([]byte(text[at:]))
				f.Close()
				if wrong := termtest.Wrong(b.String()); wrong != "" && !(wrong == "\r" && kind.Name == "carriage return") {
					t.Errorf("cut at byte %d, %q passes in %q", at, wrong, b.String())
				}
				if b.String() != through(term.Diagnostics, text) {
					t.Errorf("cut at byte %d, it becomes %q", at, b.String())
				}
			}
			for name, clean := range map[string]func(string) string{"a name": term.Name, "a line": term.Line,
				"plain text": term.Plain} {
				if wrong := termtest.Wrong(clean(text)); wrong != "" {
					t.Errorf("as %s, %q passes in %q", name, wrong, clean(text))
				}
			}
		})
	}
}

func TestNames(t *testing.T) {
	for name, want := range map[string]string{
		"guard": "guard", "a b": "a b", "größe 日本.sh": "größe 日本.sh", "two\nlines": `"two\nlines"`,
		"evil\x1b[2K": `"evil\x1b[2K"`,
		"x\u202ey":    `"x\u202ey"`, "gu\ufe0fard": `"gu\ufe0fard"`, "a\u3164": `"a\u3164"`,
		"\xff\"": `"\xff\""`, "ü\u200b": `"ü\u200b"`,
	} {
		if got := term.Name(name); got != want {
			t.Errorf("%q is shown as %s, want %s", name, got, want)
		}
	}
}

func TestLines(t *testing.T) {
	for text, want := range map[string]string{
		"one\ntwo\t three\r\n": "one two three", "\x1b[31mred\x1b[0m": "red",
		"a\x1b]0;t\ab\u202ec": "abc", "👩\u200d💻": "👩\u200d💻",
	} {
		if got := term.Line(text); got != want {
			t.Errorf("%q becomes %q, want %q", text, got, want)
		}
	}
}

func TestColoursThatAreLeftOnAreEnded(t *testing.T) {
	for text, left := range map[string]bool{
		"plain": false, "\x1b[31mred": true, "\x1b[31mred\x1b[0m": false, "\x1b[1mx\x1b[m": false,
		"\x1b[0;1mx": true, "\x1b[8mx": false,
	} {
		var b strings.Builder
		f := term.Diagnostics(&b)
		io.WriteString(f, text)
		b.Reset()
		f.EndColours()
		f.EndColours()
		if want := map[bool]string{true: "\x1b[0m"}[left]; b.String() != want {
			t.Errorf("after %q it writes %q", text, b.String())
		}
	}
}

// FuzzFilter checks that nothing passes, and that it does not matter how a text
// is cut.
func FuzzFilter(f *testing.F) {
	for _, kind := range termtest.Kinds() {
		f.Add(kind.Text+"x\n"+kind.Text, 3)
	}
	f.Fuzz(func(t *testing.T, text string, at int) {
		fuzztest.Memory(t)
		at = min(max(at, 0), len(text))
		for _, colours := range []bool{false, true} {
			var whole, cut bytes.Buffer
			one := &term.Filter{To: &whole, Colours: colours, Mark: term.Mark}
			two := &term.Filter{To: &cut, Colours: colours, Mark: term.Mark}
			io.WriteString(one, text)
			io.WriteString(two, text[:at])
			io.WriteString(two, text[at:])
			one.Close()
			two.Close()
			if whole.String() != cut.String() {
				t.Errorf("%q becomes %q, or %q if it is cut", text, whole.String(), cut.String())
			}
			if wrong := termtest.Wrong(whole.String()); wrong != "" {
				t.Errorf("%q passes in %q", wrong, whole.String())
			}
		}
		for _, clean := range []string{term.Name(text), term.Line(text)} {
			if wrong := termtest.Wrong(clean); wrong != "" || strings.ContainsAny(clean, "\n\t") {
				t.Errorf("%q passes in %q", wrong, clean)
			}
		}
	})
}
