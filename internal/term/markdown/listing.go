package markdown

import (
	"strconv"
	"strings"

	"github.com/gomarkdown/markdown/ast"
)

// listing is a list that is rendered item by item: what its next item needs to know.
type listing struct {
	items   int  // how many are drawn; 0: no list goes on
	start   int  // the number of the first
	loose   bool // blank lines are among its items
	indent  int  // the columns before the text of the last item
	ordered bool
}

// placeholder is an item that is parsed with another one and not drawn.
const placeholder = "x\n"

// render renders an item. next is the marker of the item that follows in the text, "" if
// none does. The parser reads an item as it would within the list: behind a loose item, and
// before the next one.
func (l *listing) render(text, next string, width int) (lines []string) {
	text = indented(text)
	before := ""
	if mark := marker([]byte(text)); l.loose && mark != "" {
		before = mark + placeholder + "\n"
	}
	after := ""
	if next != "" {
		after = next + placeholder
	}
	doc := parse(before + text + after)
	goesOn := next != "" && len(doc.GetChildren()) == 1
	if !dropPlaceholders(doc, before != "", after != "") {
		*l = listing{}
		return renderBlocks(text, width)
	}
	list, ok := ast.GetFirstChild(doc).(*ast.List)
	if !ok {
		return children(doc, width, true)
	}
	if l.items == 0 {
		l.start = list.Start
	}
	list.Start, l.ordered = l.start, list.ListFlags&ast.ListTypeOrdered != 0
	lines = l.rendered(doc, list, width)
	l.items, l.loose = l.items+len(list.GetChildren()), l.loose || !list.Tight
	if !goesOn && next != "" {
		*l = listing{}
	}
	return lines
}

// dropPlaceholders removes the first and the last item of a document; false: the parser did
// not read the placeholders as items.
func dropPlaceholders(doc ast.Node, first, last bool) bool {
	if first {
		list, ok := ast.GetFirstChild(doc).(*ast.List)
		if !ok || !isPlaceholder(list.GetChildren()[0]) {
			return false
		}
		list.SetChildren(list.GetChildren()[1:])
	}
	if last {
		list, ok := ast.GetLastChild(doc).(*ast.List)
		if !ok || len(list.GetChildren()) == 0 || !isPlaceholder(ast.GetLastChild(list)) {
			return false
		}
		list.SetChildren(list.GetChildren()[:len(list.GetChildren())-1])
		if len(list.GetChildren()) == 0 {
			doc.SetChildren(doc.GetChildren()[:len(doc.GetChildren())-1])
		}
	}
	return true
}

func isPlaceholder(item ast.Node) bool {
	return plain(inline(item, 0)) == strings.TrimSpace(placeholder)
}

func (l *listing) rendered(doc ast.Node, list *ast.List, width int) []string {
	lines := items(list, l.items, width)
	if n := len(list.GetChildren()); n > 0 {
		l.indent = len([]rune(mark(list, l.items+n-1)))
	}
	doc.SetChildren(doc.GetChildren()[1:])
	if more := children(doc, width, true); len(more) > 0 {
		lines = append(append(lines, ""), more...)
	}
	return lines
}

// renderRest renders more of an item whose beginning is drawn.
func (l *listing) renderRest(text, next string, width int) []string {
	var b strings.Builder
	for line := range strings.Lines(text) {
		spaces := min(4, len(line)-len(strings.TrimLeft(line, " ")))
		b.WriteString(line[spaces:])
	}
	margin := strings.Repeat(" ", l.indent)
	if next != "" && isNumber(next) != l.ordered {
		defer func() { *l = listing{} }()
	}
	return prefixed(renderBlocks(b.String(), less(width, l.indent)), margin, margin)
}

// leave notes an item of which the beginning stays as it was shown.
func (l *listing) leave(marker string) {
	if marker == "" {
		return
	}
	if l.items == 0 {
		l.start, _ = strconv.Atoi(strings.TrimRight(marker, ".) \t"))
	}
	l.items, l.indent, l.ordered = l.items+1, len(marker), isNumber(marker)
}

func isNumber(marker string) bool { return marker[0] >= '0' && marker[0] <= '9' }

// openItem is an item that goes on: where its marker and its text begin.
type openItem struct{ marker, text int }

// indented returns an item with four columns before what is in it, at each level, as the
// parser counts. Models indent as far as the text of the item above begins.
func indented(text string) string {
	var b strings.Builder
	var above []openItem
	fence := ""
	for line := range strings.Lines(text) {
		rest := strings.TrimLeft(line, " ")
		column, level := len(line)-len(rest), 0
		mark := marker([]byte(rest))
		if mark != "" && fence == "" {
			for level < len(above) && column >= above[level].marker+2 {
				level++
			}
			above = append(above[:level], openItem{column, column + len(mark)})
			column = 0
		} else {
			for level < len(above) && column >= above[level].text {
				level++
			}
			fence = fenceAfter(fence, strings.TrimSpace(rest))
			if level > 0 {
				column -= above[level-1].text
			}
		}
		b.WriteString(strings.Repeat(" ", 4*level+column) + rest)
	}
	return b.String()
}

// fenceAfter returns the fence of the code block that goes on after a line; "": none does.
func fenceAfter(fence, line string) string {
	switch {
	case fence == "":
		return fenceOf([]byte(line))
	case isFenceEnd([]byte(line), fence):
		return ""
	}
	return fence
}
