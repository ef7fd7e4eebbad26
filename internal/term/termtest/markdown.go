package termtest

import (
	"fmt"
	"math/rand/v2"
	"strings"
)

// Markdown returns a random text of a few blocks, as models write them, and as they do not.
func Markdown(r *rand.Rand) string {
	var b strings.Builder
	for range 1 + r.IntN(4) {
		b.WriteString(Block(r, Blocks()[r.IntN(len(Blocks()))]))
		if r.IntN(5) > 0 {
			b.WriteString("\n")
		}
	}
	return b.String()
}

// Blocks lists the kinds of Block.
func Blocks() []string {
	return []string{"paragraph", "heading", "list", "numbers", "quote", "table", "code", "rule", "code in a list"}
}

// Block returns a random block of a kind.
func Block(r *rand.Rand, kind string) string {
	var b strings.Builder
	switch kind {
	case "paragraph":
		lines(&b, r, "", 3)
	case "heading":
		fmt.Fprintf(&b, "%s %s\n", strings.Repeat("#", 1+r.IntN(4)), words(r, 5))
	case "list":
		for range 1 + r.IntN(5) {
			fmt.Fprintf(&b, "- %s%s", words(r, 15), lineEnd(r))
			inItem(&b, r)
		}
	case "numbers":
		for i := range 1 + r.IntN(12) {
			fmt.Fprintf(&b, "%d. %s%s", i+1, words(r, 12), lineEnd(r))
			inItem(&b, r)
		}
	case "quote":
		lines(&b, r, "> ", 4)
	case "table":
		table(&b, r)
	case "code":
		b.WriteString("```go\n")
		lines(&b, r, strings.Repeat(" ", r.IntN(6)), 5)
		b.WriteString("\n}\n```\n")
	case "rule":
		b.WriteString([]string{"---\n", "***\n", "- - -\n", "* * *\n"}[r.IntN(4)])
	default:
		b.WriteString("- item\n\n   ```sh\n   a\n\n   b\n   ```\n- next\n")
	}
	return b.String()
}

// words returns up to so many words of a line.
func words(r *rand.Rand, most int) string {
	some := strings.Fields("one two three **bold** *it* `code` longer-word 日本語 x ~~no~~ [l](http://u.v) e\u0301 1. - # " +
		"> * _ **open and close** &lt; <b> 👍 word")
	var list []string
	for range 1 + r.IntN(most) {
		list = append(list, some[r.IntN(len(some))])
	}
	return strings.Join(list, " ")
}

func lines(b *strings.Builder, r *rand.Rand, prefix string, most int) {
	for range 1 + r.IntN(most) {
		b.WriteString(prefix + words(r, 18) + "\n")
	}
}

func lineEnd(r *rand.Rand) string { return []string{"\n", "\n", "\n\n"}[r.IntN(3)] }

// inItem sometimes writes more of an item of a list.
func inItem(b *strings.Builder, r *rand.Rand) {
	switch r.IntN(8) {
	case 0:
		fmt.Fprintf(b, "    - %s%s    - %s\n", words(r, 5), lineEnd(r), words(r, 5))
	case 1:
		fmt.Fprintf(b, "\n    %s\n\n", words(r, 10))
	case 2:
		fmt.Fprintf(b, "  %s\n", words(r, 5))
	}
}

func table(b *strings.Builder, r *rand.Rand) {
	columns := 1 + r.IntN(4)
	row := func() {
		for range columns {
			b.WriteString("| " + words(r, 4) + " ")
		}
		b.WriteString("|\n")
	}
	row()
	b.WriteString("|" + strings.Repeat("---|", columns) + "\n")
	for range r.IntN(6) {
		row()
	}
}
