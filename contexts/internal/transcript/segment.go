package transcript

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/chibi-host/chibi/internal/disk"
	"github.com/chibi-host/chibi/internal/jsonl"
)

// Segment is one file of a log.
type Segment struct {
	// Path is where it is.
	Path string
	// Start and End are the times of its first and last record, in seconds since
	// 1970; 0: unknown.
	Start, End int64

	fs   disk.FS
	file disk.File // the open file; nil: it is opened when it is read
}

// Forward calls each with the records, from the first on, until it returns false.
func (s Segment) Forward(each func(line int, record []byte) (more bool)) error {
	if s.file == nil {
		_, err := jsonl.Forward(s.fs, s.Path, each)
		return err
	}
	_, err := jsonl.ForwardIn(s.file, each)
	return err
}

// Backward calls each with the records, from the last on, until it returns false.
func (s Segment) Backward(each func(offset int64, record []byte) (more bool)) error {
	if s.file == nil {
		return jsonl.Backward(s.fs, s.Path, each)
	}
	return jsonl.BackwardIn(s.file, each)
}

// LineAt returns the number of the line at an offset, for reports.
func (s Segment) LineAt(offset int64) int { return jsonl.LineAt(s.fs, s.Path, offset) }

// Segments lists the files of the log from the oldest to the active one. A missing
// partition is reported.
func (l *Log) Segments() ([]Segment, error) {
	m, err := l.readManifest()
	if err != nil {
		return nil, err
	}
	var list []Segment
	for _, p := range m.Partitions {
		path := filepath.Join(l.place.Dir(), p.File)
		if !filepath.IsLocal(p.File) {
			l.place.Report("%s names %q, which is outside its directory; it is left out", l.place.manifestFile(), p.File)
			continue
		}
		if _, err := l.place.FS.Stat(path); errors.Is(err, fs.ErrNotExist) {
			l.place.Report("%s is missing; its %d entries are left out", path, p.EntryCount)
			continue
		}
		list = append(list, Segment{Path: path, Start: p.StartTS, End: p.EndTS, fs: l.place.FS})
	}
	return append(list, Segment{Path: l.Active(), fs: l.place.FS}), nil
}

// Snapshot lists the files of the log from the oldest to the active one, which is
// open: readers see the log at one moment, even if it is written meanwhile, and no
// lock is held. The caller calls done afterwards.
func (l *Log) Snapshot() (list []Segment, done func(), err error) {
	done = func() {}
	for range 100 {
		before, err := l.place.partitionFiles()
		if err != nil {
			return nil, done, err
		}
		f, err := l.place.FS.OpenFile(l.Active(), os.O_RDONLY, 0)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, done, err
		}
		if f != nil {
			done = func() { f.Close() }
		}
		list, err = l.Segments()
		if err != nil {
			return nil, done, err
		}
		if list[len(list)-1].file = f; f == nil { // right after a rotation; a later active part is not in the snapshot
			list = list[:len(list)-1]
		}
		after, err := l.place.partitionFiles()
		if err != nil || slices.Equal(before, after) { // else the active part has become a partition
			return list, done, err
		}
		done()
		done = func() {}
	}
	return nil, done, fmt.Errorf("%s keeps changing; try again", l.place.Dir())
}
