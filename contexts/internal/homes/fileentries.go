package homes

import (
	"bytes"
	"context"
	"slices"
	"strings"

	"github.com/chibi-host/chibi/contexts/internal/parts"
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
		created, err := parts.Encode([]parts.Entry{l.Created()})
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
		parts.Report(l.Settings, "context %q: the transcript could not start a new partition, nothing is lost: %v", l.Name, err)
	}
}

// last returns the transcript's last entry that belongs in a window. Only right
// after a rotation is it in a partition.
func (l entryLog) last() (parts.Entry, bool, error) {
	e, found, err := l.lastOf(l.log.Active())
	if err != nil || found {
		return e, found, err
	}
	segments, err := l.log.Segments()
	if err != nil {
		return parts.Entry{}, false, err
	}
	for _, s := range slices.Backward(segments) {
		if e, found, err := l.lastOf(s.Path); err != nil || found {
			return e, found, err
		}
	}
	return parts.Entry{}, false, nil
}

// sinceAnchor reads everything in the transcript from its last anchor on. A line
// that is not an entry is reported.
func (l entryLog) sinceAnchor() (entries []parts.Entry, anchor *parts.Entry, err error) {
	segments, done, err := l.log.Snapshot()
	defer done()
	var b parts.WindowBuilder
	for _, s := range slices.Backward(segments) {
		if err != nil || b.Anchor != nil {
			break
		}
		err = s.Backward(func(offset int64, record []byte) bool {
			var e parts.Entry
			if err := strictjson.Decode(record, &e); err != nil {
				parts.Report(l.Settings, "%s:%d: not an entry, left out of the conversation: %v", s.Path, s.LineAt(offset), err)
				return true
			}
			return b.Add(e)
		})
	}
	return b.Window(), b.Anchor, err
}

// Scan reads the parts of the transcript that can have entries of the wanted time.
func (t *fileTranscript) Scan(ctx context.Context, wanted parts.Wanted, each func(parts.Entry) (more bool)) error {
	if !t.home.hasContext(t.Name) {
		return nil
	}
	segments, done, err := t.parts(ctx)
	defer done()
	if wanted.Backward {
		slices.Reverse(segments)
	}
	r := reading{calledOff: ctx.Err, report: parts.Reporter(t.Settings), wanted: wanted, text: plainText(wanted.Text), each: each,
		more: true}
	for _, s := range segments {
		if err != nil || !r.more {
			break
		}
		if mayFind(wanted, s) {
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
	wanted    parts.Wanted
	text      []byte // what a record must contain, nil if that is unknown
	each      func(parts.Entry) (more bool)
	count     int
	more      bool
	err       error
}

// segment reads one part of the transcript. A line that is not an entry is
// reported.
func (r *reading) segment(s transcript.Segment) error {
	if r.wanted.Backward {
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
	var e parts.Entry
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
func plainText(text string) []byte {
	for _, b := range []byte(text) {
		if b >= 0x80 || b < ' ' || strings.IndexByte(`"\<>&/`, b) >= 0 {
			return nil
		}
	}
	if text == "" {
		return nil
	}
	return []byte(strings.ToLower(text))
}

// mayFind reports whether a part of the transcript can have entries of the wanted
// time.
func mayFind(s parts.Wanted, part transcript.Segment) bool {
	if part.End == 0 {
		return true
	}
	return (s.Since.IsZero() || part.End >= s.Since.Unix()) && (s.Until.IsZero() || part.Start <= s.Until.Unix())
}
