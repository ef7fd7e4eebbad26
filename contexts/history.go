package contexts

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/chibi-host/chibi/internal/disk"
	"github.com/chibi-host/chibi/internal/jsonl"
	"github.com/chibi-host/chibi/internal/strictjson"
)

// Query selects entries of a whole transcript. The zero value selects all.
type Query struct {
	// First and Last bound how many entries are selected, from the begin or
	// the end; 0: all. Only one of them may be set.
	First, Last int
	// Since and Until bound the time, both inclusive; zero: no bound.
	Since, Until time.Time
	// Text must be part of the content; upper and lower case are the same.
	Text string
	// Keep, if set, must agree to an entry.
	Keep func(Entry) bool
}

// History calls each with the selected entries of the whole transcript, from
// the oldest on, until it returns false. Memory is bounded by First or Last,
// not by the transcript. Copies that the original made of messages that it kept
// come once.
func (c *Context) History(q Query, each func(Entry) (more bool)) error {
	if !c.store.Exists(c.name) {
		return nil
	}
	segments, done, err := c.parts()
	defer done()
	if err == nil && q.Last > 0 {
		err = c.lastEntries(q, segments, each)
	} else if err == nil {
		err = c.firstEntries(q, segments, each)
	}
	if err != nil {
		return fmt.Errorf("reading the history of context %q: %w", c.name, err)
	}
	return nil
}

// parts is snapshot after what was left unfinished is put in order, if anything
// can be written.
func (c *Context) parts() (list []segment, done func(), err error) {
	if c.unfinished() {
		err = c.locked(func() error { return nil })
	}
	if err != nil && !disk.IsReadOnly(err) {
		return nil, func() {}, err
	}
	return c.snapshot()
}

// firstEntries reads from the beginning of the transcript.
func (c *Context) firstEntries(q Query, segments []segment, each func(Entry) bool) error {
	count, more := 0, true
	copies := map[string]bool{}
	for _, s := range segments {
		if !more || !q.mayHold(s) {
			continue
		}
		err := s.forward(c.store.fs, func(line int, record []byte) bool {
			e, ok := c.selected(q, record, func() string { return fmt.Sprintf("%s:%d", s.path, line) })
			if !ok || e.isCopy(copies) {
				return true
			}
			count++
			more = each(e) && (q.First == 0 || count < q.First)
			return more
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// lastEntries reads from the end until it has enough.
func (c *Context) lastEntries(q Query, segments []segment, each func(Entry) bool) error {
	var list []Entry
	copies := map[string]bool{}
	for _, s := range slices.Backward(segments) {
		if len(list) == q.Last || !q.mayHold(s) {
			continue
		}
		err := s.backward(c.store.fs, func(offset int64, record []byte) bool {
			place := func() string { return fmt.Sprintf("%s:%d", s.path, jsonl.LineAt(c.store.fs, s.path, offset)) }
			if e, ok := c.selected(q, record, place); ok && !e.isCopy(copies) {
				list = append(list, e)
			}
			return len(list) < q.Last
		})
		if err != nil {
			return err
		}
	}
	for _, e := range slices.Backward(list) {
		if !each(e) {
			break
		}
	}
	return nil
}

// latest calls each with the entries of the transcript from the last one on.
func (c *Context) latest(each func(Entry) (more bool)) error {
	segments, done, err := c.parts()
	defer done()
	more := true
	for _, s := range slices.Backward(segments) {
		if err != nil || !more {
			break
		}
		err = c.backward(s, func(e Entry) bool {
			more = each(e)
			return more
		})
	}
	return err
}

// selected decodes a record if the query wants it. A record that is not an
// entry is reported with its place.
func (c *Context) selected(q Query, record []byte, place func() string) (e Entry, ok bool) {
	if q.isPlain() && !bytes.Contains(bytes.ToLower(record), []byte(strings.ToLower(q.Text))) {
		return e, false // most records of a long transcript end here
	}
	if err := strictjson.Decode(record, &e); err != nil {
		c.store.report("%s: not an entry, left out: %v", place(), err)
		return e, false
	}
	at := time.Unix(e.Timestamp, 0)
	switch {
	case !q.Since.IsZero() && at.Before(q.Since.Truncate(time.Second)),
		!q.Until.IsZero() && at.After(q.Until),
		q.Text != "" && !strings.Contains(strings.ToLower(e.Content), strings.ToLower(q.Text)):
		return e, false
	}
	return e, q.Keep == nil || q.Keep(e)
}

// isPlain says that the text stands in a record as it is, without escapes.
func (q Query) isPlain() bool {
	for _, b := range []byte(q.Text) {
		if b >= 0x80 || b < ' ' || strings.IndexByte(`"\\<>&/`, b) >= 0 {
			return false
		}
	}
	return q.Text != ""
}

// mayHold reports whether a part of the transcript can have entries of the time
// that is asked for.
func (q Query) mayHold(s segment) bool {
	if s.end == 0 {
		return true
	}
	return (q.Since.IsZero() || s.end >= q.Since.Unix()) && (q.Until.IsZero() || s.start <= q.Until.Unix())
}

// isCopy reports whether the original has written the message before: whenever it
// archived or compacted, it wrote what it kept again.
func (e Entry) isCopy(seen map[string]bool) bool {
	if e.Type != TypeMessage || e.Metadata != nil && e.Metadata.Role != "" {
		return false
	}
	if seen[e.ID] {
		return true
	}
	seen[e.ID] = true
	return false
}
