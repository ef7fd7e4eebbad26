package screen

import (
	"bytes"
	"errors"
	"io"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/chibi-host/chibi/internal/term"
)

// stallTime is how long output waits for a reader who does not read, once the run
// is over.
const stallTime = time.Second

var errStalled = errors.New("nobody reads the output")

// outlet writes to a stream whose reader may pause: a full pager, Ctrl-S. During
// the run it waits for the reader. When the run is over it does not, since the
// result must be stored and the program must end.
type outlet struct {
	to      io.Writer
	ended   <-chan struct{} // closed when the run is over; nil if it never is
	stall   time.Duration
	stalled atomic.Bool
	lost    error // why output was lost that somebody expects
}

func (o *outlet) Write(p []byte) (int, error) {
	type result struct {
		n   int
		err error
	}
	if o.stalled.Load() {
		return 0, errStalled
	}
	done := make(chan result, 1)
	text := bytes.Clone(p)
	go func() {
		n, err := o.to.Write(text)
		done <- result{n, err}
	}()
	select {
	case r := <-done:
		return r.n, o.noteLost(r.err)
	case <-o.ended:
	}
	select {
	case r := <-done:
		return r.n, o.noteLost(r.err)
	case <-time.After(o.stall):
		o.stalled.Store(true)
		return 0, errStalled
	}
}

// noteLost keeps the first error of a write, unless the error is that the reader or
// the terminal is gone: then nobody expects the output.
func (o *outlet) noteLost(err error) error {
	isGone := errors.Is(err, syscall.EPIPE) || errors.Is(err, syscall.EIO)
	if err != nil && o.lost == nil && !isGone {
		o.lost = err
	}
	return err
}

func (s *drawing) filtered(f *term.Filter) *term.Filter {
	s.colours = append(s.colours, f)
	return f
}

// endDiagnostics ends an incomplete line or sequence of a plugin, so that the
// output of the next one is not a part of it.
func (s *drawing) endDiagnostics() {
	if f, ok := s.plugins.to.(*term.Filter); ok {
		f.Close()
	}
}

// endColours ends the colours that writers other than writer have left set.
func (s *drawing) endColours(writer io.Writer) {
	for _, f := range s.colours {
		if f != writer {
			f.EndColours()
		}
	}
}

type stream struct {
	*drawing
	to       io.Writer
	terminal bool
	answer   bool // it writes the model's answer
}

func (w stream) Write(p []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.isOut() && w.paused > 0 || w.silent > 0 {
		if text := bytes.Clone(p); w.hold(len(p), func() { w.write(text) }) {
			return len(p), nil
		}
	}
	w.write(p)
	return len(p), nil
}

// maxHeld bounds what is held back, in bytes. It prints the rest at once.
const maxHeld = 1 << 20

// hold holds back what is printed on a terminal; false: it is to be printed now.
func (w stream) hold(size int, print func()) bool {
	if !w.terminal || w.heldBytes+size > maxHeld {
		return false
	}
	w.held, w.heldBytes = append(w.held, print), w.heldBytes+size
	return true
}

// release prints what was held back, once nobody wants that any more.
func (s *drawing) release() {
	if s.paused > 0 || s.silent > 0 {
		return
	}
	held := s.held
	s.held, s.heldBytes = nil, 0
	for _, print := range held {
		print()
	}
}

func (w stream) isOut() bool { return w.to == w.out.to }

func (w stream) print(text string) {
	if (w.paused > 0 || w.silent > 0) && w.hold(len(text), func() { w.print(text) }) {
		return
	}
	w.hide()
	if w.terminal {
		w.liftDraft()
		w.beginLine()
	}
	w.write([]byte(text))
}

func (w stream) write(p []byte) {
	w.hide()
	if w.terminal {
		w.liftDraft()
	}
	w.endColours(w.to)
	if w.terminal && w.loose {
		w.freshLine()
	}
	w.to.Write(p)
	isOut := w.isOut()
	if len(p) > 0 {
		// It is unknown when another program prints what it reads.
		w.begun = w.begun || isOut && (w.piped || w.answer && !w.shared)
		if w.terminal || isOut && w.piped {
			w.inLine = p[len(p)-1] != '\n'
		}
	}
	w.show()
}
