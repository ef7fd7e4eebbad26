package homes

import (
	"slices"

	"github.com/chibi-host/chibi/contexts/internal/parts"
	"github.com/chibi-host/chibi/contexts/internal/transcript"
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
		parts.Report(l.Settings, "context %q: the transcript could not start a new partition, nothing is lost: %v",
			l.Name, err)
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
