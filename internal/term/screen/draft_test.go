package screen

import (
	"bytes"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode"

	"github.com/chibi-host/chibi/internal/term/markdown"
	"github.com/chibi-host/chibi/internal/term/termtest"
	"github.com/chibi-host/chibi/internal/terminaltest"
	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

// lineEnds writes line ends as a terminal sees them.
type lineEnds struct{ to *terminaltest.Screen }

func (w lineEnds) Write(p []byte) (int, error) {
	w.to.Write(bytes.ReplaceAll(p, []byte("\n"), []byte("\r\n")))
	return len(p), nil
}

// modelled is a screen on a model of a terminal.
type modelled struct {
	*Screen
	model *terminaltest.Screen
	size  size
}

// onModel returns a screen on a model of so many columns and rows.
func onModel(t testing.TB, columns, rows int) *modelled {
	t.Helper()
	t.Setenv("TERM", "xterm")
	null, err := os.OpenFile(os.DevNull, os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { null.Close() })
	m := &modelled{New(null, null), terminaltest.NewScreen(columns, rows), size{columns, rows}}
	for _, o := range m.outlets {
		o.to = lineEnds{m.model}
	}
	m.OnTerminal, m.shared, m.out.terminal, m.err.terminal, m.plugins.terminal = true, true, true, true, true
	m.sizeOf = func(*os.File) size { return m.size }
	m.colourless = true
	return m
}

// surface makes a draft a surface of the renderer.
type surface struct{ *Draft }

func (s surface) Look() markdown.View {
	columns, rows, lost := s.Room()
	return markdown.View{Columns: columns, Rows: rows, Lost: lost}
}

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

// stream draws a text in pieces, with something between them.
func (m *modelled) stream(text string, size func() int, between func()) {
	d := NewDraft(m.Screen)
	r := markdown.On(surface{d})
	for text != "" {
		n := min(size(), len(text))
		r.Write([]byte(text[:n]))
		text = text[n:]
		between()
	}
	r.Close()
	d.End()
}

// atOnce is what a screen shows after a text was rendered at once.
func (m *modelled) atOnce(text string) []string {
	model := terminaltest.NewScreen(m.size.columns, 0)
	r := markdown.On(final{lineEnds{model}, min(m.size.columns, maxColumns)})
	r.Write([]byte(text))
	r.Close()
	return model.Lines()
}

// TestAStreamedAnswerLooksInTheEndAsIfItHadComeAtOnce, with lines of others, which all stay,
// and at sizes at which every block fits the screen.
func TestAStreamedAnswerLooksInTheEndAsIfItHadComeAtOnce(t *testing.T) {
	for seed := range uint64(200) {
		r := rand.New(rand.NewPCG(seed, 1))
		text := termtest.Markdown(r)
		m := onModel(t, []int{40, 80, 200}[r.IntN(3)], []int{100, 200}[r.IntN(2)])
		io.WriteString(m.Stderr(), "before\n")
		others := []string{"before"}
		m.stream(text, func() int { return 1 + r.IntN(8) }, func() {
			switch n := len(others); {
			case seed%2 == 0 || r.IntN(20) > 0:
				return
			case r.IntN(3) == 0:
				m.Line(fmt.Sprintf("notice %d", n))
			default:
				fmt.Fprintf(m.Plugins(), "plugin %d\n", n)
			}
			others = append(others, "other")
		})
		io.WriteString(m.Stderr(), "after\n")
		var answer, foreign []string
		for _, line := range m.model.Lines() {
			if first, _, _ := strings.Cut(line, " "); slices.Contains([]string{"before", "after", "notice", "plugin"}, first) {
				foreign = append(foreign, line)
			} else {
				answer = append(answer, line)
			}
		}
		if diff := cmp.Diff(m.atOnce(text), answer, cmpopts.EquateEmpty()); diff != "" || len(foreign) != len(others)+1 {
			t.Errorf("seed %d, %v, %d lines of others, want %d; (-at once +streamed):\n%s\nthe text\n%s", seed, m.size,
				len(foreign), len(others)+1, diff, text)
		}
	}
}

// tokens splits a text after each word, as models do.
func tokens(text string) []string { return strings.SplitAfter(text, " ") }

// TestEachWordIsSeenAsItArrives: something visible changes with each word, in all kinds of
// blocks and at several sizes. Only what opens or closes a code block is held back.
func TestEachWordIsSeenAsItArrives(t *testing.T) {
	for _, kind := range termtest.Blocks() {
		for seed := range uint64(40) {
			r := rand.New(rand.NewPCG(seed, 2))
			m := onModel(t, []int{40, 80, 200}[r.IntN(3)], []int{5, 24, 60}[r.IntN(3)])
			var text string
			for range 3 {
				text += termtest.Block(r, kind) + "\n"
			}
			list, silent, seen := tokens(text), 0, ""
			i := 0
			m.stream(text, func() int { i++; return len(list[i-1]) }, func() {
				now := m.model.Text()
				if word := strings.TrimSpace(list[i-1]); now != seen || word == "" || strings.HasPrefix(word, "`") {
					silent, seen = 0, now
					return
				}
				if silent++; silent > 2 {
					t.Errorf("%s, seed %d, %v: nothing is seen of %q; the screen is\n%s", kind, seed, m.size, list[i-1-silent:i], now)
				}
			})
		}
	}
}

// letters returns the letters of lines, whatever their layout: those of a cell of a table are
// below each other.
func letters(lines []string) string {
	all := slices.DeleteFunc([]rune(strings.Join(lines, "")), func(c rune) bool { return !unicode.IsLetter(c) })
	slices.Sort(all)
	return string(all)
}

// TestBlocksTallerThanTheScreenLoseNothing, and nothing is drawn twice.
func TestBlocksTallerThanTheScreenLoseNothing(t *testing.T) {
	for seed := range uint64(200) {
		r := rand.New(rand.NewPCG(seed, 3))
		text := termtest.Markdown(r)
		m := onModel(t, []int{20, 40, 80}[r.IntN(3)], 3+r.IntN(6))
		m.stream(text, func() int { return 1 + r.IntN(8) }, func() {})
		got, want := letters(m.model.Lines()), letters(m.atOnce(text))
		if got != want {
			t.Errorf("seed %d, %v: the screen is\n%s\nwant the words of\n%s\nthe text\n%s", seed,
				m.size, m.model.Text(),
				strings.Join(m.atOnce(text), "\n"), text)
		}
	}
}

// TestRowsThatMayBeElsewhereAreNotErased: after a change of the size, and after the program
// was stopped.
func TestRowsThatMayBeElsewhereAreNotErased(t *testing.T) {
	for name, change := range map[string]func(m *modelled){
		"another width":  func(m *modelled) { m.size.columns = 50 },
		"another height": func(m *modelled) { m.size.rows = 20 },
		"stopped": func(m *modelled) {
			m.draft.resumed <- os.Interrupt // which signal it is does not matter
			m.model.Write([]byte("\r\n[1]+  Stopped\r\n$ fg\r\n"))
		},
	} {
		m, n := onModel(t, 40, 24), 0
		m.stream("A *text* with words.\nMore *of* it. ", func() int { return 1 }, func() {
			if n++; n == 27 {
				change(m)
			}
		})
		want := "A *text* with words.\nMore *\n"
		if name == "stopped" {
			want += "[1]+  Stopped\n$ fg\n"
		}
		if got := m.model.Text() + "\n"; got != want+"of* it.\n" {
			t.Errorf("%s: the screen is\n%s", name, got)
		}
	}
}

// TestAnItemGoesOnAfterAChangeOfTheSize, below its beginning.
func TestAnItemGoesOnAfterAChangeOfTheSize(t *testing.T) {
	m, n := onModel(t, 40, 24), 0
	m.stream("1. one\n2. an *item* with words\n3. next", func() int { return 1 }, func() {
		if n++; n == len("1. one\n2. an *item*") {
			m.size.columns = 50
		}
	})
	if got := m.model.Text(); got != "1. one\n2. an *item*\n   with words\n3. next" {
		t.Errorf("the screen is\n%s", got)
	}
}

// TestLinesThatOthersDoNotEnd stay above the answer too.
func TestLinesThatOthersDoNotEnd(t *testing.T) {
	m, n := onModel(t, 40, 24), 0
	m.stream("A *text* of words. ", func() int { return 1 }, func() {
		if n++; n == 4 {
			io.WriteString(m.Plugins(), "load")
			io.WriteString(m.Plugins(), "ing")
		} else if n == 6 {
			io.WriteString(m.Plugins(), "...\nloaded\n")
		}
	})
	if got := m.model.Text(); got != "loading\n...\nloaded\nA text of words." {
		t.Errorf("the screen is\n%s", got)
	}
}

// TestWhatIsTypedIntoAnAnswerDisappears, as the ^C of a person who interrupts it.
func TestWhatIsTypedIntoAnAnswerDisappears(t *testing.T) {
	for _, text := range []string{
		"Some words ", "Some **words", "```\nsome code", "Exactly as many words as fill the row..",
	} {
		m, n := onModel(t, 40, 24), 0
		m.stream(text, func() int { return 1 }, func() {
			if n++; n == len(text) {
				m.model.Write([]byte("^C"))
			}
		})
		m.Line("chibi: interrupted")
		want := strings.Join(append(m.atOnce(text), "chibi: interrupted"), "\n")
		if got := m.model.Text(); got != want {
			t.Errorf("the screen is\n%s\nwant\n%s", got, want)
		}
	}
}

// TestAQuestionWithinAnAnswer: the terminal is somebody else's meanwhile.
func TestAQuestionWithinAnAnswer(t *testing.T) {
	m, n := onModel(t, 40, 24), 0
	var resume func()
	m.stream("Some *words* and more. ", func() int { return 1 }, func() {
		switch n++; n {
		case 7:
			resume = m.Pause()
			m.model.Write([]byte("run it? "))
		case 12:
			m.model.Write([]byte("y\r\n"))
			resume()
		}
	})
	if got := m.model.Text(); got != "run it? y\nSome words and more." {
		t.Errorf("the screen is\n%s", got)
	}
}

// TestALineThatIsNotKnownYetWraps: what may become a rule is wider than the terminal before
// it is known.
func TestALineThatIsNotKnownYetWraps(t *testing.T) {
	for _, line := range []string{strings.Repeat("- ", 60), "-" + strings.Repeat("\t-", 20), strings.Repeat("_ ", 60)} {
		m := onModel(t, 20, 24)
		m.stream("words\n"+line+"\nand words", func() int { return 3 }, func() {})
		if got, want := m.model.Lines(), m.atOnce("words\n"+line+"\nand words"); !slices.Equal(got, want) {
			t.Errorf("%q is shown as\n%q, want\n%q", line, got, want)
		}
	}
}

// TestRowsAreDrawnBelowIfTheyMovedAfterTheLastLook: then nothing is lost.
func TestRowsAreDrawnBelowIfTheyMovedAfterTheLastLook(t *testing.T) {
	m := onModel(t, 40, 24)
	d := NewDraft(m.Screen)
	d.Room()
	d.Draw("", []string{"some *te"})
	m.draft.resumed <- os.Interrupt // which signal it is does not matter
	d.Draw("", []string{"some *text*"})
	if _, _, lost := d.Room(); lost || m.model.Text() != "some *te\nsome *text*" {
		t.Errorf("lost: %v; the screen is\n%s", lost, m.model.Text())
	}
	d.Draw("some text\n", nil)
	d.End()
	if got := m.model.Text(); got != "some *te\nsome text" {
		t.Errorf("in the end the screen is\n%s", got)
	}
}

// TestAnAnswerCannotControlTheTerminal, in whatever pieces it comes.
func TestAnAnswerCannotControlTheTerminal(t *testing.T) {
	own := regexp.MustCompile(`\r*\r(\x1b\[[0-9]+A)?\x1b\[J|\x1b\[\?7[lh]|\r+$|\r\n`)
	for _, before := range []string{"", "- ", "> ", "```\n", "| a |\n|---|\n| ", "# "} {
		for size := range 4 {
			m, drawn := onModel(t, 40, 10), &bytes.Buffer{}
			m.outlets[0].to, m.colourless = drawn, size == 0
			m.stream(before+termtest.All()+"text &#27;[2J"+termtest.All(), func() int { return 1 + 3*size }, func() {
				if wrong := termtest.Wrong(own.ReplaceAllString(drawn.String(), "")); wrong != "" {
					t.Errorf("after %q, %q reaches the terminal in %q", before, wrong, drawn)
				}
				drawn.Reset()
			})
		}
	}
}

// long is a block of a kind with so many bytes.
func long(kind string, size int) string {
	before := map[string]string{"table": "| a | b | c |\n|---|---|---|\n", "code": "```\n"}[kind]
	return before + strings.Repeat(longBlocks()[kind], size/len(longBlocks()[kind]))
}

// longBlocks are the kinds of blocks, with a part that is repeated.
func longBlocks() map[string]string {
	return map[string]string{
		"table": "| one | two **bold** | three |\n", "quote": "> some words of a quote\n", "list": "- an item with words\n",
		"line": "some words ", "lines": "some words\n", "code": "some code\n", "word": "x",
	}
}

// counter counts bytes.
type counter int

func (c *counter) Write(p []byte) (int, error) { *c += counter(len(p)); return len(p), nil }

// TestALongBlockIsNotDrawnAgainAndAgain: what is written grows with the text, not with its
// square.
func TestALongBlockIsNotDrawnAgainAndAgain(t *testing.T) {
	for kind := range longBlocks() {
		var written [2]counter
		for i, size := range []int{32 << 10, 64 << 10} {
			m := onModel(t, 80, 50)
			m.outlets[0].to = &written[i]
			m.stream(long(kind, size), func() int { return 8 }, func() {})
		}
		if written[0] > 20*32<<10 || written[1] > written[0]*21/10 {
			t.Errorf("%s: 32 KB are drawn with %d bytes, 64 KB with %d", kind, written[0], written[1])
		}
	}
}

// BenchmarkLongBlocks reports how much longer 1 MB of a block takes than 128 KB, in pieces of
// 8 bytes on a terminal of 80 columns and 50 rows: 8 times if the time grows with the size.
func BenchmarkLongBlocks(b *testing.B) {
	for kind := range longBlocks() {
		b.Run(kind, func(b *testing.B) {
			draw := func(size int) time.Duration {
				m := onModel(b, 80, 50)
				m.outlets[0].to = io.Discard
				begin := time.Now()
				m.stream(long(kind, size), func() int { return 8 }, func() {})
				return time.Since(begin)
			}
			var few, many time.Duration
			for b.Loop() {
				few, many = few+draw(128<<10), many+draw(1<<20)
			}
			b.ReportMetric(float64(many)/float64(few), "1MB/128KB")
		})
	}
}
