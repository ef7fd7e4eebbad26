package contexts

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"

	"github.com/chibi-host/chibi/internal/disk"
	"github.com/chibi-host/chibi/internal/jsonl"
	"github.com/chibi-host/chibi/internal/strictjson"
)

// Window is the part of the conversation that the model is sent. If the file
// that holds it is missing or behind, it is made anew from the transcript. The
// cost depends on the length of the window, not of the transcript.
func (c *Context) Window() ([]Entry, error) {
	if !c.store.Exists(c.name) {
		return nil, nil
	}
	entries, err := c.currentWindow()
	if err != nil {
		return nil, fmt.Errorf("reading context %q: %w", c.name, err)
	}
	return entries, nil
}

// currentWindow takes the transcript's lock only if the window is behind and
// nobody uses the context: whoever does brings it up to date.
func (c *Context) currentWindow() (entries []Entry, err error) {
	if !c.unfinished() {
		if behind, err := c.isBehind(); err != nil || !behind {
			entries, readErr := c.readWindow()
			return entries, errors.Join(err, readErr)
		}
		if !c.held && c.store.isLocked(c.name) {
			entries, _, err := c.sinceAnchor()
			return entries, err
		}
	}
	err = c.locked(func() (err error) {
		entries, err = c.window()
		return err
	})
	if disk.IsReadOnly(err) {
		entries, err = c.windowReadOnly()
	}
	return entries, err
}

func (c *Context) windowFile() string { return filepath.Join(c.folder(), "context.jsonl") }
func (c *Context) dirtyFile() string  { return filepath.Join(c.folder(), ".dirty") }

// window is Window under the transcript's lock.
func (c *Context) window() ([]Entry, error) {
	behind, err := c.isBehind()
	if err != nil {
		return nil, err
	}
	if behind {
		return c.rebuild()
	}
	return c.readWindow()
}

// windowReadOnly is window where nothing can be written, not even a lock.
func (c *Context) windowReadOnly() ([]Entry, error) {
	behind, err := c.isBehind()
	if err != nil || !behind {
		entries, readErr := c.readWindow()
		return entries, errors.Join(err, readErr)
	}
	entries, _, err := c.sinceAnchor()
	return entries, err
}

// isBehind compares the ends of the window and the transcript, and their
// anchors where the transcript ends with one: entries that an anchor keeps are
// in the window before it and after it.
func (c *Context) isBehind() (bool, error) {
	if _, err := c.store.fs.Stat(c.dirtyFile()); err == nil {
		return true, nil
	}
	last, found, err := c.lastEntry()
	if err != nil || !found {
		return false, err
	}
	ends, _, err := c.lastOf(c.windowFile())
	if err != nil {
		return false, err
	}
	if !last.isAnchor() {
		return ends.ID != last.ID, nil
	}
	begins, err := c.firstOfWindow()
	wanted := last.ID
	if kept := last.replacement(); len(kept) > 0 {
		wanted = kept[len(kept)-1].ID
	}
	return begins != last.ID || ends.ID != wanted, err
}

// lastEntry is the transcript's last entry that belongs in a window. Only
// right after a rotation it is in a partition.
func (c *Context) lastEntry() (Entry, bool, error) {
	e, found, err := c.lastOf(c.transcript())
	if err != nil || found {
		return e, found, err
	}
	segments, err := c.segments()
	if err != nil {
		return Entry{}, false, err
	}
	for _, s := range slices.Backward(segments) {
		if e, found, err := c.lastOf(s.path); err != nil || found {
			return e, found, err
		}
	}
	return Entry{}, false, nil
}

// lastOf is a file's last entry that belongs in a window.
func (c *Context) lastOf(path string) (last Entry, found bool, err error) {
	err = jsonl.Backward(c.store.fs, path, func(_ int64, record []byte) bool {
		var e Entry
		if strictjson.Decode(record, &e) == nil && e.Type != TypeSystemPrompt {
			last, found = e, true
		}
		return !found
	})
	return last, found, err
}

// firstOfWindow is the id of the window's first entry, "" if it has none.
func (c *Context) firstOfWindow() (id string, err error) {
	_, err = jsonl.Forward(c.store.fs, c.windowFile(), func(_ int, record []byte) bool {
		var e Entry
		strictjson.Decode(record, &e)
		id = e.ID
		return false
	})
	return id, err
}

// readWindow reads the window's file.
func (c *Context) readWindow() ([]Entry, error) {
	var entries []Entry
	path := c.windowFile()
	torn, err := jsonl.Forward(c.store.fs, path, func(line int, record []byte) bool {
		var e Entry
		if err := strictjson.Decode(record, &e); err != nil {
			c.store.report("%s:%d: not an entry, left out of the conversation: %v", path, line, err)
			return true
		}
		entries = append(entries, e)
		return true
	})
	if torn > 0 && (c.held || !c.store.isLocked(c.name)) { // else somebody is writing it now
		c.store.report("%s: the last line is torn, its %d bytes are left out", path, torn)
	}
	return entries, err
}

// rebuild makes the window anew. What the anchor says about the summary is
// carried out if the window did not know that anchor yet.
func (c *Context) rebuild() ([]Entry, error) {
	entries, anchor, err := c.sinceAnchor()
	if err == nil {
		err = c.applySummary(anchor)
	}
	if err == nil {
		err = c.writeWindow(entries)
	}
	return entries, err
}

// sinceAnchor reads everything in the transcript from its last anchor on.
func (c *Context) sinceAnchor() (entries []Entry, anchor *Entry, err error) {
	segments, done, err := c.snapshot()
	defer done()
	for _, s := range slices.Backward(segments) {
		if err != nil || anchor != nil {
			break
		}
		err = c.backward(s, func(e Entry) bool {
			if e.isAnchor() {
				anchor = &e
			}
			if e.Type != TypeSystemPrompt {
				for _, kept := range slices.Backward(e.replacement()) {
					entries = append(entries, kept)
				}
				entries = append(entries, e.bare())
			}
			return anchor == nil
		})
	}
	slices.Reverse(entries)
	return entries, anchor, err
}

// backward reads a part of the transcript from its end. A line that is not an
// entry is reported.
func (c *Context) backward(s segment, each func(Entry) (more bool)) error {
	return s.backward(c.store.fs, func(offset int64, record []byte) bool {
		var e Entry
		if err := strictjson.Decode(record, &e); err != nil {
			c.store.report("%s:%d: not an entry, left out of the conversation: %v", s.path,
				jsonl.LineAt(c.store.fs, s.path, offset), err)
			return true
		}
		return each(e)
	})
}

// applySummary brings summary.md to what an anchor says, unless the window has
// that anchor already: since then the summary may have been edited by hand.
func (c *Context) applySummary(anchor *Entry) error {
	if anchor == nil {
		return nil
	}
	begins, err := c.firstOfWindow()
	if err != nil || begins == anchor.ID {
		return err
	}
	switch {
	case anchor.Type == TypeArchival, anchor.Metadata != nil && anchor.Metadata.Superseded:
		return c.setText("summary.md", "")
	case anchor.Metadata != nil && anchor.Metadata.Summary != "":
		return c.setText("summary.md", anchor.Metadata.Summary)
	}
	return nil
}

func (c *Context) writeWindow(entries []Entry) error {
	records, err := encode(entries)
	if err != nil {
		return err
	}
	data := bytes.Join(append(records, nil), []byte("\n"))
	if err := disk.Replace(c.store.fs, c.windowFile(), data, 0o600); err != nil {
		return err
	}
	if err := c.store.fs.Remove(c.dirtyFile()); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}
