package contexts

import (
	"fmt"

	"github.com/chibi-host/chibi/internal/disk"
	"github.com/chibi-host/chibi/internal/jsonl"
	"github.com/chibi-host/chibi/internal/strictjson"
)

// Context is one conversation.
type Context struct {
	store   *Store
	name    string
	held    bool    // this process has taken its lock
	writing bool    // it holds the transcript's lock
	active  content // what the active part of the transcript holds, as far as known
}

// Name is the context's name.
func (c *Context) Name() string { return c.name }

// Store is the store that the context belongs to.
func (c *Context) Store() *Store { return c.store }

// Append adds entries to the conversation. When it returns without an error,
// they survive a crash of the machine.
func (c *Context) Append(entries ...Entry) error {
	records, err := encode(entries)
	if err == nil {
		err = c.locked(func() error { return c.append(records) })
	}
	if err != nil {
		return fmt.Errorf("storing in context %q: %w", c.name, err)
	}
	return nil
}

func (c *Context) append(records [][]byte) error {
	if err := c.catchUp(); err != nil {
		return err
	}
	records, err := c.record(records)
	if err != nil {
		return err
	}
	c.derived(c.appendTo(c.windowFile(), records))
	c.rotateIfDue(records)
	return nil
}

// record appends records to the transcript and returns what was written: the
// first record of a transcript says that the context was created.
func (c *Context) record(records [][]byte) ([][]byte, error) {
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
func (c *Context) begun() (bool, error) {
	if c.active.entries > 0 {
		return true, nil
	}
	_, found, err := c.lastEntry()
	return found, err
}

// catchUp brings a window that is behind up to date.
func (c *Context) catchUp() error {
	behind, err := c.isBehind()
	if err == nil && behind {
		_, err = c.rebuild()
	}
	return err
}

// derived reports that the window could not be written. The transcript has what
// matters, and the window is made anew from it when it is read.
func (c *Context) derived(err error) {
	if err != nil {
		c.store.report("context %q: writing the window: %v; it will be made anew", c.name, err)
	}
}

// MessageCount counts the messages in the window.
func (c *Context) MessageCount() (int, error) {
	entries, err := c.Window()
	return len(messages(entries)), err
}

// messages picks the messages out of entries.
func messages(entries []Entry) []Entry {
	var list []Entry
	for _, e := range entries {
		if e.Type == TypeMessage {
			list = append(list, e)
		}
	}
	return list
}

func (c *Context) folder() string { return c.store.folder(c.name) }

// locked runs a step while no other process writes the transcript, after what a
// crash or an old version left has been put in order.
func (c *Context) locked(step func() error) error {
	unlock, err := c.lockIn(c.transcriptFolder(), ".transcript.lock", disk.Lock)
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

// appendTo appends records and reports what a crash had torn.
func (c *Context) appendTo(path string, records [][]byte) error {
	cut, err := jsonl.Append(c.store.fs, path, records...)
	if cut > 0 {
		c.store.report("%s: the last line was torn by a crash; its %d bytes were never acknowledged and are removed",
			path, cut)
	}
	return err
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
