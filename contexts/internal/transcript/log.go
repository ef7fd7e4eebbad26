// Package transcript is an append-only log of records, one a line, in files: an
// active part, and partitions that are not written any more.
//
// What it promises: what Append returned from survives a crash of the machine; a
// rotation that a crash interrupts is finished by whoever comes next; readers see
// the log of one moment and take no lock. It knows of a record only its time and
// how much text it has.
package transcript

import (
	"errors"
	"io/fs"
	"path/filepath"
	"time"

	"github.com/chibi-host/chibi/internal/disk"
	"github.com/chibi-host/chibi/internal/jsonfile"
	"github.com/chibi-host/chibi/internal/jsonl"
)

// maxFile bounds the manifest and the note of a rotation, in bytes.
const maxFile = 16 << 20

// Place is where a log is kept, and what it needs to know.
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

// Bounds say when the active part becomes a partition: when one is reached.
type Bounds struct {
	MaxEntries    int
	MaxTokens     int
	MaxAge        time.Duration
	BytesPerToken int
}

// Log is the log in a directory. It is not safe for concurrent use; processes that
// write one log take a lock of the caller's.
type Log struct {
	place   Place
	writing bool    // the caller holds the lock
	active  content // what the active part holds, as far as known
}

// New opens a log, which need not exist. It writes nothing.
func New(place Place) *Log { return &Log{place: place} }

// Active is the path of the active part.
func (l *Log) Active() string { return filepath.Join(l.place.Dir(), "active.jsonl") }

// Begin says that the caller holds the lock until end is called. After prepare,
// which may put a log of another kind here, it finishes what a crash has
// interrupted.
func (l *Log) Begin(prepare func() error) (end func(), err error) {
	l.writing = true
	err = prepare()
	if err == nil {
		err = l.finishRotation()
	}
	if err != nil {
		l.writing = false
		return nil, err
	}
	return func() { l.writing = false }, nil
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

// HasEntries reports whether it is known that the active part has records.
func (l *Log) HasEntries() bool { return l.active.entries > 0 }

// IsInterrupted reports whether a rotation is to be finished under the lock.
func (l *Log) IsInterrupted() bool { return l.place.exists(l.place.intentFile()) }

func (p Place) intentFile() string { return filepath.Join(p.Dir(), ".rotation.json") }

// exists reports whether there is such a file, or that cannot be found out.
func (p Place) exists(path string) bool {
	_, err := p.FS.Stat(path)
	return !errors.Is(err, fs.ErrNotExist)
}

// json is a small file of the log.
func (p Place) json(path string) jsonfile.File {
	return jsonfile.File{Path: path, FS: p.FS, Max: maxFile}
}

// isDamaged reports whether a file could be read and is not what it should be.
func isDamaged(err error) bool {
	var damaged *jsonfile.DamagedError
	return errors.As(err, &damaged)
}
