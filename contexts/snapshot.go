package contexts

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"

	"github.com/chibi-host/chibi/internal/disk"
	"github.com/chibi-host/chibi/internal/jsonl"
)

// segment is one file of a transcript.
type segment struct {
	path       string
	start, end int64     // timestamps; 0: not known
	file       disk.File // the open file; nil: it is opened when it is read
}

func (s segment) forward(fsys disk.FS, each func(line int, record []byte) bool) error {
	if s.file == nil {
		_, err := jsonl.Forward(fsys, s.path, each)
		return err
	}
	_, err := jsonl.ForwardIn(s.file, each)
	return err
}

func (s segment) backward(fsys disk.FS, each func(offset int64, record []byte) bool) error {
	if s.file == nil {
		return jsonl.Backward(fsys, s.path, each)
	}
	return jsonl.BackwardIn(s.file, each)
}

// snapshot lists the transcript's files from the oldest to the active one, which
// is open: what is read is the transcript of one moment, whoever writes it
// meanwhile, and no lock is held. The caller calls done afterwards.
func (c *Context) snapshot() (list []segment, done func(), err error) {
	done = func() {}
	for range 100 {
		before, err := c.partitionFiles()
		if err != nil {
			return nil, done, err
		}
		f, err := c.store.fs.OpenFile(c.transcript(), os.O_RDONLY, 0)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, done, err
		}
		if f != nil {
			done = func() { f.Close() }
		}
		list, err = c.segments()
		if err != nil {
			return nil, done, err
		}
		if list[len(list)-1].file = f; f == nil { // right after a rotation; what comes there later is later
			list = list[:len(list)-1]
		}
		after, err := c.partitionFiles()
		if err != nil || slices.Equal(before, after) { // else the active part has become a partition
			return list, done, err
		}
		done()
		done = func() {}
	}
	return nil, done, fmt.Errorf("%s changes all the time; try again", c.transcriptFolder())
}

// unfinished reports whether something is to be put in order under the lock: a
// rotation that was begun, or what an old version has left.
func (c *Context) unfinished() bool {
	return c.isThere(c.intentFile()) || c.isThere(c.legacyFile()) || c.isThere(c.legacyTranscript()) &&
		!c.isThere(c.transcript())
}
