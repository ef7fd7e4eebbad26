// Package statetext reads state.json where its text has the layout that chibi writes,
// without decoding the whole file: a home may have many thousands of contexts, and a turn
// needs one entry.
//
// What it promises: it reads a block at a time, allocates nothing for each entry, and
// reports ErrLayout, never a wrong value, where the text has another layout. A string of
// JSON contains no newline, so that the lines of that layout occur nowhere else in the file.
package statetext

import (
	"bytes"
	"errors"
	"io"
	"strings"
	"unicode/utf8"
)

// ErrLayout means that the text has another layout, or is damaged: decode it as JSON.
var ErrLayout = errors.New("state.json has another layout")

// Entry has the file's values for a context; times are in seconds since 1970.
type Entry struct {
	Name                                                   []byte // valid during the call
	Created, LastActivity, DestroyAfterInactive, DestroyAt int64
	// LastActivityAt is where in the file the digits of LastActivity begin.
	LastActivityAt int64
}

// Ending is the part of the file after its entries.
type Ending struct{ Current, Previous string }

const (
	beginning  = "{\n  \"contexts\": [\n"
	entryStart = "    {\n      \"name\": \""
	noRule     = ",\n      \"destroy_after_seconds_inactive\": 0,\n      \"destroy_at\": 0\n    }"
	ending     = "\n  ],\n  \"current_context\": \""
	// block is how much is read at once, longest how long an entry or the ending may be.
	block, longest = 64 << 10, 1 << 10
)

// Expiring calls each with the entries of a file that have a rule to be destroyed, in
// their order.
func Expiring(r io.Reader, each func(Entry)) error {
	s := scan{r: r, buf: make([]byte, 0, block)}
	if s.fill(); !s.take(beginning) {
		return s.failed()
	}
	for {
		if s.fill(); !s.skip() {
			if e := s.entry(); e.DestroyAfterInactive != 0 || e.DestroyAt != 0 {
				each(e)
			}
		}
		if s.begins("\n  ]") {
			return s.err
		}
		if !s.take(",\n") {
			return s.failed()
		}
	}
}

// Find finds the entry of a context in a file of a size whose entries are sorted by name,
// as chibi writes them, and returns nil if there is none. The name is valid until the next
// call.
func Find(r io.ReaderAt, size int64, name string) (*Entry, error) {
	buf := make([]byte, 2*longest)
	low, high := int64(0), size // it begins there
	for low < high {
		middle := (low + high) / 2
		n, err := r.ReadAt(buf, middle)
		if err != nil && err != io.EOF {
			return nil, err
		}
		start := bytes.Index(buf[:n], []byte(entryStart))
		if start < 0 || middle+int64(start) >= high {
			high = middle
			continue
		}
		s := scan{buf: buf[:n], at: start, before: middle}
		e := s.entry()
		switch order := strings.Compare(string(e.Name), name); {
		case s.bad:
			return nil, ErrLayout
		case order == 0:
			return &e, nil
		case order < 0:
			low = middle + int64(start) + 1
		default:
			high = middle
		}
	}
	return nil, nil
}

// End reads the part of a file of a size after its entries, without reading these.
func End(r io.ReaderAt, size int64) (Ending, error) {
	text := make([]byte, min(size, longest))
	if _, err := r.ReadAt(text, size-int64(len(text))); err != nil && err != io.EOF {
		return Ending{}, err
	}
	start := bytes.LastIndex(text, []byte(ending))
	if start < 0 {
		return Ending{}, ErrLayout
	}
	s := scan{buf: text, at: start}
	e := Ending{Current: string(s.text(ending, "\""))}
	if !s.begins(",\n  \"previous_context\": null") {
		e.Previous = string(s.text(",\n  \"previous_context\": \"", "\""))
	} else {
		s.take(",\n  \"previous_context\": null")
	}
	if !s.take("\n}\n") || s.at != len(text) {
		return Ending{}, ErrLayout
	}
	return e, nil
}

