package markdown

import (
	"bytes"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/chibi-host/chibi/internal/term"
	"github.com/mattn/go-runewidth"
)

// preview is what is shown of text that is not rendered yet: its characters, wrapped at
// words, or where the row ends if it is code. Each piece of the text is examined once.
type preview struct {
	columns int
	code    bool
	taken   int      // how many bytes of the block are in it
	rows    []string // whole rows
	row     string   // the last row, without the word that arrives
	width   int      // of row, in columns
	gap     int      // the blanks behind row
	word    string   // the word that arrives
	wide    int      // its width
	words   int      // how many words begin in the last row
	begun   bool     // row does not begin a line of the text
	clean   strings.Builder
	filter  *term.Filter
}

func (p *preview) add(text []byte) {
	if p.filter == nil {
		p.filter = &term.Filter{To: &p.clean, Mark: term.Mark}
	}
	p.filter.Write(text)
	for _, c := range p.clean.String() {
		p.take(c)
	}
	p.clean.Reset()
}

func (p *preview) take(c rune) {
	switch {
	case c == '\n':
		p.endRow()
		p.begun = false
	case p.code:
		p.takeCode(c)
	case c == ' ' || c == '\t':
		p.endWord()
		p.gap++
	default:
		if p.wide == 0 {
			p.words++
		}
		p.grow(string(c), runewidth.RuneWidth(c))
	}
}

func (p *preview) takeCode(c rune) {
	text, width := string(c), runewidth.RuneWidth(c)
	if c == '\t' {
		text, width = "    ", 4
	}
	if p.width+width > p.columns {
		p.endRow()
	}
	p.row, p.width = p.row+text, p.width+width
}

// grow adds a character to the word that arrives.
func (p *preview) grow(text string, width int) {
	if p.width > 0 && p.width+p.space()+p.wide+width > p.columns {
		p.rows = append(p.rows, p.row)
		p.row, p.width, p.gap, p.words, p.begun = "", 0, 0, 1, true
	}
	if p.wide+p.space()+width > p.columns {
		p.endRow()
		p.words, p.begun = 1, true
	}
	p.word, p.wide = p.word+text, p.wide+width
}

// space returns how many blanks are shown before the word that arrives: one, or those that
// indent the line.
func (p *preview) space() int {
	switch {
	case p.width > 0:
		return min(p.gap, 1)
	case p.begun:
		return 0
	}
	return min(p.gap, p.columns/2)
}

// endWord moves the word that has arrived to the row.
func (p *preview) endWord() {
	if p.word != "" {
		p.row, p.width = p.last(), p.width+p.space()+p.wide
		p.word, p.wide, p.gap = "", 0, 0
	}
}

func (p *preview) endRow() {
	p.endWord()
	p.rows = append(p.rows, p.row)
	p.row, p.width, p.gap, p.words = "", 0, 0, 0
}

func (p *preview) last() string {
	if p.word == "" {
		return p.row
	}
	return p.row + strings.Repeat(" ", p.space()) + p.word
}

func (p *preview) shown(before []string) []string {
	rows := append(slices.Concat(before, p.rows), p.last())
	if p.code {
		for i := range rows[len(before):] {
			rows[len(before)+i] = code(rows[len(before)+i])[0]
		}
	}
	for len(rows) > 0 && rows[len(rows)-1] == "" {
		rows = rows[:len(rows)-1]
	}
	return rows
}

// preview returns the rows that show what has come of the block. If they are too many, the
// beginning of the block is drawn, so that it never draws more than the screen again.
func (r *Renderer) preview() []string {
	if r.view.Rows == 0 {
		return nil
	}
	for range maxCuts {
		if rows := r.show(); len(rows) <= r.view.Rows {
			return rows
		}
		if r.code.fence != "" {
			r.drawCode(len(r.block.text) - incomplete(r.block.text))
		} else {
			r.cut(r.shown.words)
		}
	}
	rows := r.show()
	return rows[max(0, len(rows)-r.view.Rows):]
}

// maxCuts bounds how often a block is cut for one piece of text.
const maxCuts = 4

func (r *Renderer) show() []string {
	b, inCode := &r.block, r.code.fence != ""
	columns := r.view.Columns
	if inCode {
		columns -= codeIndent
	}
	if columns = max(1, columns); r.shown.columns != columns {
		r.shown = preview{columns: columns, code: inCode, taken: b.head}
	}
	end, tail := b.showable(&r.code)
	if end > r.shown.taken {
		r.shown.add(b.text[r.shown.taken:end])
		r.shown.taken = end
	}
	rows := r.shown.shown(r.space())
	if tail != "" {
		line := preview{columns: r.shown.columns}
		line.add([]byte(tail))
		rows = line.shown(rows)
	}
	return rows
}

func (r *Renderer) space() (rows []string) {
	inCode := r.code.fence != ""
	if r.final.begun && (!inCode && !r.block.goesOn(&r.list) || inCode && r.code.lines == 0) {
		rows = append(rows, "")
	}
	if inCode {
		rows = append(rows, make([]string, min(r.code.blank, r.view.Rows/2))...)
	}
	return rows
}

// showable returns up to where the block can be shown, and the beginning of a line that may
// belong to the next block. It does not show a line that may open or end a code block.
func (b *progress) showable(c *codeBlock) (end int, tail string) {
	line := b.text[b.line:]
	switch {
	case c.fence != "":
		if isFenceOnly(bytes.TrimSpace(line), c.fence) { // it can still become the end of the block
			return b.line, ""
		}
	case len(line) > 0 && (line[0] == '`' || line[0] == '~') && kindOf(line, false) == unclear:
		return b.line, ""
	case !b.known:
		if !utf8.Valid(line) {
			return b.line, ""
		}
		return b.line, string(line)
	}
	return len(b.text), ""
}
