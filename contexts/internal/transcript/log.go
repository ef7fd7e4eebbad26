// Package transcript is an append-only log of records, one per line, in files: an
// active part, and partitions that are no longer written.
//
// What it promises: when Append has returned, its records survive a crash of the
// machine; the next writer finishes a rotation that a crash has interrupted;
// readers see a consistent snapshot and take no lock. Of a record it reads only the
// time and the length of its text.
package transcript

import (
	"path/filepath"
	"time"

	"github.com/chibi-host/chibi/internal/disk"
	"github.com/chibi-host/chibi/internal/jsonfile"
	"github.com/chibi-host/chibi/internal/jsonl"
)

// Place is where a log is kept, with its settings.
type Place struct {
	// FS is the file system.
	FS disk.FS
	// Dir is the directory, which may change between calls.
	Dir func() string
	// Bounds say when the active part becomes a partition.
	Bounds func() Bounds
	// Now is the clock.
	Now func() time.Time
	// Report receives sentences about damage.
	Report func(format string, args ...any)
}

// Bounds say when the active part becomes a partition: when one bound is reached.
type Bounds struct {
	MaxEntries    int
	MaxTokens     int
	MaxAge        time.Duration
	BytesPerToken int
}

// Log is the log in a directory. It is not safe for concurrent use; processes that
// write the same log need a lock of the caller's.
type Log struct {
	place   Place
	writing bool    // the caller holds the lock
	active  content // the content of the active part, as far as known
}

// New opens a log, which need not exist. It writes nothing.
func New(place Place) *Log { return &Log{place: place} }

// Active returns the path of the active part.
func (l *Log) Active() string { return filepath.Join(l.place.Dir(), "active.jsonl") }

// Begin declares that the caller holds the lock until end is called. It calls
// prepare, which may migrate a log of another format, and then finishes what a
// crash has interrupted.
func (l *Log) Begin(prepare func() error) (end func(), err error) {
	l.writing = true
	end = func() { l.writing = false }
	if err := prepare(); err != nil {
		end()
		return nil, err
	}
	if err := l.finishRotation(); err != nil {
		end()
		return nil, err
	}
	return end, nil
}

// Append adds records to the active part. The caller holds the lock, and calls
// Rotate with them afterwards.
func (l *Log) Append(records [][]byte) error {
	cut, err := jsonl.Append(l.place.FS, l.Active(), records...)
	if cut > 0 {
		l.place.Report("%s: the last line was torn by a crash; its %d bytes were never acknowledged and are removed",
			l.Active(), cut)
	}
	return err
}

// HasEntries reports whether the active part is known to have records.
func (l *Log) HasEntries() bool { return l.active.entries > 0 }

// IsInterrupted reports whether a rotation is to be finished under the lock.
func (l *Log) IsInterrupted() bool { return disk.Exists(l.place.FS, l.place.intentFile()) }

func (p Place) intentFile() string { return filepath.Join(p.Dir(), ".rotation.json") }

// json is a small file of the log.
func (p Place) json(path string) jsonfile.File {
	return jsonfile.File{Path: path, FS: p.FS, Report: func(text string) { p.Report("%s", text) }}
}
