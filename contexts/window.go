package contexts

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/chibi-host/chibi/internal/disk"
	"github.com/chibi-host/chibi/internal/jsonl"
)

// Window is the part of the conversation that the model is sent. If the file
// that holds it is missing or behind, it is made anew from the transcript. The
// cost depends on the length of the window, not of the transcript.
func (c *Context) Window() ([]Entry, error) {
	if _, err := c.store.fs.Stat(filepath.Dir(c.transcript())); errors.Is(err, fs.ErrNotExist) {
		return c.readWindow() // a home of the original's first days, or nothing yet
	}
	var entries []Entry
	err := c.locked(func() (err error) {
		entries, err = c.window()
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("reading context %q: %w", c.name, err)
	}
	return entries, nil
}

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

// isBehind compares the ends of the window and the transcript.
func (c *Context) isBehind() (bool, error) {
	if _, err := c.store.fs.Stat(c.dirtyFile()); err == nil {
		return true, nil
	}
	inTranscript, err := c.lastID(c.transcript())
	if err != nil || inTranscript == "" {
		return false, err
	}
	inWindow, err := c.lastID(c.windowFile())
	return inWindow != inTranscript, err
}

// lastID is the id of a file's last entry that belongs in a window.
func (c *Context) lastID(path string) (id string, err error) {
	err = jsonl.Backward(c.store.fs, path, func(record []byte) bool {
		var e Entry
		if json.Unmarshal(record, &e) != nil || e.Type == TypeSystemPrompt {
			return true
		}
		id = e.ID
		if kept := e.replacement(); len(kept) > 0 {
			id = kept[len(kept)-1].ID
		}
		return false
	})
	return id, err
}

// readWindow reads the window's file.
func (c *Context) readWindow() ([]Entry, error) {
	var entries []Entry
	path := c.windowFile()
	torn, err := jsonl.Forward(c.store.fs, path, func(line int, record []byte) {
		var e Entry
		if err := json.Unmarshal(record, &e); err != nil {
			c.store.report("%s:%d: not an entry, left out of the conversation: %v", path, line, err)
			return
		}
		entries = append(entries, e)
	})
	if torn > 0 {
		c.store.report("%s: the last line is torn, its %d bytes are left out", path, torn)
	}
	return entries, err
}

// rebuild makes the window anew: everything in the transcript since its last
// anchor.
func (c *Context) rebuild() ([]Entry, error) {
	files, err := c.partitions()
	if err != nil {
		return nil, err
	}
	var entries []Entry
	anchored := false
	for _, path := range slices.Backward(files) {
		err := jsonl.Backward(c.store.fs, path, func(record []byte) bool {
			var e Entry
			if err := json.Unmarshal(record, &e); err != nil {
				c.store.report("%s: a line is not an entry, left out of the conversation: %v", path, err)
				return true
			}
			if e.Type != TypeSystemPrompt {
				for _, kept := range slices.Backward(e.replacement()) {
					entries = append(entries, kept)
				}
				entries = append(entries, e.bare())
			}
			anchored = e.isAnchor()
			return !anchored
		})
		if err != nil || anchored {
			break
		}
	}
	slices.Reverse(entries)
	return entries, c.writeWindow(entries)
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

// partitions lists the transcript's files from the oldest to the active one.
func (c *Context) partitions() ([]string, error) {
	folder := filepath.Dir(c.transcript())
	var manifest struct {
		Partitions []struct {
			File string `json:"file"`
		} `json:"partitions"`
	}
	path := filepath.Join(folder, "manifest.json")
	data, err := os.ReadFile(path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	if err == nil {
		if err := json.Unmarshal(data, &manifest); err != nil {
			return nil, fmt.Errorf("%s is not a manifest: %w", path, err)
		}
	}
	var files []string
	for _, p := range manifest.Partitions {
		if filepath.IsLocal(p.File) {
			files = append(files, filepath.Join(folder, p.File))
		}
	}
	return append(files, c.transcript()), nil
}
