package commandline

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// shown writes what was found of a line, a command and what it runs on lines of their own.
func shown(l Line) string {
	var b strings.Builder
	var show func(list []Command, indent string)
	show = func(list []Command, indent string) {
		for _, c := range list {
			fmt.Fprintf(&b, "%s%s", indent, c)
			if c.Transparent {
				b.WriteString(" (only runs)")
			}
			if c.Opaque != "" {
				b.WriteString(" (opaque)")
			}
			b.WriteString("\n")
			show(c.Inner, indent+"  ")
		}
	}
	show(l.Commands, "")
	for _, list := range []struct {
		name  string
		words []Word
	}{{"writes", l.Writes}, {"reads", l.Reads}, {"moves", l.Moves}} {
		for _, w := range list.words {
			fmt.Fprintf(&b, "%s %s\n", list.name, w)
		}
	}
	if l.Lost {
		b.WriteString("lost\n")
	}
	if l.Hidden != "" {
		b.WriteString("hidden\n")
	}
	return b.String()
}

func TestWhatALineDoes(t *testing.T) {
	for _, test := range []struct{ line, want string }{
		{"", ""},
		{"# nothing", ""},
		{"ls -l 'a b' \"c\" d\\ e", "ls -l 'a b' c 'd e'\n"},
		{"A=1 B=$C ls", "A=1 B=$C ls\n"},
		{"A=1", "A=1\n"},
		{"a && b || c; d & e | f", "a\nb\nc\nd\ne\nf\n"},
		{"a | b |& c", "a\nb\nc\nhidden\n"},
		{"echo $(a $(b))", "echo $(a $(b))\na $(b)\nb\n"},
		{"env -i A=b timeout 5 nice ls", "env -i A=b timeout 5 nice ls (only runs)\n  A=b timeout 5 nice ls (only runs)\n" +
			"    nice ls (only runs)\n      ls\n"},
		{"nice -n $X ls", "nice -n $X ls (only runs)\n  $X ls (opaque)\n  ls\n"},
		{"env $X $Y", "env $X $Y (opaque)\n  $X $Y (opaque)\n"},
		{"xargs $X a", "xargs $X a (opaque)\n  $X a ... (opaque)\n  a ...\n"},
		{"sudo ls", "sudo ls\n  ls\n"},
		{"sh -c 'a; b'", "sh -c 'a; b' (only runs)\n  a\n  b\n"},
		{"xargs rm", "xargs rm (only runs)\n  rm ...\n"},
		{"xargs -I{} mv {} x{}", "xargs -I{} mv {} x{} (only runs)\n  mv {} x{}\n"},
		{"find . -exec a {} \\; -o -exec b {} +", "find . -exec a {} ';' -o -exec b {} +\n  a {}\n  b {}\n"},
		{"echo a > b >> c 2>&1 3>| d < e <> f", "echo a\nwrites b\nwrites c\nwrites d\nwrites f\nreads e\nreads f\n"},
		{"{ a; } > $X", "a\nwrites $X\n"},
		{"a &> b", "a\nwrites b\nhidden\n"},
		{"sh -c 'a > b'", "sh -c 'a > b' (only runs)\n  a\nwrites b\n"},
		{"cd a && cd ../b", "cd a\ncd ../b\nmoves a\nmoves ../b\n"},
		{"cd", "cd\nlost\n"},
		{"cd -", "cd -\nlost\n"},
		{"cd $X", "cd $X\nlost\n"},
		{"pushd a", "pushd a\nlost\n"},
		{"CDPATH=/b; cd a", "CDPATH=/b\ncd a\nmoves a\nlost\n"},
		{"env -C a b", "env -C a b\n  b\nlost\n"},
		{"cat <<E\n$(a)\nE", "cat\na\n"},
		{"cat <<'E'\n$(a)\nE", "cat\n"},
		{"echo {a,b} ~/c *.d", "echo '{a,b}' ~/c *.d\necho {a,b} ~/c *.d\n"},
		{"echo $((1+2))", "echo $((1+2))\n"},
		{"echo $((x))", "echo $((x))\nhidden\n"},
		{"export A=1", "export A=1\n"},
		{"for i in a; do b $i; done", "i=i\nb $i\n"},
		{"eval a", "eval a (opaque)\n  a\n"},
	} {
		got, err := Parse(test.line)
		if diff := cmp.Diff(test.want, shown(got)); err != nil || diff != "" {
			t.Errorf("%q: %v (-want +got):\n%s", test.line, err, diff)
		}
	}
}

func TestWhatCannotBeExamined(t *testing.T) {
	for line, want := range map[string]string{
		"'":                                    "reached EOF without closing quote",
		"a\x00b":                               "it contains the control character U+0000",
		"a\rb":                                 "it contains the control character U+000D",
		"a\x7f":                                "it contains the control character U+007F",
		"\xff":                                 "it is not valid UTF-8",
		strings.Repeat("a", MaxBytes+1):        "it has more than 131072 bytes",
		strings.Repeat("a;", MaxCommands+1):    "it has too many commands",
		strings.Repeat("env ", MaxDepth+2):     "it is nested too deep",
		strings.Repeat("(", 10_000):            "it is nested too deep",
		strings.Repeat("a|", maxPipes+1) + "a": "it is nested too deep",
		strings.Repeat("$(", 501) + "a" + strings.Repeat(")", 501): "it is nested too deep",
	} {
		if _, err := Parse(line); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%.40q: %v, want %s", line, err, want)
		}
	}
}

func TestLinesInLinesAreBounded(t *testing.T) {
	line := "ls"
	for range MaxDepth + 1 {
		line = "sh -c " + Quote(line)
	}
	got, err := Parse(line)
	if err != nil {
		t.Fatal(err)
	}
	c := &got.Commands[0]
	for len(c.Inner) > 0 {
		c = &c.Inner[0]
	}
	if want := "what it runs cannot be parsed: it is nested too deep"; c.Opaque != want {
		t.Errorf("%s: %q", c, c.Opaque)
	}
}

func TestQuote(t *testing.T) {
	for text, want := range map[string]string{
		"a-b/c.d=e": "a-b/c.d=e", "": "''", "!": "'!'", "a b": "'a b'", "it's": `'it'\''s'`, "~": "'~'", "$x": "'$x'",
		"a\nb": "'a\nb'",
		"#":    "'#'", "{}": "{}", "x{}": "x{}", "{a,b}": "'{a,b}'",
	} {
		if got := Quote(text); got != want {
			t.Errorf("%q: %s, want %s", text, got, want)
		}
	}
}
