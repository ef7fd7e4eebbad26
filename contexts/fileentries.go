package contexts

import (
	"bytes"
	"context"
	"slices"
	"strings"

	"github.com/chibi-host/chibi/contexts/internal/transcript"
	"github.com/chibi-host/chibi/internal/disk"
	"github.com/chibi-host/chibi/internal/strictjson"
)

// entryLog is the transcript as entries.
type entryLog struct {
	*fileContext
	log *transcript.Log
}

// record appends records to the transcript and returns what was written: in a new
// transcript also a first record, which says that the context was created.
func (l entryLog) record(records [][]byte) ([][]byte, error) {
	begun, err := l.hasBegun()
	if err != nil {
		return nil, err
	}
	if !begun {
		created, err := encode([]Entry{l.created()})
		if err != nil {
			return nil, err
		}
		records = append(created, records...)
	}
	return records, l.log.Append(records)
}

// hasBegun reports whether the transcript has entries.
func (l entryLog) hasBegun() (bool, error) {
	if l.log.HasEntries() {
		return true, nil
	}
	_, found, err := l.last()
	return found, err
}

// rotate starts a new partition if a bound is reached. The appended entries are
// already durable: a failure is reported, and rotating is tried again at the next
// append.
func (l entryLog) rotate(added [][]byte) {
	if err := l.log.Rotate(added); err != nil {
		report(l.settings, "context %q: the transcript could not start a new partition, nothing is lost: %v", l.name, err)
	}
}

// last returns the transcript's last entry that belongs in a window. Only right
// after a rotation is it in a partition.
func (l entryLog) last() (Entry, bool, error) {
	e, found, err := l.lastOf(l.log.Active())
	if err != nil || found {
		return e, found, err
	}
	segments, err := l.log.Segments()
	if err != nil {
		return Entry{}, false, err
	}
	for _, s := range slices.Backward(segments) {
		if e, found, err := l.lastOf(s.Path); err != nil || found {
			return e, found, err
		}
	}
	return Entry{}, false, nil
}

// sinceAnchor reads everything in the transcript from its last anchor on. A line
// that is not an entry is reported.
func (l entryLog) sinceAnchor() (entries []Entry, anchor *Entry, err error) {
	segments, done, err := l.log.Snapshot()
	defer done()
	var b windowBuilder
	for _, s := range slices.Backward(segments) {
		if err != nil || b.anchor != nil {
			break
		}
		err = s.Backward(func(offset int64, record []byte) bool {
			var e Entry
			if err := strictjson.Decode(record, &e); err != nil {
				report(l.settings, "%s:%d: not an entry, left out of the conversation: %v", s.Path, s.LineAt(offset), err)
				return true
			}
			return b.add(e)
		})
	}
	return b.window(), b.anchor, err
}

// scan reads the parts of the transcript that can have entries of the wanted time.
func (t *fileTranscript) scan(ctx context.Context, wanted scan, each func(Entry) (more bool)) error {
	if !t.home.hasContext(t.name) {
		return nil
	}
	segments, done, err := t.parts(ctx)
	defer done()
	if wanted.backward {
		slices.Reverse(segments)
	}
	r := reading{calledOff: ctx.Err, report: reporter(t.settings), wanted: wanted, text: wanted.plainText(), each: each,
		more: true}
	for _, s := range segments {
		if err != nil || !r.more {
			break
		}
		if wanted.mayFind(s) {
			err = r.segment(s)
		}
	}
	if err == nil {
		err = r.err
	}
	return err
}

// parts lists the transcript's files. If the home can be written, interrupted work
// is finished first.
func (t *fileTranscript) parts(ctx context.Context) (list []transcript.Segment, done func(), err error) {
	if t.isUnfinished() {
		err = t.locked(waitLock(ctx), func() error { return nil })
	}
	if err != nil && !disk.IsReadOnly(err) {
		return nil, func() {}, err
	}
	return t.entries.log.Snapshot()
}

// reading is a scan in progress.
type reading struct {
	calledOff func() error // returns why the caller's context has ended
	report    func(format string, args ...any)
	wanted    scan
	text      []byte // what a record must contain, nil if that is unknown
	each      func(Entry) (more bool)
	count     int
	more      bool
	err       error
}

// segment reads one part of the transcript. A line that is not an entry is
// reported.
func (r *reading) segment(s transcript.Segment) error {
	if r.wanted.backward {
		return s.Backward(func(offset int64, record []byte) bool {
			return r.take(record, func(err error) { r.bad(s.Path, s.LineAt(offset), err) })
		})
	}
	return s.Forward(func(line int, record []byte) bool {
		return r.take(record, func(err error) { r.bad(s.Path, line, err) })
	})
}

func (r *reading) bad(path string, line int, err error) {
	r.report("%s:%d: not an entry, left out: %v", path, line, err)
}

// take processes a record; it calls bad if the record is not an entry.
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

// check ends the reading if the caller's context has ended.
func (r *reading) check() {
	if r.err = r.calledOff(); r.err != nil {
		r.more = false
	}
}

// plainText returns the text that a record must contain, nil if that is unknown
// without decoding the record: the text may be written with escapes.
func (s scan) plainText() []byte {
	for _, b := range []byte(s.text) {
		if b >= 0x80 || b < ' ' || strings.IndexByte(`"\<>&/`, b) >= 0 {
			return nil
		}
	}
	if s.text == "" {
		return nil
	}
	return []byte(strings.ToLower(s.text))
}

// mayFind reports whether a part of the transcript can have entries of the wanted
// time.
func (s scan) mayFind(part transcript.Segment) bool {
	if part.End == 0 {
		return true
	}
	return (s.since.IsZero() || part.End >= s.since.Unix()) && (s.until.IsZero() || part.Start <= s.until.Unix())
}
