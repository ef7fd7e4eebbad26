// Package markdown renders a model's Markdown answer for a terminal while it is streamed.
//
// It promises that each block is printed as soon as it is complete, that the part of a block that
// has come is shown before, where the terminal can redraw it, that no control character of the text
// reaches the terminal, that every line ends with the style reset, and that text is never lost:
// text that it cannot render is printed unchanged. The work for a piece of text does not depend on
// the size of the text before it. It does not highlight the syntax of code.
package markdown

import (
	"bytes"
	"strings"

	"github.com/chibi-host/chibi/internal/term"
)

const (
	// maxBlock bounds what is parsed at once, in bytes; larger blocks are rendered in
	// parts of this size.
	maxBlock = 64 << 10
	// maxMarks bounds, likewise, the marks in it: the time that the parser needs for them
	// grows with the square of their number.
	maxMarks = 2000
	maxPiece = 2 << 10
)

// Renderer renders one answer. It is not safe for concurrent use.
type Renderer struct {
	to    Surface
	view  View
	block progress
	code  codeBlock
	list  listing
	final final
	shown preview // of the block
}

// On returns a renderer that shows on a surface what has come of a block, and draws it anew
// when it is complete.
func On(s Surface) *Renderer { return &Renderer{to: s} }

// Write takes the next piece of the answer, split anywhere, and draws what it completes.
func (r *Renderer) Write(p []byte) (int, error) {
	r.look()
	for rest := p; len(rest) > 0; {
		line, after, whole := bytes.Cut(rest[:min(maxPiece, len(rest))], []byte("\n"))
		rest = rest[len(rest[:min(maxPiece, len(rest))])-len(after):]
		r.take(line, whole)
	}
	return len(p), r.draw()
}

// Close renders the rest. A code block without an end, as in an interrupted answer, is
// rendered as code.
func (r *Renderer) Close() error {
	r.look()
	if len(r.block.text) > r.block.line {
		r.take(nil, true)
	}
	r.settle("")
	return r.draw()
}

// look asks what the surface is like. If it has lost what was shown of the block, that stays
// as it is, and the rest is drawn.
func (r *Renderer) look() {
	r.view = r.to.Look()
	if !r.view.Lost {
		return
	}
	b := &r.block
	b.noteBeginning()
	if b.kind == item && !b.rest {
		r.list.leave(marker(b.text))
	}
	r.final.begun, r.shown = true, preview{}
	if r.code.fence != "" {
		b.text, r.code.lines = b.text[:0], r.code.lines+1
		return
	}
	b.goOn(len(b.text))
}

func (r *Renderer) draw() error {
	rows := r.preview()
	return r.to.Draw(r.final.next(), rows)
}

func (r *Renderer) take(piece []byte, whole bool) {
	b := &r.block
	b.text, b.marks = append(b.text, piece...), b.marks+marks(piece)
	if r.code.fence != "" {
		r.takeCode(whole)
		return
	}
	if !b.known {
		r.place(whole)
	}
	if whole {
		r.endLine()
	}
	if len(b.text) > maxBlock+b.head || b.marks > maxMarks {
		r.cut(1)
	}
}

func (r *Renderer) takeCode(whole bool) {
	switch {
	case whole:
		r.drawCode(len(r.block.text))
	case len(r.block.text) > maxBlock:
		r.drawCode(len(r.block.text) - incomplete(r.block.text))
	}
}

func (r *Renderer) drawCode(size int) {
	b := &r.block
	first := r.code.lines == 0
	if text := r.code.take(string(b.text[:size])); text != "" {
		if first {
			r.final.separate()
		}
		r.final.text.WriteString(text)
	}
	b.text, r.shown = append(b.text[:0], b.text[size:]...), preview{}
}

// place decides whether the last line begins a new block, as soon as that is known.
func (r *Renderer) place(whole bool) {
	b := &r.block
	verdict, kind := b.judge(whole)
	b.known = verdict != undecided
	if verdict != begins {
		return
	}
	line, count := bytes.Clone(b.text[b.line:]), marks(b.text[b.line:])
	b.text = b.text[:b.line]
	next := ""
	if kind == item {
		next = marker(line)
	}
	r.settle(next)
	r.block.text, r.block.marks, r.block.known = append(r.block.text, line...), count, true
}

// endLine ends a line: of a block, before a block, or one that opens a code block.
func (r *Renderer) endLine() {
	b := &r.block
	if b.line > 0 || b.rest {
		b.endLine()
		return
	}
	fence := fenceOf(b.text)
	switch {
	case isBlank(b.text):
		b.text, r.shown = b.text[:0], preview{}
	case fence != "":
		r.block, r.code, r.shown = progress{}, codeBlock{fence: fence}, preview{}
	default:
		b.endLine()
	}
	b.known = false
}

// cut draws what has come of a block that is too large, but for its last words, and goes on
// with them as the rest of it.
func (r *Renderer) cut(words int) {
	b := &r.block
	b.noteBeginning()
	at := b.cutAt(words)
	lines := r.lines(b.before(at), "")
	for len(lines) > 0 && lines[len(lines)-1] == "" {
		lines = lines[:len(lines)-1]
	}
	r.final.put(lines, b.goesOn(&r.list))
	b.goOn(at)
	r.shown = preview{}
}

// settle draws the block, which has ended before an item with the marker next, or before
// something else.
func (r *Renderer) settle(next string) {
	if len(r.block.text) > r.block.head {
		goesOn := r.block.goesOn(&r.list)
		r.final.put(r.lines(r.block.before(len(r.block.text)), next), goesOn)
	}
	if next == "" {
		r.list = listing{}
	}
	r.block, r.shown = progress{text: r.block.text[:0]}, preview{}
}

// lines returns the lines of a part of the block. If the parser panics, it is returned
// unchanged.
func (r *Renderer) lines(text, next string) (lines []string) {
	b, width := &r.block, r.view.Columns
	text = clean(text)
	defer func() {
		if recover() != nil {
			lines = strings.Split(strings.Trim(text, "\n"), "\n")
		}
	}()
	switch {
	case isBlank([]byte(text)):
		return nil
	case b.kind == item && b.rest:
		return r.list.renderRest(text, next, width)
	case b.kind == item:
		return r.list.render(text, next, width)
	case b.rest && b.table != nil:
		return withoutHeader(renderBlocks(text, width))
	}
	return renderBlocks(text, width)
}

// clean removes control characters. The parser decodes character references, so its output
// must be cleaned again.
func clean(text string) string { return term.Plain(text) }
