package fetch

import (
	"bytes"
	"unicode"
	"unicode/utf8"
)

// writer writes the text of a page: spaces as browsers show them, and marks right before
// the text that they belong to.
type writer struct {
	out    []byte
	most   int // bytes; then isCut
	isCut  bool
	breaks int    // line ends before the next character
	space  bool   // a space before it
	prefix string // of the line that it begins
	marks  string // right before it: the beginning of code
	isCode bool   // in a block of code: spaces and line ends are kept
	isMono bool   // in code in a line
	link   string // the target of the link that is open
	isText bool   // the link has text
}

func (w *writer) write(text string) {
	for _, r := range text {
		r = printable(r)
		switch {
		case r < 0, w.isCode && r == '\n' && w.marks != "": // the line end behind <pre>
		case !w.isCode && unicode.IsSpace(r):
			w.space = true
		default:
			w.put(r)
		}
		if len(w.out) > w.most {
			w.isCut = true
			return
		}
	}
}

// put writes one character, and before it what waits for it.
func (w *writer) put(r rune) {
	switch {
	case len(w.out) == 0:
	case w.breaks > 0:
		w.out = append(w.out, "\n\n"[:min(w.breaks, 2)]...)
	case w.space:
		w.out = append(w.out, ' ')
	}
	w.out = append(w.out, w.prefix...)
	if w.link != "" && !w.isText {
		w.out = append(w.out, '[')
		w.isText = true
	}
	w.out = append(w.out, w.marks...)
	w.isMono = w.isMono || w.marks == mono
	w.breaks, w.space, w.prefix, w.marks = 0, false, "", ""
	w.out = utf8.AppendRune(w.out, r)
}

// newline separates what follows by so many line ends, at least; not what begins a line
// that has a prefix.
func (w *writer) newline(n int) {
	if n > 0 && !w.isCode && w.prefix == "" {
		w.breaks, w.space, w.marks = max(w.breaks, n), false, ""
	}
}

// endBlock ends a block, and the line that it has begun.
func (w *writer) endBlock(n int) {
	if n > 0 && !w.isCode {
		w.prefix = ""
	}
	w.newline(n)
}

func (w *writer) lineBreak() {
	if w.isCode {
		w.write("\n")
	} else {
		w.newline(1)
	}
}

// What stands before code.
const (
	mono = "`"
	code = "```\n"
)

// beginMark begins code in a line.
func (w *writer) beginMark() {
	if !w.isCode && !w.isMono {
		w.marks = mono
	}
}

// endMark ends it, if there was some.
func (w *writer) endMark() {
	if w.isMono {
		w.out = append(w.out, mono...)
	}
	if w.marks == mono {
		w.marks = ""
	}
	w.isMono = false
}

func (w *writer) beginCode() {
	w.endMark()
	w.newline(2)
	w.marks, w.isCode = code, true
}

func (w *writer) endCode() {
	if w.isCode && w.marks == "" {
		w.out = append(bytes.TrimRight(w.out, "\n"), "\n```"...)
	}
	w.isCode, w.marks = false, ""
	w.endBlock(2)
}

func (w *writer) closeLink() {
	if w.isText {
		w.out = append(w.out, "]("+w.link+")"...)
	}
	w.link, w.isText = "", false
}

// text returns what was written, without empty lines at its end.
func (w *writer) text() string { return string(bytes.TrimRight(w.out, " \n")) }
