package homes

import (
	"bytes"
	"context"
	"errors"

	"github.com/chibi-host/chibi/contexts/internal/parts"
	"github.com/chibi-host/chibi/internal/strictjson"
	"github.com/chibi-host/chibi/store"
)

// A record of a context's log holds the entries of one append, as lines of JSON; so they
// are stored all or not at all. A mark holds no entry but a markLine.

// markLine is the only line of a mark.
type markLine struct {
	TakenBy *parts.Holder `json:"taken_by"`
}

// encodeRecord returns the record of entries that this machine writes.
func encodeRecord(entries []parts.Entry, by *parts.Writer) (store.Record, error) {
	r := store.Record{ID: newID()}
	signed := make([]parts.Entry, len(entries))
	for i, e := range entries {
		r.Begins = r.Begins || parts.IsAnchor(e)
		meta := parts.MetaOf(e)
		if meta.By == nil { // a copy keeps who wrote it
			meta.By = by
		}
		e.Metadata = &meta
		signed[i] = e
	}
	lines, err := parts.Encode(signed)
	r.Data = bytes.Join(append(lines, nil), []byte("\n"))
	return r, err
}

// decodeRecord reads a record, which is foreign bytes: it calls each with its entries, until
// that returns false, and bad with other lines. It returns who made it as a mark.
func decodeRecord(data []byte, each func(line []byte, e parts.Entry) bool, bad func(line int, err error) bool) (
	mark *parts.Holder) {
	number := 0
	for line := range bytes.Lines(data) {
		number++
		line = bytes.TrimSuffix(line, []byte("\n"))
		if m := markOf(line); m != nil {
			mark = m
			continue
		}
		e, err := decodeEntry(line)
		if err != nil {
			if !bad(number, err) {
				break
			}
			continue
		}
		if !each(line, e) {
			break
		}
	}
	return mark
}

func decodeEntry(line []byte) (e parts.Entry, err error) {
	err = strictjson.Decode(line, &e)
	if err == nil && e.Type == "" {
		err = errors.New("it has no entry_type")
	}
	return e, err
}

// markOf returns who made a line as a mark, nil if it is another line.
func markOf(line []byte) *parts.Holder {
	var m markLine
	if !isMarkLine(line) || strictjson.Decode(line, &m) != nil || m.TakenBy == nil {
		return nil
	}
	return new(plain(*m.TakenBy))
}

// isMarkLine reports whether a line may be a mark's, without reading all of it.
func isMarkLine(line []byte) bool { return bytes.HasPrefix(line, []byte(`{"taken_by":`)) }

// entriesOf reads a record of a context. Lines that are not entries are reported and left
// out.
func (c *sharedContext) entriesOf(ctx context.Context, r store.Record) (entries []parts.Entry, mark *parts.Holder) {
	mark = c.decode(ctx, r, func(_ []byte, e parts.Entry) bool {
		entries = append(entries, e)
		return true
	})
	return entries, mark
}

// decode is decodeRecord for a record of the context. In the place of lines that are not entries comes
// one note, if the record was set aside.
func (c *sharedContext) decode(ctx context.Context, r store.Record, each func(line []byte, e parts.Entry) bool) (
	mark *parts.Holder) {
	var noted bool
	return decodeRecord(r.Data, each, func(line int, err error) (more bool) {
		if noted {
			return true
		}
		note, isAside, failed := c.asideAt(ctx, r.Pos)
		if noted = isAside; isAside {
			return each(nil, note)
		}
		parts.Report(c.Settings, "context %q, record %d, line %d: not an entry, left out: %v", c.Name, r.Pos, line,
			errors.Join(err, failed))
		return true
	})
}
