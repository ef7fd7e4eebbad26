package homes

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"

	"github.com/chibi-host/chibi/contexts/internal/parts"
	"github.com/chibi-host/chibi/internal/disk"
	"github.com/chibi-host/chibi/internal/jsonl"
	"github.com/chibi-host/chibi/internal/strictjson"
)

// windowFile is context.jsonl, which holds the window.
type windowFile struct{ *fileContext }

func (w windowFile) path() string      { return w.fileContext.path("context.jsonl") }
func (w windowFile) dirtyFile() string { return w.fileContext.path(".dirty") }

// isDirty reports whether another program has requested that the file be rebuilt.
func (w windowFile) isDirty() bool {
	_, err := w.home.fs.Stat(w.dirtyFile())
	return err == nil
}

// first returns the id of the window's first entry, "" if it has none.
func (w windowFile) first() (id string, err error) {
	list, err := w.begins(1)
	if len(list) > 0 {
		id = list[0].ID
	}
	return id, err
}

// begins returns so many of the window's first entries. A line that is not an entry has no id.
func (w windowFile) begins(most int) (list []parts.Entry, err error) {
	_, err = jsonl.Forward(w.home.fs, w.path(), func(_ int, record []byte) bool {
		var e parts.Entry
		strictjson.Decode(record, &e)
		list = append(list, e)
		return len(list) < most
	})
	return list, err
}

// read reads the window. bad says which lines are not entries.
func (w windowFile) read() (entries []parts.Entry, bad []string, err error) {
	path := w.path()
	torn, err := jsonl.Forward(w.home.fs, path, func(line int, record []byte) bool {
		var e parts.Entry
		if err := strictjson.Decode(record, &e); err != nil {
			bad = append(bad, fmt.Sprintf("%s:%d: not an entry (%v)", path, line, err))
			return true
		}
		entries = append(entries, e)
		return true
	})
	if torn > 0 && (w.Held || !w.home.isLocked(w.Name)) { // else another process is writing it now
		parts.Report(w.Settings, "%s: the last line is torn, its %d bytes are left out", path, torn)
	}
	return entries, bad, err
}

// append adds records. It does not wait until they are durable: the transcript has them,
// and a window that lacks some, or has something else in their place, is rebuilt.
func (w windowFile) append(records [][]byte) error {
	cut, err := jsonl.AppendDerived(w.home.fs, w.path(), records...)
	w.home.reportCut(w.path(), cut)
	return err
}

// write replaces the window.
func (w windowFile) write(entries []parts.Entry) error {
	records, err := parts.Encode(entries)
	if err != nil {
		return err
	}
	data := bytes.Join(append(records, nil), []byte("\n"))
	if err := disk.Replace(w.home.fs, w.path(), data, 0o600); err != nil {
		return err
	}
	if err := w.home.fs.Remove(w.dirtyFile()); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// reportError reports that the window could not be written. The transcript has
// what matters, and the window is rebuilt from it when it is read.
func (w windowFile) reportError(err error) {
	if err != nil {
		parts.Report(w.Settings, "context %q: writing the window: %v; it will be rebuilt", w.Name, err)
	}
}

// lastOf returns the last entry of a file that belongs in a window.
func (c *fileContext) lastOf(path string) (last parts.Entry, found bool, err error) {
	err = jsonl.Backward(c.home.fs, path, func(_ int64, record []byte) bool {
		var e parts.Entry
		if strictjson.Decode(record, &e) == nil && !parts.IsBeside(e) {
			last, found = e, true
		}
		return !found
	})
	return last, found, err
}
