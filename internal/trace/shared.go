package trace

import (
	"bytes"
	"io"
	"path/filepath"
	"time"

	"github.com/chibi-host/chibi/internal/disk"
)

// Continue makes the tracer write to the trace of a run that several processes write, each for
// a part of it.
func (t *Tracer) Continue(path, run string, most int64) {
	t.Run, t.Dispatched, t.Before = run, time.Now().UnixMicro(), LastTurn(path, run)
	if t.begin != nil {
		t.begin = func(string) (io.WriteCloser, error) { return &sharedFile{path: path, most: most}, nil }
	}
}

// sharedFile is a trace to which several processes write: all lines of one at once.
type sharedFile struct {
	path string
	most int64
	text bytes.Buffer
}

// Write keeps a line.
func (t *sharedFile) Write(line []byte) (int, error) { return t.text.Write(line) }

// traceLock is how long a process waits for another one that writes to the same trace.
const traceLock = time.Second

// Close writes the lines.
func (t *sharedFile) Close() error {
	if t.text.Len() == 0 {
		return nil
	}
	if err := disk.MkdirAll(disk.OS{}, filepath.Dir(t.path), 0o700); err != nil {
		return err
	}
	unlock, err := disk.LockWithin(t.path, traceLock)
	if err != nil {
		return err
	}
	defer unlock()
	file, err := Open(t.path, t.most)
	if err != nil {
		return err
	}
	defer file.Close()
	_, err = file.Write(t.text.Bytes())
	return err
}