// scan is the text that is being read.
type scan struct {
	r      io.Reader
	buf    []byte
	at     int   // what is before it in buf is taken
	before int64 // bytes of the file that are no longer in buf
	// gap is how long the times of the latest entry without a rule are, in bytes, and
	// nameEnd where the name of the latest entry ends in buf.
	gap, nameEnd int
	bad          bool
	err          error
}

func (s *scan) entry() Entry {
	e := Entry{Name: s.text(entryStart, "\"")}
	s.nameEnd = s.at
	e.Created = s.number(",\n      \"created_at\": ")
	s.take(",\n      \"last_activity_at\": ")
	e.LastActivityAt = s.before + int64(s.at)
	e.LastActivity = s.number("")
	if s.begins(noRule) { // as in most entries
		s.gap = s.at - s.nameEnd
		s.at += len(noRule)
		return e
	}
	e.DestroyAfterInactive = s.number(",\n      \"destroy_after_seconds_inactive\": ")
	e.DestroyAt = s.number(",\n      \"destroy_at\": ")
	s.take("\n    }")
	return e
}

// skip takes an entry that says that it has no rule where the latest one did: its times are
// not read then.
func (s *scan) skip() bool {
	if !s.begins(entryStart) {
		return false
	}
	name := bytes.IndexByte(s.buf[s.at+len(entryStart):], '"')
	end := s.at + len(entryStart) + name + 1 + s.gap
	if name < 0 || end+len(noRule) > len(s.buf) || string(s.buf[end:end+len(noRule)]) != noRule {
		return false
	}
	s.at = end + len(noRule)
	return true
}

// fill reads more if less than an entry may be left.
func (s *scan) fill() {
	if len(s.buf)-s.at >= longest || s.err != nil {
		return
	}
	s.before += int64(s.at)
	n := copy(s.buf[:cap(s.buf)], s.buf[s.at:])
	s.buf, s.at = s.buf[:n], 0
	for len(s.buf) < cap(s.buf) && s.err == nil {
		var n int
		n, s.err = s.r.Read(s.buf[len(s.buf):cap(s.buf)])
		s.buf = s.buf[:len(s.buf)+n]
	}
	if s.err == io.EOF {
		s.err = nil
		s.r = bytes.NewReader(nil)
	}
}

func (s *scan) failed() error {
	if s.err != nil {
		return s.err
	}
	return ErrLayout
}

func (s *scan) begins(text string) bool {
	return !s.bad && len(s.buf)-s.at >= len(text) && string(s.buf[s.at:s.at+len(text)]) == text
}

// take takes a text, and reports whether everything so far was as it is written.
func (s *scan) take(text string) bool {
	if !s.begins(text) {
		s.bad = true
		return false
	}
	s.at += len(text)
	return true
}

// text takes a string after a text, up to a quote. Names contain no escapes and no
// bytes that are not UTF-8, which a reader of JSON replaces.
func (s *scan) text(before, after string) []byte {
	if !s.take(before) {
		return nil
	}
	rest := s.buf[s.at:]
	end := bytes.IndexByte(rest, '"')
	if end < 0 || bytes.IndexByte(rest[:end], '\\') >= 0 || !utf8.Valid(rest[:end]) {
		s.bad = true
		return nil
	}
	s.at += end
	s.take(after)
	return rest[:end]
}

// number takes a whole number after a text.
func (s *scan) number(before string) int64 {
	if !s.take(before) {
		return 0
	}
	rest := s.buf[s.at:]
	sign := 0
	if len(rest) > 0 && rest[0] == '-' {
		sign = 1
	}
	n, end := int64(0), sign
	for end < len(rest) && rest[end] >= '0' && rest[end] <= '9' {
		n, end = 10*n+int64(rest[end]-'0'), end+1
	}
	const most = 18 // digits that cannot overflow
	digits := end - sign
	s.bad = digits == 0 || digits > most || digits > 1 && rest[sign] == '0'
	s.at += end
	if sign == 1 {
		return -n
	}
	return n
}
