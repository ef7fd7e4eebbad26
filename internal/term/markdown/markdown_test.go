package markdown_test

import (
	"io"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/chibi-host/chibi/internal/fuzztest"
	"github.com/chibi-host/chibi/internal/term/markdown"
	"github.com/chibi-host/chibi/internal/term/termtest"
	"github.com/google/go-cmp/cmp"
)

// final is a surface on which nothing can be replaced.
type final struct {
	to      io.Writer
	columns int
}

func (s final) Look() markdown.View { return markdown.View{Columns: s.columns} }

func (s final) Draw(text string, _ []string) error {
	_, err := io.WriteString(s.to, text)
	return err
}

// render renders a text that comes in pieces of so many bytes.
func render(text string, width, piece int) string {
	var b strings.Builder
	r := markdown.On(final{&b, width})
	for text != "" {
		n := min(piece, len(text))
		r.Write([]byte(text[:n]))
		text = text[n:]
	}
	r.Close()
	return b.String()
}

// readable writes styles as words.
func readable(text string) string {
	return strings.NewReplacer("\x1b[0m", "</>", "\x1b[1m", "<b>", "\x1b[1;4m", "<b,u>", "\x1b[2m",
		"<dim>", "\x1b[3m", "<i>",
		"\x1b[4m", "<u>", "\x1b[9m", "<s>", "\x1b[35m", "<code>", "\x1b[1;3m", "<b,i>", "\x1b[1;35m",
		"<b,code>").Replace(text)
}

// cases are documents and what they look like in 30 columns.
func cases() []struct{ name, text, want string } {
	return []struct{ name, text, want string }{
		{"a paragraph is wrapped", "one two three four five six seven eight nine",
			"one two three four five six\nseven eight nine\n"},
		{"styles", "**bold** *it* `code` ~~gone~~", "<b>bold</> <i>it</> <code>code</> <s>gone</>\n"},
		{"nested styles", "**bold *both* `x`**", "<b>bold</> <b,i>both</> <b,code>x</>\n"},
		{"headings", "# One\n\ntext\n\n## Two\nmore", "<b,u>One</>\n\ntext\n\n<b>Two</>\n\nmore\n"},
		{"code", "Do:\n\n```go\nfunc f() {\n\treturn\n\n}\n```\n\nDone.",
			"Do:\n\n    <code>func f() {</>\n    <code>    return</>\n\n    <code>}</>\n\nDone.\n"},
		{"code is not wrapped", "```\n" + strings.Repeat("x", 40) + "\n```", "    <code>" +
			strings.Repeat("x", 40) + "</>\n"},
		{"an open fence", "```\nhalf", "    <code>half</>\n"},
		{"a list after a line", "Things:\n- one\n- two two two two two two two two",
			"Things:\n\n• one\n• two two two two two two two\n  two\n"},
		{"numbers", "1. one\n2. two", "1. one\n2. two\n"},
		{"numbers from 3", "3. one\n4. two", "3. one\n4. two\n"},
		{"nested lists", "- a\n  - b\n  - c\n- d", "• a\n  • b\n  • c\n• d\n"},
		{"numbers in numbers", "1. a\n   1. b\n      1. c\n      2. d\n   2. e\n2. f",
			"1. a\n   1. b\n      1. c\n      2. d\n   2. e\n2. f\n"},
		{"numbers in numbers of two digits", "9. z\n10. a\n    1. b\n       1. c\n          text\n    2. d\n11. e",
			"9. z\n10. a\n    1. b\n       1. c\n          text\n    2. d\n11. e\n"},
		{"bullets in numbers of two digits", "10. a\n    - b\n      - c\n        - d\n    - e",
			"10. a\n    • b\n      • c\n        • d\n    • e\n"},
		{"a loose list", "- a\n\n- b\n\nend", "• a\n• b\n\nend\n"},
		{"a quote", "> one two three four five six seven", "<dim>│</> one two three four five six\n<dim>│</> seven\n"},
		{"a link", "[here](http://x.y) and http://z.w", "<u>here</> <dim>(http://x.y)</> and\n<u>http://z.w</>\n"},
		{"a rule", "a\n\n---\n\nb", "a\n\n<dim>" + strings.Repeat("─", 30) + "</>\n\nb\n"},
		{"a table", "| a | bb |\n|---|---:|\n| long | 1 |\n", "<b>a</>     <b>bb</>\n<dim>────────</>\nlong   1\n"},
		{"wide runes", "日本語 日本語 日本語 日本語 日本語 日本語", "日本語 日本語 日本語 日本語\n日本語 日本語\n"},
		{"control characters", "a\x1b[31mb\x07 \u009b", "a\uFFFDb\uFFFD \uFFFD\n"},
		{"control characters as references", "&01; &#27;[31m [a](x&#27;y) `&#7;`",
			"\uFFFD \uFFFD[31m <u>a</> <dim>(x&#27;y)</> <code>&#7;</>\n"},
		{"characters by name", "&lt;b&gt; &quot;c&quot;&nbsp;d &amp;lt; `&lt;` &nosuch;",
			"<b> \"c\"\u00a0d &lt; <code>&lt;</> &nosuch;\n"},
		{"control characters by name", "a&Tab;b&NewLine;c&shy;d&ZeroWidthSpace;e", "a b\ncde\n"},
		{"line breaks as tags", "a<br>b<br/>c<BR />d <b>e</b>", "a\nb\nc\nd <b>e</b>\n"},
		{"a line break in a cell", "| a |\n|---|\n| 1<br>2 |\n", "<b>a</>\n<dim>──</>\n1\n2\n"},
		{"line breaks stay", "roses are red\nviolets are blue", "roses are red\nviolets are blue\n"},
		{"a hard break", "a  \nb\\\nc", "a\nb\nc\n"},
		{"nothing", " \n\n", ""},
	}
}

