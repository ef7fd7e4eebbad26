package contexts

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"

	"github.com/chibi-host/chibi/internal/disk"
	"github.com/chibi-host/chibi/internal/jsonl"
	"github.com/chibi-host/chibi/internal/strictjson"
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
func (c *fileContext) snapshot() (list []segment, done func(), err error) {
	done = func() {}
	for range 100 {
		before, err := c.partitionFiles()
		if err != nil {
			return nil, done, err
		}
		f, err := c.home.fs.OpenFile(c.transcript(), os.O_RDONLY, 0)
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
func (c *fileContext) unfinished() bool {
	return c.hasFile(c.intentFile()) || c.hasFile(c.legacyFile()) || c.hasFile(c.legacyTranscript()) &&
		!c.hasFile(c.transcript())
}

// scan reads the parts of the transcript that can have entries of the time that
// is asked for, after what was left unfinished is put in order, if anything can
// be written.
func (c *fileContext) scan(ctx context.Context, wanted scan, each func(Entry) (more bool)) error {
	if !c.home.exists(ctx, c.name) {
		return nil
	}
	segments, done, err := c.parts(ctx)
	defer done()
	if wanted.backward {
		slices.Reverse(segments)
	}
	r := reading{calledOff: ctx.Err, wanted: wanted, text: wanted.plainText(), each: each, more: true}
	for _, s := range segments {
		if err != nil || !r.more {
			break
		}
		if wanted.mayFind(s) {
			err = c.scanSegment(&r, s)
		}
	}
	if err == nil {
		err = r.err
	}
	return err
}

// reading is a scan on its way.
type reading struct {
	calledOff func() error // says why the caller does not want more
	wanted    scan
	text      []byte // what a record must have, nil if that is not known
	each      func(Entry) (more bool)
	count     int
	more      bool
	err       error
}

// take takes a record; bad is told if it is not an entry.
func (r *reading) take(record []byte, bad func(error)) (more bool) {
	if r.count++; r.count%1024 == 0 {
		r.check()
	}
	if r.text != nil && !bytes.Contains(bytes.ToLower(record), r.text) {
		return r.more // most records of a long transcript end here
	}
	var e Entry
	if err := strictjson.Decode(record, &e); err != nil {
		bad(err)
		return r.more
	}
	r.more = r.more && r.each(e)
	if r.more {
		r.check()
	}
	return r.more
}

// check ends the reading if the caller was called off.
func (r *reading) check() {
	if r.err = r.calledOff(); r.err != nil {
		r.more = false
	}
}

// scanSegment reads one part of the transcript. A line that is not an entry is
// reported.
func (c *fileContext) scanSegment(r *reading, s segment) error {
	bad := func(line int, err error) {
		c.store.report("%s:%d: not an entry, left out: %v", s.path, line, err)
	}
	if r.wanted.backward {
		return s.backward(c.home.fs, func(offset int64, record []byte) bool {
			return r.take(record, func(err error) { bad(jsonl.LineAt(c.home.fs, s.path, offset), err) })
		})
	}
	return s.forward(c.home.fs, func(line int, record []byte) bool {
		return r.take(record, func(err error) { bad(line, err) })
	})
}

// parts is snapshot after what was left unfinished is put in order, if anything
// can be written.
func (c *fileContext) parts(ctx context.Context) (list []segment, done func(), err error) {
	if c.unfinished() {
		err = c.locked(waitLock(ctx), func() error { return nil })
	}
	if err != nil && !disk.IsReadOnly(err) {
		return nil, func() {}, err
	}
	return c.snapshot()
}

// plainText is the text that a record must have, nil if that cannot be told
// without decoding it: it may stand there with escapes.
func (s scan) plainText() []byte {
	for _, b := range []byte(s.text) {
		if b >= 0x80 || b < ' ' || strings.IndexByte(`"\\<>&/`, b) >= 0 {
			return nil
		}
	}
	if s.text == "" {
		return nil
	}
	return []byte(strings.ToLower(s.text))
}

// mayFind reports whether a part of the transcript can have entries of the time
// that is asked for.
func (s scan) mayFind(part segment) bool {
	if part.end == 0 {
		return true
	}
	return (s.since.IsZero() || part.end >= s.since.Unix()) && (s.until.IsZero() || part.start <= s.until.Unix())
}
