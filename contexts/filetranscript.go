package contexts

import (
	"fmt"
	"path/filepath"
	"strings"

	"github.com/chibi-host/chibi/internal/disk"
	"github.com/chibi-host/chibi/internal/strictjson"
)

// fileContext is a context's directory.
type fileContext struct {
	*ref
	home    *fileHome
	writing bool    // it holds the transcript's lock
	active  content // what the active part of the transcript holds, as far as known
}

// append adds entries to the transcript, and then to the window.
func (c *fileContext) append(entries []Entry) error {
	records, err := encode(entries)
	if err != nil {
		return err
	}
	return c.locked(disk.Lock, func() error {
		if err := c.syncWindow(); err != nil {
			return err
		}
		records, err := c.record(records)
		if err != nil {
			return err
		}
		c.reportWindowError(c.appendTo(c.windowFile(), records))
		c.rotateIfDue(records)
		return nil
	})
}

// begin adds an anchor to the transcript, and makes the window anew. What leaves
// it is appended to transcript.md first.
func (c *fileContext) begin(anchor Entry) error {
	return c.locked(disk.Lock, func() error {
		old, err := c.readOrRebuild()
		if err != nil {
			return err
		}
		if err := c.archiveText(dropped(old, anchor.replacement())); err != nil {
			return err
		}
		records, err := encode([]Entry{anchor})
		if err != nil {
			return err
		}
		if records, err = c.record(records); err != nil {
			return err
		}
		_, err = c.rebuild()
		c.reportWindowError(err)
		c.rotateIfDue(records)
		return nil
	})
}

// archiveText appends messages to transcript.md, for people and their tools.
func (c *fileContext) archiveText(list []Entry) error {
	var b strings.Builder
	for _, e := range list {
		fmt.Fprintf(&b, "[%s]: %s\n\n", strings.ToUpper(e.Role()), e.Content)
	}
	if b.Len() == 0 {
		return nil
	}
	return disk.Append(c.home.fs, filepath.Join(c.folder(), "transcript.md"), []byte(b.String()), 0o600)
}

// record appends records to the transcript and returns what was written: the
// first record of a transcript says that the context was created.
func (c *fileContext) record(records [][]byte) ([][]byte, error) {
	begun, err := c.begun()
	if err != nil {
		return nil, err
	}
	if !begun {
		created, err := encode([]Entry{contextCreated(c.name, nil)})
		if err != nil {
			return nil, err
		}
		records = append(created, records...)
	}
	return records, c.appendTo(c.transcript(), records)
}

// begun reports whether the transcript has entries.
func (c *fileContext) begun() (bool, error) {
	if c.active.entries > 0 {
		return true, nil
	}
	_, found, err := c.lastEntry()
	return found, err
}

// syncWindow brings a window that is behind up to date.
func (c *fileContext) syncWindow() error {
	behind, err := c.isBehind()
	if err == nil && behind {
		_, err = c.rebuild()
	}
	return err
}

// reportWindowError reports that the window could not be written. The transcript has what
// matters, and the window is made anew from it when it is read.
func (c *fileContext) reportWindowError(err error) {
	if err != nil {
		c.store.report("context %q: writing the window: %v; it will be made anew", c.name, err)
	}
}

func (c *fileContext) folder() string { return c.home.folder(c.name) }

// locked runs a step while no other process writes the transcript, after what a
// crash or an old version left has been put in order.
func (c *fileContext) locked(take func(path string) (func(), error), step func() error) error {
	unlock, err := c.home.lockIn(c.transcriptFolder(), ".transcript.lock", take)
	if err != nil {
		return err
	}
	defer unlock()
	c.writing = true
	defer func() { c.writing = false }()
	if err := c.migrate(); err != nil {
		return err
	}
	if err := c.finishRotation(); err != nil {
		return err
	}
	return step()
}

func (c *fileContext) appendTo(path string, records [][]byte) error {
	return c.home.appendTo(path, records)
}

// encode writes entries as the original does: "<" and the like stay as they are.
func encode(entries []Entry) ([][]byte, error) {
	var records [][]byte
	for _, e := range entries {
		record, err := strictjson.Encode(e)
		if err != nil {
			return nil, err
		}
		records = append(records, record)
	}
	return records, nil
}