func TestRendering(t *testing.T) {
	for _, test := range cases() {
		t.Run(test.name, func(t *testing.T) {
			if diff := cmp.Diff(test.want, readable(render(test.text, 30, 1<<20))); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// TestStreamingChangesNothing cuts every document everywhere.
func TestStreamingChangesNothing(t *testing.T) {
	for _, test := range cases() {
		text := test.text + "\n\n" + test.text
		want := render(text, 30, 1<<20)
		for _, piece := range []int{1, 2, 3, 7} {
			if diff := cmp.Diff(want, render(text, 30, piece)); diff != "" {
				t.Errorf("%s, in pieces of %d bytes (-whole +streamed):\n%s", test.name, piece, diff)
			}
		}
	}
}

func TestCodeComesLineByLine(t *testing.T) {
	var b strings.Builder
	r := markdown.On(final{&b, 30})
	r.Write([]byte("```go\nx := 1\n\ny :="))
	if got := readable(b.String()); got != "    <code>x := 1</>\n" {
		t.Errorf("so far %q", got)
	}
	r.Write([]byte(" 2\n```\nDone.\n"))
	r.Close()
	if got := readable(b.String()); got != "    <code>x := 1</>\n\n    <code>y := 2</>\n\nDone.\n" {
		t.Errorf("in the end %q", got)
	}
}

func TestBlocksComeAsTheyAreDone(t *testing.T) {
	var b strings.Builder
	r := markdown.On(final{&b, 30})
	for _, step := range []struct{ text, drawn string }{
		{"First", ""},
		{".\n\n", ""},
		{"S", "First.\n"},
		{"econd one:\n-", "First.\n"},
		{" a\n-", "First.\n\nSecond one:\n"},
		{" b", "First.\n\nSecond one:\n\n• a\n"},
		{"\n```\n", "First.\n\nSecond one:\n\n• a\n• b\n"},
	} {
		r.Write([]byte(step.text))
		if b.String() != step.drawn {
			t.Errorf("after %q it is %q, want %q", step.text, b.String(), step.drawn)
		}
	}
}

// TestRandomTextsAreDrawnTheSameInAnyPieces, at several widths.
func TestRandomTextsAreDrawnTheSameInAnyPieces(t *testing.T) {
	for seed := range uint64(300) {
		r := rand.New(rand.NewPCG(seed, 0))
		text, width := termtest.Markdown(r), []int{0, 20, 40, 80}[r.IntN(4)]
		want := render(text, width, 1<<20)
		if diff := cmp.Diff(want, render(text, width, 1+r.IntN(9))); diff != "" {
			t.Errorf("seed %d, %d columns, the text\n%s\n(-whole +streamed):\n%s", seed, width, text, diff)
		}
	}
}

// large are texts without an end of their block: what models write, and what is hard for
// the parser.
func large() map[string]string {
	return map[string]string{
		"table": "| one | **two** | [three](http://x.y) |\n", "quote": "> some words of a quote\n",
		"list": "- an item with some words\n", "numbers": "1. an item\n   - with one in it\n",
		"line": "some words ", "lines": "some words on a line\n", "one word": "xx", "code": "some code\n",
		"blanks": " ", "brackets": "[", "images": "![", "backticks": "`a ", "fences": "```a `\n",
		"stars": "**a ", "quotes in quotes": "> > ", "tildes": "~", "HTML": "<b>x\n",
	}
}

// largeText returns a text of so many bytes.
func largeText(kind string, size int) string {
	before := map[string]string{"table": "| a | b | c |\n|---|---|---|\n", "code": "```\n"}[kind]
	return before + strings.Repeat(large()[kind], size/len(large()[kind]))
}

// TestLargeBlocksLoseNothing that is drawn in parts.
func TestLargeBlocksLoseNothing(t *testing.T) {
	for kind, unit := range large() {
		for _, word := range []string{"words", "three", "xx", "item", "code"} {
			if !strings.Contains(unit, word) {
				continue
			}
			text := largeText(kind, 150<<10)
			if want, got := strings.Count(text, word), strings.Count(render(text, 80, 4000), word); want != got {
				t.Errorf("%s: of %d %q, %d are drawn", kind, want, word, got)
			}
		}
	}
}

// BenchmarkRendering reports how much longer 1 MB takes than 128 KB: 8 times if the time
// grows with the size.
func BenchmarkRendering(b *testing.B) {
	for kind := range large() {
		b.Run(strings.ReplaceAll(kind, " ", "_"), func(b *testing.B) {
			small, whole := largeText(kind, 128<<10), largeText(kind, 1<<20)
			var few, many time.Duration
			for b.Loop() {
				begin := time.Now()
				render(small, 80, 8)
				middle := time.Now()
				render(whole, 80, 8)
				few, many = few+middle.Sub(begin), many+time.Since(middle)
			}
			b.ReportMetric(float64(many)/float64(few), "1MB/128KB")
		})
	}
}

// small is a surface on which few rows can be drawn anew, and at times stay.
type small struct {
	strings.Builder
	rows, looks int
	most        int // how many rows were drawn at once
}

func (s *small) Look() markdown.View {
	s.looks++
	return markdown.View{Columns: 10, Rows: s.rows, Lost: s.rows > 0 && s.looks%5 == 0}
}

func (s *small) Draw(final string, rows []string) error {
	s.most = max(s.most, len(rows))
	s.WriteString(final)
	s.WriteString(strings.Join(rows, "\n"))
	return nil
}

// FuzzRender holds that no text breaks the renderer, that no control character gets through,
// and that no more rows are shown than can be drawn anew.
func FuzzRender(f *testing.F) {
	for _, test := range cases() {
		f.Add(test.text, 20)
	}
	f.Fuzz(func(t *testing.T, text string, width int) {
		fuzztest.Memory(t)
		s := &small{rows: width & 7}
		r := markdown.On(s)
		for piece := range slices.Chunk([]byte(text), 5) {
			r.Write(piece)
		}
		r.Close()
		if s.most > s.rows {
			t.Errorf("%d rows are drawn where %d can be drawn anew, of %q", s.most, s.rows, text)
		}
		for _, c := range readable(render(text, width%200, 5)) + readable(s.String()) {
			if c < ' ' && c != '\n' && c != '\x1b' || c == 0x7f {
				t.Errorf("%q came out of %q", c, text)
			}
		}
	})
}

func Example() {
	r := markdown.On(final{os.Stdout, 40})
	r.Write([]byte("Some words that are wrapped at the width of the terminal.\n\n- one\n- two\n"))
	r.Close()
	// Output:
	// Some words that are wrapped at the width
	// of the terminal.
	//
	// • one
	// • two
}
