package homes

import (
	"bytes"
	"cmp"
	"context"
	"slices"
	"strings"

	"github.com/chibi-host/chibi/contexts/internal/parts"
	"github.com/chibi-host/chibi/contexts/internal/transcript"
	"github.com/chibi-host/chibi/internal/disk"
	"github.com/chibi-host/chibi/internal/strictjson"
)

// Each reads the parts of the transcript that can have entries of the wanted time.
func (t *fileTranscript) Each(ctx context.Context, wanted parts.Wanted, each func(parts.Entry) (more bool)) error {
	if !t.home.hasContext(t.Name) {
		return nil
	}
	segments, done, err := t.parts(ctx)
	defer done()
	if wanted.Backward {
		slices.Reverse(segments)
	}
	r := reading{calledOff: ctx.Err, report: parts.Reporter(t.Settings), wanted: wanted,
		text: plainText(wanted.Text), each: each, more: true}
	for _, s := range segments {
		if err != nil || !r.more {
			break
		}
		if mayFind(wanted, s) {
			err = r.segment(s)
		}
	}
	return cmp.Or(err, r.err)
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

// reading has the state of a scan.
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
