package contexts

import (
	"errors"
	"io/fs"
	"path/filepath"

	"github.com/chibi-host/chibi/internal/disk"
	"github.com/chibi-host/chibi/internal/strictjson"
	"github.com/tidwall/gjson"
)

// migrate brings a context of the original's first versions into today's
// layout: transcript.jsonl becomes the active part of the transcript, and the
// messages of context.json its first entries. The old context.json is kept
// under another name.
func (c *Context) migrate() error {
	old := c.legacyTranscript()
	if c.isThere(old) && !c.isThere(c.transcript()) {
		if err := disk.Move(c.store.fs, old, c.transcript()); err != nil {
			return err
		}
	}
	legacy := c.legacyFile()
	if !c.isThere(legacy) {
		return nil
	}
	if !c.isThere(c.windowFile()) {
		if err := c.migrateMessages(legacy); err != nil {
			return err
		}
	}
	return disk.Move(c.store.fs, legacy, legacy+".migrated")
}

func (c *Context) legacyTranscript() string { return filepath.Join(c.folder(), "transcript.jsonl") }
func (c *Context) legacyFile() string       { return filepath.Join(c.folder(), "context.json") }

// migrateMessages makes entries of a context.json. If the power goes before the
// file is out of the way, they are replaced again, not doubled.
func (c *Context) migrateMessages(path string) error {
	data, err := disk.ReadFile(c.store.fs, path, maxLegacy)
	if err != nil {
		return err
	}
	if !strictjson.Valid(data) {
		c.store.report("%s is damaged; its messages are left out, the file is kept", path)
		return nil
	}
	var entries []Entry
	for _, m := range gjson.GetBytes(data, "messages").Array() {
		text := m.Get("content").String()
		switch m.Get("role").String() {
		case roleUser:
			entries = append(entries, UserMessage("user", c.name, text))
		case roleAssistant:
			entries = append(entries, AssistantMessage(c.name, text))
		}
	}
	records, err := encode([]Entry{contextCreated(c.name, entries)})
	if err != nil {
		return err
	}
	if err := c.appendTo(c.transcript(), records); err != nil {
		return err
	}
	if summary := gjson.GetBytes(data, "summary").String(); summary != "" {
		if err := c.setText("summary.md", summary); err != nil {
			return err
		}
	}
	_, err = c.rebuild()
	return err
}

func (c *Context) isThere(path string) bool {
	_, err := c.store.fs.Stat(path)
	return !errors.Is(err, fs.ErrNotExist)
}
