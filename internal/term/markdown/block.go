package markdown

import (
	"fmt"
	"strings"

	"github.com/gomarkdown/markdown/ast"
	"github.com/gomarkdown/markdown/parser"
)

const extensions = parser.NoIntraEmphasis | parser.Tables | parser.FencedCode | parser.Autolink |
	parser.Strikethrough | parser.SpaceHeadings | parser.BackslashLineBreak | parser.NoEmptyLineBeforeBlock |
	parser.OrderedListStart

func renderBlocks(text string, width int) []string { return children(parse(text), width, true) }

func parse(text string) ast.Node { return parser.NewWithExtensions(extensions).Parse([]byte(text)) }

func children(n ast.Node, width int, apart bool) (lines []string) {
	for _, child := range n.GetChildren() {
		more := block(child, width)
		if len(more) == 0 {
			continue
		}
		if apart && len(lines) > 0 {
			lines = append(lines, "")
		}
		lines = append(lines, more...)
	}
	return lines
}

func block(n ast.Node, width int) []string {
	switch n := n.(type) {
	case *ast.Heading:
		on := bold
		if n.Level == 1 {
			on |= underline
		}
		return paintAll(wrap(inlines(n, on), width))
	case *ast.CodeBlock:
		return code(string(n.Literal))
	case *ast.BlockQuote:
		return prefixed(children(n, less(width, 2), true), dim.sgr()+"│"+"\x1b[0m ", dim.sgr()+"│"+"\x1b[0m ")
	case *ast.List:
		return items(n, 0, width)
	case *ast.Table:
		return grid(n, width)
	case *ast.HorizontalRule:
		if width <= 0 {
			width = 40
		}
		return []string{paint([]span{{strings.Repeat("─", width), dim}})}
	case *ast.HTMLBlock:
		return strings.Split(strings.Trim(clean(string(n.Literal)), "\n"), "\n")
	case *ast.Paragraph:
		return paintAll(wrap(inlines(n, 0), width))
	}
	if n.AsLeaf() != nil {
		return paintAll(wrap(inline(n, 0), width))
	}
	return children(n, width, true)
}

func paintAll(lines [][]span) (text []string) {
	for _, line := range lines {
		text = append(text, paint(line))
	}
	return text
}

const codeIndent = 4

// code renders code unchanged, indented and coloured. It is not wrapped, so that it can be
// copied.
func code(text string) (lines []string) {
	text = strings.ReplaceAll(strings.TrimRight(clean(text), "\n"), "\t", "    ")
	for _, line := range strings.Split(text, "\n") {
		if line != "" {
			line = strings.Repeat(" ", codeIndent) + paint([]span{{line, magenta}})
		}
		lines = append(lines, line)
	}
	return lines
}

// items renders the items of a list of which some are drawn already.
func items(n *ast.List, drawn, width int) (lines []string) {
	for i, child := range n.GetChildren() {
		item, ok := child.(*ast.ListItem)
		if !ok {
			continue
		}
		mark := mark(n, drawn+i)
		columns := len([]rune(mark))
		apart := !n.Tight && hasParagraphs(item)
		text := children(item, less(width, columns), apart)
		if len(text) == 0 {
			text = []string{""}
		}
		if apart && (drawn > 0 || len(lines) > 0) {
			lines = append(lines, "")
		}
		lines = append(lines, prefixed(text, mark, strings.Repeat(" ", columns))...)
	}
	return lines
}

func mark(n *ast.List, i int) string {
	if n.ListFlags&ast.ListTypeOrdered == 0 {
		return "• "
	}
	return fmt.Sprintf("%d. ", max(n.Start, 1)+i)
}

func hasParagraphs(item *ast.ListItem) bool {
	count := 0
	for _, child := range item.GetChildren() {
		if _, ok := child.(*ast.Paragraph); ok {
			count++
		}
	}
	return count > 1
}

func prefixed(lines []string, first, others string) []string {
	for i, line := range lines {
		before := others
		if i == 0 {
			before = first
		}
		lines[i] = strings.TrimRight(before+line, " ")
	}
	return lines
}

// less returns the width that remains after a prefix; 0 stays 0, for no limit.
func less(width, columns int) int {
	if width <= 0 {
		return 0
	}
	return max(width-columns, 10)
}
