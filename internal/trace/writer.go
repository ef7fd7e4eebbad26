package trace

import (
	"fmt"
	"io"
	"os"
	"sync"
	"time"

	"github.com/chibi-host/chibi/agent"
	"github.com/chibi-host/chibi/internal/disk"
	"github.com/chibi-host/chibi/plugin"
)

// maxPayload bounds the payload and the answer in one line, in bytes; larger
// ones are left out, their sizes stay.
const maxPayload = 64 << 10

// Writer writes the lines of one run. It is safe for concurrent use.
type Writer struct {
	// Run identifies the run.
	Run string
	// Redact takes secrets out; nil: nothing.
	Redact *Redactor

	mu      sync.Mutex
	context string
	turn    int
	out     []io.Writer
	held    [][]byte // lines that wait for a place that is not open yet
	holding bool
}

// To adds a place for all lines from now on.
func (w *Writer) To(out io.Writer) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.out = append(w.out, out)
}

// Hold keeps lines until Release says where they go.
func (w *Writer) Hold() { w.holding = true }

// Release adds a place for all lines, those that were kept included. The error
// is that of the place.
func (w *Writer) Release(out io.Writer) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	held := w.held
	w.held, w.holding = nil, false
	w.out = append(w.out, out)
	for _, line := range held {
		if _, err := out.Write(line); err != nil {
			return err
		}
	}
	return nil
}

// Context says which conversation the lines from now on are about.
func (w *Writer) Context(name string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.context = name
}

// Record writes what one plugin did.
func (w *Writer) Record(r plugin.Record) error {
	if len(r.Payload) > maxPayload {
		r.Payload = nil
	}
	if len(r.Answer) > maxPayload {
		r.Answer = nil
	}
	return w.write(Line{Record: &r})
}

// Step writes a step. A prompt begins a turn.
func (w *Writer) Step(s agent.Step) error {
	if s.Kind == agent.StepPrompt {
		w.mu.Lock()
		w.turn++
		w.mu.Unlock()
	}
	if len(s.Text) > maxPayload {
		s.Text = string([]rune(s.Text[:maxPayload])) + "..."
	}
	return w.write(Line{Step: &s})
}

// write writes a line to all places.
func (w *Writer) write(l Line) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if len(w.out) == 0 && !w.holding {
		return nil
	}
	l.Run, l.Turn, l.Context, l.At = w.Run, w.turn, w.context, time.Now()
	line, err := plugin.JSON(l)
	if err != nil {
		return fmt.Errorf("writing the trace: %w", err)
	}
	if w.Redact != nil {
		line = w.Redact.Line(line)
	}
	line = append(line, '\n')
	if w.holding {
		w.held = append(w.held, line)
	}
	for _, out := range w.out {
		if _, err := out.Write(line); err != nil {
			return fmt.Errorf("writing the trace: %w", err)
		}
	}
	return nil
}

// File is a file of a trace that never becomes larger than its bound: a full one
// takes the place of the one before it, and a new one begins.
type File struct {
	path string
	half int64
	f    *os.File
	size int64
}

// Open opens a file that, with the one before it, takes at most so many bytes.
func Open(path string, most int64) (*File, error) {
	f := &File{path: path, half: most / 2}
	return f, f.open()
}

func (f *File) open() (err error) {
	if f.f, err = disk.OpenLog(f.path); err != nil {
		return err
	}
	info, err := f.f.Stat()
	if err == nil {
		f.size = info.Size()
	}
	return err
}

// Write appends a line.
func (f *File) Write(line []byte) (int, error) {
	if f.size > 0 && f.size+int64(len(line)) > f.half {
		f.f.Close()
		if err := disk.Rename(f.path, Previous(f.path)); err != nil {
			return 0, err
		}
		if err := f.open(); err != nil {
			return 0, err
		}
	}
	n, err := f.f.Write(line)
	f.size += int64(n)
	return n, err
}

// Close closes the file.
func (f *File) Close() error { return f.f.Close() }
