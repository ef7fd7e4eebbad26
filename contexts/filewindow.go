package contexts

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"path/filepath"
	"slices"

	"github.com/chibi-host/chibi/internal/disk"
	"github.com/chibi-host/chibi/internal/jsonl"
	"github.com/chibi-host/chibi/internal/strictjson"
)

// window reads the file that holds the window. It takes the transcript's lock only
// if that file is behind and nobody uses the context: whoever does brings it up to
// date.
func (c *fileContext) window(ctx context.Context) (entries []Entry, err error) {
	if !c.home.exists(ctx, c.name) {
		return nil, nil
	}
	if !c.unfinished() {
		if behind, err := c.isBehind(); err != nil || !behind {
			entries, readErr := c.readWindow()
			return entries, errors.Join(err, readErr)
		}
		if !c.held && c.home.isLocked(c.name) {
			entries, _, err := c.sinceAnchor()
			return entries, err
		}
	}
	err = c.locked(waitLock(ctx), func() (err error) {
		entries, err = c.readOrRebuild()
		return err
	})
	if disk.IsReadOnly(err) {
		entries, err = c.windowReadOnly()
	}
	return entries, err
}

func (c *fileContext) windowFile() string { return filepath.Join(c.folder(), "context.jsonl") }
func (c *fileContext) dirtyFile() string  { return filepath.Join(c.folder(), ".dirty") }

// readOrRebuild is window under the transcript's lock.
func (c *fileContext) readOrRebuild() ([]Entry, error) {
	behind, err := c.isBehind()
	if err != nil {
		return nil, err
	}
	if behind {
		return c.rebuild()
	}
	return c.readWindow()
}

// windowReadOnly is readOrRebuild where nothing can be written, not even a lock.
func (c *fileContext) windowReadOnly() ([]Entry, error) {
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
func (c *fileContext) isBehind() (bool, error) {
	if _, err := c.home.fs.Stat(c.dirtyFile()); err == nil {
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
func (c *fileContext) lastEntry() (Entry, bool, error) {
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
func (c *fileContext) lastOf(path string) (last Entry, found bool, err error) {
	err = jsonl.Backward(c.home.fs, path, func(_ int64, record []byte) bool {
		var e Entry
		if strictjson.Decode(record, &e) == nil && e.Type != TypeSystemPrompt {
			last, found = e, true
		}
		return !found
	})
	return last, found, err
}

// firstOfWindow is the id of the window's first entry, "" if it has none.
func (c *fileContext) firstOfWindow() (id string, err error) {
	_, err = jsonl.Forward(c.home.fs, c.windowFile(), func(_ int, record []byte) bool {
		var e Entry
		strictjson.Decode(record, &e)
		id = e.ID
		return false
	})
	return id, err
}

// readWindow reads the window's file.
func (c *fileContext) readWindow() ([]Entry, error) {
	var entries []Entry
	path := c.windowFile()
	torn, err := jsonl.Forward(c.home.fs, path, func(line int, record []byte) bool {
		var e Entry
		if err := strictjson.Decode(record, &e); err != nil {
			c.store.report("%s:%d: not an entry, left out of the conversation: %v", path, line, err)
			return true
		}
		entries = append(entries, e)
		return true
	})
	if torn > 0 && (c.held || !c.home.isLocked(c.name)) { // else somebody is writing it now
		c.store.report("%s: the last line is torn, its %d bytes are left out", path, torn)
	}
	return entries, err
}

// rebuild makes the window anew. What the anchor says about the summary is
// carried out if the window did not know that anchor yet.
func (c *fileContext) rebuild() ([]Entry, error) {
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
func (c *fileContext) sinceAnchor() (entries []Entry, anchor *Entry, err error) {
	segments, done, err := c.snapshot()
	defer done()
	var b windowBuilder
	for _, s := range slices.Backward(segments) {
		if err != nil || b.anchor != nil {
			break
		}
		err = c.backward(s, b.add)
	}
	return b.window(), b.anchor, err
}

// backward reads a part of the transcript from its end. A line that is not an
// entry is reported.
func (c *fileContext) backward(s segment, each func(Entry) (more bool)) error {
	return s.backward(c.home.fs, func(offset int64, record []byte) bool {
		var e Entry
		if err := strictjson.Decode(record, &e); err != nil {
			c.store.report("%s:%d: not an entry, left out of the conversation: %v", s.path,
				jsonl.LineAt(c.home.fs, s.path, offset), err)
			return true
		}
		return each(e)
	})
}

// applySummary brings summary.md to what an anchor says, unless the window has
// that anchor already: since then the summary may have been edited by hand.
func (c *fileContext) applySummary(anchor *Entry) error {
	if anchor == nil {
		return nil
	}
	begins, err := c.firstOfWindow()
	if err != nil || begins == anchor.ID {
		return err
	}
	if summary, isSet := summaryOf(*anchor); isSet {
		return c.replaceText(textSummary, summary)
	}
	return nil
}

func (c *fileContext) writeWindow(entries []Entry) error {
	records, err := encode(entries)
	if err != nil {
		return err
	}
	data := bytes.Join(append(records, nil), []byte("\n"))
	if err := disk.Replace(c.home.fs, c.windowFile(), data, 0o600); err != nil {
		return err
	}
	if err := c.home.fs.Remove(c.dirtyFile()); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}
