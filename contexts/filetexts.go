package contexts

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"

	"github.com/chibi-host/chibi/internal/disk"
)

// text reads a text of the context, "" if it is missing.
func (c *fileContext) text(_ context.Context, name string) (string, error) {
	return c.home.read(filepath.Join(c.folder(), name))
}

// setText is replaceText with the context's folder made.
func (c *fileContext) setText(name, text string) error {
	if err := disk.MkdirAll(c.home.fs, c.folder(), 0o700); err != nil {
		return err
	}
	return c.replaceText(name, text)
}

// replaceText replaces a text of the context; an empty one is removed.
func (c *fileContext) replaceText(name, text string) error {
	path := filepath.Join(c.folder(), name)
	if err := checkText(text); err != nil {
		return err
	}
	if text == "" {
		return disk.Remove(c.home.fs, path)
	}
	return disk.Replace(c.home.fs, path, []byte(text), 0o600)
}

// prompt reads prompts/NAME.md of the home, "" if it is missing.
func (c *fileContext) prompt(_ context.Context, name string) (string, error) {
	return c.home.read(c.home.promptFile(name))
}

func (c *fileContext) setPrompt(name, text string) error {
	path := c.home.promptFile(name)
	if err := disk.MkdirAll(c.home.fs, filepath.Dir(path), 0o700); err != nil {
		return err
	}
	return disk.Replace(c.home.fs, path, []byte(text), 0o600)
}

func (f *fileHome) promptFile(name string) string {
	return filepath.Join(f.home, "prompts", name+".md")
}

// read reads a text, "" if it is missing.
func (f *fileHome) read(path string) (string, error) {
	data, err := disk.ReadFile(f.fs, path, MaxText)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return "", fmt.Errorf("reading %s: %w", path, err)
	}
	return string(data), nil
}
