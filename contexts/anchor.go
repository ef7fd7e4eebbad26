package contexts

import (
	"fmt"
	"path/filepath"
	"strings"

	"github.com/chibi-host/chibi/internal/disk"
)

// Archive empties the window and removes the summary. What was said stays in
// the transcript, and its text in transcript.md.
func (c *Context) Archive() error {
	return c.anchor(newAnchor(TypeArchival, c.name, "Context archived/cleared", Metadata{}))
}

// Compact makes the given entries of the window the whole window, and summary
// the summary of what left it. The rest stays in the transcript, and its text
// in transcript.md. The summary must not be empty.
func (c *Context) Compact(summary string, keep []Entry) error {
	if strings.TrimSpace(summary) == "" {
		return fmt.Errorf("compacting context %q: the summary is empty; nothing was changed", c.name)
	}
	return c.anchor(newAnchor(TypeCompaction, c.name, "Context compacted",
		Metadata{Summary: summary, Replacement: keep}))
}

// Replace makes the given entries the whole window. The entries so far stay in
// the transcript, before an anchor, and their text in transcript.md.
func (c *Context) Replace(entries []Entry) error {
	return c.anchor(newAnchor(TypeCompaction, c.name, "Conversation replaced", Metadata{Replacement: entries}))
}

// Supersede is Replace with entries that hold what the summary said: the summary
// goes too, in the same step.
func (c *Context) Supersede(entries []Entry) error {
	return c.anchor(newAnchor(TypeCompaction, c.name, "Conversation replaced",
		Metadata{Replacement: entries, Superseded: true}))
}

// anchor begins a new window. One record holds all that it begins with: a crash
// leaves the old window or the new one.
func (c *Context) anchor(anchor Entry) error {
	err := c.locked(func() error {
		old, err := c.window()
		if err != nil {
			return err
		}
		if err := c.archiveText(leaving(old, anchor.replacement())); err != nil {
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
		c.derived(err)
		c.rotateIfDue(records)
		return nil
	})
	if err != nil {
		return fmt.Errorf("storing in context %q: %w", c.name, err)
	}
	return nil
}

// leaving are the messages of a window that are not kept.
func leaving(window, keep []Entry) []Entry {
	kept := map[string]bool{}
	for _, e := range keep {
		kept[e.ID] = true
	}
	var list []Entry
	for _, e := range messages(window) {
		if !kept[e.ID] {
			list = append(list, e)
		}
	}
	return list
}

// archiveText appends messages to transcript.md, for people and their tools.
func (c *Context) archiveText(list []Entry) error {
	var b strings.Builder
	for _, e := range list {
		fmt.Fprintf(&b, "[%s]: %s\n\n", strings.ToUpper(e.Role()), e.Content)
	}
	if b.Len() == 0 {
		return nil
	}
	return disk.Append(c.store.fs, filepath.Join(c.folder(), "transcript.md"), []byte(b.String()), 0o600)
}
