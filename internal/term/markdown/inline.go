package markdown

import (
	"html"
	"strings"

	"github.com/gomarkdown/markdown/ast"
	"github.com/mattn/go-runewidth"
)

type style uint8

const (
	bold style = 1 << iota
	dim
	italic
	underline
	strike
	magenta // cyan and yellow cannot be read on white, blue not on black
)

func (s style) sgr() string {
	var codes []string
	for i, code := range [...]string{"1", "2", "3", "4", "9", "35"} {
		if s&(1<<i) != 0 {
			codes = append(codes, code)
		}
	}
	if len(codes) == 0 {
		return ""
	}
	return "\x1b[" + strings.Join(codes, ";") + "m"
}

// span is text of one style. A line break is a span with the text "\n".
type span struct {
	text  string
	style style
}

func paint(spans []span) string {
	var b strings.Builder
	for _, s := range spans {
		if on := s.style.sgr(); on != "" && s.text != "" {
			b.WriteString(on + s.text + "\x1b[0m")
		} else {
			b.WriteString(s.text)
		}
	}
	return b.String()
}

// inline flattens the contents of a paragraph into spans.
func inline(n ast.Node, on style) []span {
	switch n := n.(type) {
	case *ast.Text:
		return brokenLines(character(string(n.Literal)), on)
	case *ast.HTMLSpan:
		if isLineBreak(string(n.Literal)) {
			return []span{{"\n", 0}}
		}
	case *ast.Softbreak, *ast.Hardbreak:
		return []span{{"\n", 0}}
	case *ast.Code:
		return []span{{oneLine(n.Literal), on | magenta}}
	case *ast.Emph:
		return inlines(n, on|italic)
	case *ast.Strong:
		return inlines(n, on|bold)
	case *ast.Del:
		return inlines(n, on|strike)
	case *ast.Link:
		text := inlines(n, on|underline)
		target := oneLine(n.Destination)
		if plain(text) == target || "mailto:"+plain(text) == target {
			return text
		}
		return append(text, span{" (" + target + ")", on | dim})
	case *ast.Image:
		return []span{{"[image: " + plain(inlines(n, 0)) + "]", on}, {" (" + oneLine(n.Destination) + ")", on | dim}}
	}
	if leaf := n.AsLeaf(); leaf != nil {
		return brokenLines(string(leaf.Literal), on)
	}
	return inlines(n, on)
}

// character returns the character that a text refers to, as "&lt;" does, or the text. The
// parser makes a text of its own of each reference, and decodes only some.
func character(text string) string {
	if strings.HasPrefix(text, "&") && strings.IndexByte(text, ';') == len(text)-1 {
		return html.UnescapeString(text)
	}
	return text
}

func isLineBreak(tag string) bool {
	return strings.EqualFold(strings.Trim(tag, "</ >"), "br")
}

// oneLine returns clean text without line breaks. The parser decodes character references,
// so its output must be cleaned again.
func oneLine(text []byte) string { return strings.ReplaceAll(clean(string(text)), "\n", " ") }

// brokenLines keeps the line breaks of a text: models break lines on purpose, not to fit a
// page.
func brokenLines(text string, on style) (spans []span) {
	for i, line := range strings.Split(clean(text), "\n") {
		if i > 0 {
			spans = append(spans, span{"\n", 0})
		}
		spans = append(spans, span{line, on})
	}
	return spans
}

func inlines(n ast.Node, on style) (spans []span) {
	for _, child := range n.GetChildren() {
		spans = append(spans, inline(child, on)...)
	}
	return spans
}

func plain(spans []span) string {
	var b strings.Builder
	for _, s := range spans {
		b.WriteString(s.text)
	}
	return b.String()
}

// wrap wraps spans at spaces into lines of at most width columns. A longer word gets a line
// of its own. If width is 0 or less, lines are not wrapped.
func wrap(spans []span, width int) (lines [][]span) {
	var line, word []span
	column, wordWidth := 0, 0
	var gap *span
	endWord := func() {
		if len(word) == 0 {
			return
		}
		if gap != nil && column > 0 {
			if width > 0 && column+1+wordWidth > width {
				lines, line, column = append(lines, line), nil, 0
			} else {
				line, column = append(line, span{" ", gap.style & (underline | strike)}), column+1
			}
		}
		line, column = append(line, word...), column+wordWidth
		word, wordWidth, gap = nil, 0, nil
	}
	for _, s := range spans {
		if s.text == "\n" {
			endWord()
			lines, line, column, gap = append(lines, line), nil, 0, nil
			continue
		}
		for text := s.text; text != ""; {
			i := strings.IndexAny(text, " \t")
			if i != 0 {
				if i < 0 {
					i = len(text)
				}
				word, wordWidth = append(word, span{text[:i], s.style}), wordWidth+runewidth.StringWidth(text[:i])
				text = text[i:]
				continue
			}
			endWord()
			gap, text = &s, strings.TrimLeft(text, " \t")
		}
	}
	endWord()
	return append(lines, line)
}

func widthOf(spans []span) int { return runewidth.StringWidth(plain(spans)) }
