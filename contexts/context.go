package contexts

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/chibi-host/chibi/internal/disk"
	"github.com/chibi-host/chibi/internal/jsonl"
)

// Context is one conversation.
type Context struct {
	store *Store
	name  string
}

// Name is the context's name.
func (c *Context) Name() string { return c.name }

// Append adds entries to the conversation. When it returns without an error,
// they survive a crash of the machine.
func (c *Context) Append(entries ...Entry) error {
	if err := c.append(entries); err != nil {
		return fmt.Errorf("storing in context %q: %w", c.name, err)
	}
	return nil
}

func (c *Context) append(entries []Entry) error {
	records, err := encode(entries)
	if err != nil {
		return err
	}
	if err := disk.MakeFolder(c.store.fs, filepath.Dir(c.transcript()), 0o700); err != nil {
		return err
	}
	return c.locked(func() error {
		if _, err := c.window(); err != nil { // brings a window that is behind up to date
			return err
		}
		if err := c.appendTo(c.transcript(), records); err != nil {
			return err
		}
		return c.appendTo(c.windowFile(), records)
	})
}

// Replace makes the given entries the whole window. The entries so far stay in
// the transcript, before an anchor.
func (c *Context) Replace(entries []Entry) error {
	anchor := newEntry(TypeCompaction, c.name, "user", "Conversation replaced", Metadata{Replacement: entries})
	records, err := encode([]Entry{anchor})
	if err == nil {
		err = c.locked(func() error {
			if err := c.appendTo(c.transcript(), records); err != nil {
				return err
			}
			_, err := c.rebuild()
			return err
		})
	}
	if err != nil {
		return fmt.Errorf("replacing the conversation of context %q: %w", c.name, err)
	}
	return nil
}

// MessageCount counts the messages in the window.
func (c *Context) MessageCount() (int, error) {
	entries, err := c.Window()
	count := 0
	for _, e := range entries {
		if e.Type == TypeMessage {
			count++
		}
	}
	return count, err
}

// SystemPrompt is the context's own system prompt, or the home's, or "".
func (c *Context) SystemPrompt() (string, error) {
	text, err := c.text(filepath.Join(c.folder(), "system_prompt.md"))
	if err != nil || text != "" {
		return text, err
	}
	return c.text(filepath.Join(c.store.home, "prompts", "chibi.md"))
}

// Summary is the summary of earlier conversation, "" if there is none.
func (c *Context) Summary() (string, error) { return c.text(filepath.Join(c.folder(), "summary.md")) }

// Todos is the list of todos, "" if there is none.
func (c *Context) Todos() (string, error) { return c.text(filepath.Join(c.folder(), "todos.md")) }

// Goals is the list of goals, "" if there is none.
func (c *Context) Goals() (string, error) { return c.text(filepath.Join(c.folder(), "goals.md")) }

// Reflection is what the model noted about itself, for all contexts of the home.
func (c *Context) Reflection() (string, error) {
	return c.text(filepath.Join(c.store.home, "prompts", "reflection.md"))
}

// text reads a file of the context, "" if it is missing.
func (c *Context) text(path string) (string, error) {
	data, err := os.ReadFile(path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return "", fmt.Errorf("reading context %q: %w", c.name, err)
	}
	return string(data), nil
}

func (c *Context) folder() string     { return c.store.folder(c.name) }
func (c *Context) windowFile() string { return filepath.Join(c.folder(), "context.jsonl") }
func (c *Context) dirtyFile() string  { return filepath.Join(c.folder(), ".dirty") }
func (c *Context) transcript() string {
	return filepath.Join(c.folder(), "transcript", "active.jsonl")
}

// locked runs a step while no other process writes the transcript.
func (c *Context) locked(step func() error) error {
	unlock, err := disk.Lock(filepath.Join(filepath.Dir(c.transcript()), ".transcript.lock"))
	if err != nil {
		return err
	}
	defer unlock()
	return step()
}

// appendTo appends records and reports what a crash had torn.
func (c *Context) appendTo(path string, records [][]byte) error {
	cut, err := jsonl.Append(c.store.fs, path, records...)
	if cut > 0 {
		c.store.report("%s: the last line was torn by a crash; its %d bytes were never acknowledged and are removed", path, cut)
	}
	return err
}

func encode(entries []Entry) ([][]byte, error) {
	var records [][]byte
	for _, e := range entries {
		record, err := json.Marshal(e)
		if err != nil {
			return nil, err
		}
		records = append(records, record)
	}
	return records, nil
}
