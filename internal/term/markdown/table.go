package markdown

import (
	"strings"

	"github.com/gomarkdown/markdown/ast"
)

type row struct {
	cells  [][]span
	header bool
}

// grid renders a table with aligned columns. Cells are wrapped if the table is wider than
// the terminal.
func grid(n *ast.Table, width int) (lines []string) {
	rows, align := cellsOf(n)
	widths := columnWidths(rows, width)
	for i, r := range rows {
		lines = append(lines, rowLines(r, widths, align)...)
		if r.header && (i+1 == len(rows) || !rows[i+1].header) {
			var rule []string
			for _, w := range widths {
				rule = append(rule, strings.Repeat("─", w))
			}
			lines = append(lines, paint([]span{{strings.Join(rule, "──"), dim}}))
		}
	}
	return lines
}

func cellsOf(n *ast.Table) (rows []row, align []ast.CellAlignFlags) {
	ast.WalkFunc(n, func(node ast.Node, entering bool) ast.WalkStatus {
		switch node := node.(type) {
		case *ast.TableRow:
			if entering {
				rows = append(rows, row{})
			}
		case *ast.TableCell:
			if !entering || len(rows) == 0 {
				break
			}
			r := &rows[len(rows)-1]
			on := style(0)
			if node.IsHeader {
				on, r.header = bold, true
			}
			if len(align) == len(r.cells) {
				align = append(align, node.Align)
			}
			r.cells = append(r.cells, inlines(node, on))
			return ast.SkipChildren
		}
		return ast.GoToNext
	})
	return rows, align
}

// columnWidths returns the widths of the widest cells, reduced until the table fits.
func columnWidths(rows []row, width int) []int {
	var widths []int
	for _, r := range rows {
		for i, cell := range r.cells {
			if i == len(widths) {
				widths = append(widths, 1)
			}
			widths[i] = max(widths[i], widthOf(cell))
		}
	}
	for width > 0 && len(widths) > 0 {
		total, widest := 2*(len(widths)-1), 0
		for i, w := range widths {
			total += w
			if w > widths[widest] {
				widest = i
			}
		}
		if total <= width || widths[widest] <= 8 {
			break
		}
		widths[widest] = max(8, widths[widest]-(total-width))
	}
	return widths
}

func rowLines(r row, widths []int, align []ast.CellAlignFlags) (lines []string) {
	var cells [][][]span
	height := 1
	for i, cell := range r.cells {
		wrapped := wrap(cell, widths[i])
		cells = append(cells, wrapped)
		height = max(height, len(wrapped))
	}
	for y := range height {
		var line []string
		for i, cell := range cells {
			var text []span
			if y < len(cell) {
				text = cell[y]
			}
			line = append(line, aligned(text, widths[i], align[i]))
		}
		lines = append(lines, strings.TrimRight(strings.Join(line, "  "), " "))
	}
	return lines
}

func aligned(text []span, width int, align ast.CellAlignFlags) string {
	left, right := 0, max(0, width-widthOf(text))
	switch align {
	case ast.TableAlignmentRight:
		left, right = right, 0
	case ast.TableAlignmentCenter:
		left, right = right/2, right-right/2
	}
	return strings.Repeat(" ", left) + paint(text) + strings.Repeat(" ", right)
}

func withoutHeader(lines []string) []string {
	for i, line := range lines {
		if strings.HasPrefix(line, dim.sgr()+"─") {
			return lines[i+1:]
		}
	}
	return lines
}
