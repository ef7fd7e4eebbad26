package screen

import (
	"io"

	"github.com/chibi-host/chibi/internal/term"
)

// filtered registers a filter whose colours end before something else is printed.
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

// Write prints without mixing with the status line.
func (w stream) Write(p []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.write(p)
	return len(p), nil
}

func (w stream) print(text string) {
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
	isOut := w.to == w.out.to
	if len(p) > 0 {
		// It is unknown when another program prints what it reads.
		w.begun = w.begun || isOut && (w.piped || w.answer && !w.shared)
		if w.terminal || isOut && w.piped {
			w.inLine = p[len(p)-1] != '\n'
		}
	}
	w.show()
}
