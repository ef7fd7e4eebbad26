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
func (c *fileContext) migrate() error {
	old := c.legacyTranscript()
	if c.hasFile(old) && !c.hasFile(c.transcript()) {
		if err := disk.Move(c.home.fs, old, c.transcript()); err != nil {
			return err
		}
	}
	legacy := c.legacyFile()
	if !c.hasFile(legacy) {
		return nil
	}
	if !c.hasFile(c.windowFile()) {
		if err := c.migrateMessages(legacy); err != nil {
			return err
		}
	}
	return disk.Move(c.home.fs, legacy, legacy+".migrated")
}

func (c *fileContext) legacyTranscript() string { return filepath.Join(c.folder(), "transcript.jsonl") }
func (c *fileContext) legacyFile() string       { return filepath.Join(c.folder(), "context.json") }

// migrateMessages makes entries of a context.json. If the power goes before the
// file is out of the way, they are replaced again, not doubled.
func (c *fileContext) migrateMessages(path string) error {
	data, err := disk.ReadFile(c.home.fs, path, maxLegacy)
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
		if err := c.replaceText(textSummary, summary); err != nil {
			return err
		}
	}
	_, err = c.rebuild()
	return err
}

// hasFile reports whether there is such a file, or that cannot be found out.
func (c *fileContext) hasFile(path string) bool {
	_, err := c.home.fs.Stat(path)
	return !errors.Is(err, fs.ErrNotExist)
}
