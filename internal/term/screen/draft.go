package screen

import (
	"io"
	"os"
	"os/signal"
	"slices"

	"github.com/chibi-host/chibi/internal/term/typing"
)

// The rules of a draft:
//
//   - Its rows are the last on the terminal, and the cursor is in the last of them. They
//     begin at the beginning of a line, do not wrap, and fit on the screen, so that
//     the program knows where each is.
//   - What others write is written above: the rows are erased before and drawn again after
//     it, once it has ended its line.
//   - Rows are not erased if they may be elsewhere: after the size of the terminal has
//     changed, after the program was stopped, and in the background. They stay as they are.
//   - There is no status line meanwhile.

// Draft is an answer on standard output whose last rows are drawn anew until they are final.
// On anything but a terminal, only what is final is written.
type Draft struct {
	s       *drawing
	out     stream
	shown   []string       // the rows on the terminal
	hidden  []string       // the rows while others write
	size    size           // of the terminal when they were drawn
	parked  bool           // the cursor is at the beginning of the last row
	lost    bool           // rows were left as they are
	resumed chan os.Signal // the program was stopped and goes on
}

type size struct{ columns, rows int }

const (
	minColumns = 10 // of a terminal on which rows are drawn anew
	minRows    = 3
)

// NewDraft begins a draft on a screen; End ends it. There is one at a time.
func NewDraft(s *Screen) *Draft {
	s.mu.Lock()
	defer s.mu.Unlock()
	d := &Draft{s: &s.drawing, out: s.out, resumed: make(chan os.Signal, 1)}
	d.out.answer = true
	if s.shared && !isDumb() {
		notifyResumed(d.resumed)
		s.draft = d
	}
	return d
}

// End ends the draft. Rows that are not final stay as they are.
func (d *Draft) End() {
	d.s.mu.Lock()
	defer d.s.mu.Unlock()
	signal.Stop(d.resumed)
	if d.s.draft != d {
		return
	}
	d.s.leaveDraft()
	d.s.show()
}

// Room returns how many columns a text may have, and how many rows can be drawn anew, 0 if
// none. lost reports, once, that the rows of the last Draw stay as they are.
func (d *Draft) Room() (columns, rows int, lost bool) {
	d.s.mu.Lock()
	defer d.s.mu.Unlock()
	d.giveUpMoved()
	now := d.s.sizeOf(d.s.files[0])
	if d.canDraw() {
		rows = now.rows - 1
	}
	lost, d.lost = d.lost, false
	return min(now.columns, maxColumns), rows, lost
}

// Draw replaces the rows of the last call by final text, which is "" or whole lines, and by
// rows below it.
func (d *Draft) Draw(final string, rows []string) error {
	d.s.mu.Lock()
	defer d.s.mu.Unlock()
	if d.s.draft != d {
		if final != "" {
			d.out.write([]byte(final))
		}
		return nil
	}
	d.giveUpMoved()
	d.lost = false // all of it is drawn below
	if final == "" && slices.Equal(rows, slices.Concat(d.shown, d.hidden)) {
		return nil // one of the two is empty
	}
	d.hidden = nil
	if !d.canDraw() {
		d.hidden, rows = slices.Clone(rows), nil
		if final == "" {
			return nil
		}
	}
	d.s.hide()
	if len(d.shown) == 0 {
		d.s.beginDraft()
	}
	return d.replace(final, rows)
}

func (d *Draft) canDraw() bool {
	now := d.s.sizeOf(d.s.files[0])
	return d.s.draft == d && d.s.paused == 0 && now.columns >= minColumns && now.rows >= minRows &&
		typing.InForeground(d.s.files[0])
}

// giveUpMoved leaves the rows as they are if they may be elsewhere.
func (d *Draft) giveUpMoved() {
	moved := d.size != d.s.sizeOf(d.s.files[0]) || !typing.InForeground(d.s.files[0])
	select {
	case <-d.resumed:
		moved = true
	default:
	}
	if moved && len(d.shown) > 0 {
		d.shown, d.lost, d.s.loose = nil, true, true
	}
}

func (d *Draft) replace(final string, rows []string) error {
	now := d.s.sizeOf(d.s.files[0])
	text, parked := change{d.shown, d.parked, now.columns, d.s.colourless}.text(final, rows)
	d.shown, d.size, d.parked = slices.Clone(rows), now, parked
	d.s.inLine = false
	_, err := d.s.outlets[0].Write([]byte(text))
	return err
}

// lift erases the rows, so that others can write; show draws them again.
func (d *Draft) lift() {
	d.giveUpMoved()
	if len(d.shown) > 0 {
		rows := d.shown
		d.replace("", nil)
		d.hidden = rows
	}
}

// show draws the rows again after others have written, unless they have not ended their
// line: then the next Draw does.
func (d *Draft) show() {
	if len(d.hidden) == 0 || d.s.inLine || !d.canDraw() {
		return
	}
	rows := d.hidden
	d.hidden = nil
	d.s.beginDraft()
	d.replace("", rows)
}

func (s *drawing) beginDraft() {
	s.endColours(nil)
	switch {
	case s.loose:
		s.freshLine()
	case s.inLine:
		io.WriteString(s.outlets[0], "\n")
	}
	s.inLine = false
}

func (s *drawing) liftDraft() {
	if s.draft != nil {
		s.draft.lift()
	}
}

// leaveDraft ends a draft. Rows that are shown stay as they are.
func (s *drawing) leaveDraft() {
	if s.draft != nil && len(s.draft.shown) > 0 {
		io.WriteString(s.outlets[0], "\n")
	}
	s.draft = nil
}
