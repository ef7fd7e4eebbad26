package question

import (
	"fmt"
	"strings"

	"github.com/chibi-host/chibi/internal/term"
	"github.com/mattn/go-runewidth"
)

const (
	// maxRows bounds the rows of one foreign text that are shown at first, maxText the
	// bytes of it that are shown at all: its beginning and its end.
	maxRows = 40
	maxText = 128 << 10
	// leastColumns is the width below which text is not made narrower, and usualColumns the width of a
	// terminal that does not know it.
	leastColumns, usualColumns = 20, 80
)

type page struct {
	columns int
	colours bool
	cut     bool // a text was not shown as a whole
	out     strings.Builder
}

type style int

const (
	plain style = iota
	diff
)

func (p *page) title(text string) {
	for _, row := range wrap(text, p.width()) {
		p.coloured("1", row)
	}
}

// text adds a sentence of ours.
func (p *page) text(text string) {
	for _, row := range wrap(text, p.width()) {
		p.out.WriteString(row + "\n")
	}
}

// mark begins every row of a text that is not ours.
const mark = "  | "

// block adds a foreign text: what is not printable as escapes, each row marked, in at most
// so many rows, its beginning and its end; 0: all. A long beginning must not hide an end
// that matters more.
func (p *page) block(text string, s style, most int) {
	text, middle := shorten(text)
	var rows, colours []string
	for line := range strings.SplitSeq(text, "\n") {
		line = term.Visible(strings.ReplaceAll(line, "\t", "    "))
		for row := range strings.SplitSeq(runewidth.Wrap(line, p.width()-len(mark)), "\n") {
			rows, colours = append(rows, row), append(colours, s.of(line))
		}
	}
	for i, row := range rows {
		left := len(rows) - most
		switch first := most - max(most/4, min(1, most-1)); {
		case most < 1 || left <= 0 || i < first || i >= first+left:
			p.coloured(colours[i], mark+row)
		case i == first:
			p.cut = true
			p.coloured("1", moreLines(left, first == most))
		}
	}
	if middle > 0 {
		p.coloured("1", fmt.Sprintf("%d bytes in the middle of it cannot be shown", middle))
	}
}

func moreLines(count int, isEnd bool) string {
	text := fmt.Sprintf("... %d more lines", count)
	if !isEnd {
		text += ", and then"
	}
	return text
}

func shorten(text string) (short string, left int) {
	if len(text) <= maxText {
		return text, 0
	}
	left = len(text) - maxText
	return strings.ToValidUTF8(text[:maxText/2], "") + "\n[...]\n" +
		strings.ToValidUTF8(text[len(text)-maxText/2:], ""), left
}

func (s style) of(line string) string {
	switch {
	case s != diff:
		return ""
	case strings.HasPrefix(line, "+"):
		return "32"
	case strings.HasPrefix(line, "-"):
		return "31"
	case strings.HasPrefix(line, "@@"):
		return "35"
	}
	return ""
}

// coloured adds a row in a colour; "": in none.
func (p *page) coloured(code, row string) {
	if p.colours && code != "" {
		row = "\x1b[" + code + "m" + row + "\x1b[0m"
	}
	p.out.WriteString(row + "\n")
}

func (p *page) width() int {
	if p.columns < 1 {
		return usualColumns
	}
	return max(p.columns, leastColumns)
}

// wrap divides a text into rows at spaces, and words that are too long anywhere.
func wrap(text string, columns int) (rows []string) {
	row := ""
	for _, word := range strings.Fields(text) {
		if row != "" && runewidth.StringWidth(row)+1+runewidth.StringWidth(word) > columns {
			rows, row = append(rows, row), ""
		}
		if row != "" {
			row += " "
		}
		row += word
		for part := strings.Split(runewidth.Wrap(row, columns), "\n"); len(part) > 1; part = part[1:] {
			rows, row = append(rows, part[0]), part[1]
		}
	}
	return append(rows, row)
}
