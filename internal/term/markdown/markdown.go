// Package markdown renders a model's Markdown answer for a terminal while it is streamed.
//
// It promises that each block is printed as soon as it is complete, that no control
// character of the text reaches the terminal, that every line ends with the style reset,
// and that text is never lost: what cannot be rendered is printed unchanged. It does not
// highlight the syntax of code.
package markdown

import (
	"io"
	"strings"

	"github.com/chibi-host/chibi/internal/term"
)

// maxBlock bounds what is parsed at once, in bytes; larger blocks are printed
// unchanged.
const maxBlock = 256 << 10

// Renderer renders one answer. It is not safe for concurrent use.
type Renderer struct {
	w     io.Writer
	width int
	rest  string // text that is not rendered yet
	begun bool   // output has been printed
	// fence is the end of the code block that is being printed line by line; blank
	// counts pending empty lines, which are not printed at the end of a block.
	fence string
	lines int
	blank int
}

// New returns a renderer for a terminal with the given number of columns; 0: lines are not
// wrapped.
func New(w io.Writer, width int) *Renderer { return &Renderer{w: w, width: width} }

// Write takes the next piece of the answer, split anywhere, and renders complete blocks and
// complete lines of code.
func (r *Renderer) Write(p []byte) (int, error) {
	r.rest += string(p)
	if !strings.Contains(string(p), "\n") {
		return len(p), nil
	}
	return len(p), r.renderWhole()
}

// renderWhole renders what later text cannot change.
func (r *Renderer) renderWhole() error {
	for {
		before := len(r.rest)
		var err error
		if r.fence != "" || r.beginsCode() {
			err = r.codeLine()
		} else {
			var blocks string
			blocks, r.rest = split(r.rest)
			err = r.render(blocks)
		}
		if err != nil || len(r.rest) == before {
			return err
		}
	}
}

// beginsCode reports whether a code block with a complete first line comes next, and
// consumes that line.
func (r *Renderer) beginsCode() bool {
	text := strings.TrimLeft(r.rest, "\n")
	line, rest, whole := strings.Cut(text, "\n")
	if !whole || fenceOf(strings.TrimRight(line, "\r")) == "" {
		return false
	}
	r.fence, r.lines, r.blank, r.rest = fenceOf(line), 0, 0, rest
	return true
}

// codeLine prints the next line of code, if it is complete, or ends the block.
func (r *Renderer) codeLine() error {
	line, rest, whole := strings.Cut(r.rest, "\n")
	if !whole {
		return nil
	}
	r.rest = rest
	if isFenceEnd(strings.TrimSpace(line), r.fence) {
		r.fence = ""
		return nil
	}
	return r.putCode(line)
}

// putCode prints one line of code.
func (r *Renderer) putCode(line string) error {
	line = clean(strings.TrimSuffix(line, "\r"))
	if strings.TrimSpace(line) == "" {
		r.blank++
		return nil
	}
	text := ""
	if r.lines == 0 && r.begun {
		text = "\n"
	}
	text += strings.Repeat("\n", r.blank) + code(line)[0] + "\n"
	r.begun, r.blank = true, 0
	r.lines++
	_, err := io.WriteString(r.w, text)
	return err
}

// Close renders the rest. A code block without an end, as in an interrupted answer, is
// rendered as code.
func (r *Renderer) Close() error {
	if r.rest != "" && !strings.HasSuffix(r.rest, "\n") {
		r.rest += "\n"
	}
	if err := r.renderWhole(); err != nil {
		return err
	}
	block := r.rest
	r.rest = ""
	if fence := openFence(block); fence != "" {
		block = strings.TrimSuffix(block, "\n") + "\n" + fence
	}
	return r.render(block)
}

// openFence returns the fence of a code block without an end, "" if there is none.
func openFence(text string) (fence string) {
	for _, line := range strings.Split(text, "\n") {
		line = strings.TrimSpace(line)
		switch {
		case fence == "":
			fence = fenceOf(line)
		case isFenceEnd(line, fence):
			fence = ""
		}
	}
	return fence
}

// render prints blocks, with a blank line between them and the previous ones.
func (r *Renderer) render(block string) error {
	if strings.TrimSpace(block) == "" {
		return nil
	}
	var lines []string
	if len(block) > maxBlock {
		lines = strings.Split(strings.Trim(clean(block), "\n"), "\n")
	} else {
		lines = renderSafely(clean(block), r.width)
	}
	text := strings.Join(lines, "\n") + "\n"
	if r.begun {
		text = "\n" + text
	}
	r.begun = true
	_, err := io.WriteString(r.w, text)
	return err
}

// renderSafely renders blocks. If the parser panics, they are returned unchanged.
func renderSafely(text string, width int) (lines []string) {
	defer func() {
		if recover() != nil {
			lines = strings.Split(strings.Trim(text, "\n"), "\n")
		}
	}()
	return renderBlocks(text, width)
}

// clean removes control characters. The parser decodes character references, so its output
// must be cleaned again.
func clean(text string) string { return term.Plain(text) }

// split splits off the blocks that later text cannot change: those before the last blank
// line outside code after which a new block begins. It examines only complete lines.
func split(text string) (whole, rest string) {
	cut, fence, blank, inList := 0, "", false, false
	for at := 0; ; {
		n := strings.IndexByte(text[at:], '\n')
		if n < 0 {
			return text[:cut], text[cut:]
		}
		line := text[at : at+n]
		trimmed := strings.TrimSpace(line)
		indented := strings.HasPrefix(line, " ") || strings.HasPrefix(line, "\t")
		switch {
		case fence != "":
			if isFenceEnd(trimmed, fence) {
				fence = ""
			}
		case trimmed == "":
			blank = true
		default:
			if blank && !indented && !(inList && isItem(trimmed)) {
				cut, inList = at, false
			}
			blank = false
			inList = inList || isItem(trimmed)
			fence = fenceOf(trimmed)
		}
		at += n + 1
	}
}

// fenceOf returns the fence if a line opens a code block, otherwise "".
func fenceOf(line string) string {
	for _, mark := range []string{"`", "~"} {
		n := len(line) - len(strings.TrimLeft(line, mark))
		if n >= 3 && !(mark == "`" && strings.Contains(line[n:], "`")) {
			return line[:n]
		}
	}
	return ""
}

func isFenceEnd(line, fence string) bool {
	return len(line) >= len(fence) && strings.Trim(line, fence[:1]) == ""
}

// isItem reports whether a line begins an item of a list.
func isItem(line string) bool {
	if len(line) > 1 && strings.IndexByte("-*+", line[0]) >= 0 && line[1] == ' ' {
		return true
	}
	digits := len(line) - len(strings.TrimLeft(line, "0123456789"))
	return digits > 0 && digits < 10 && len(line) > digits+1 &&
		(line[digits] == '.' || line[digits] == ')') && line[digits+1] == ' '
}
