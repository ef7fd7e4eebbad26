package homes

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"

	"github.com/chibi-host/chibi/contexts/internal/parts"
	"github.com/chibi-host/chibi/internal/disk"
	"github.com/chibi-host/chibi/internal/jsonfile"
)

// fileTexts keeps the texts of a context and of its home.
type fileTexts struct{ *fileContext }

// Text reads a text of the context, "" if it is missing.
func (t fileTexts) Text(_ context.Context, name string) (string, error) {
	return t.home.read(t.path(name))
}

// SetText makes the context's directory and replaces a text.
func (t fileTexts) SetText(name, text string) error {
	if err := disk.MkdirAll(t.home.fs, t.directory(), 0o700); err != nil {
		return err
	}
	return t.replace(name, text)
}

// ChangeText changes a file under its lock. A link stays a link.
func (t fileTexts) ChangeText(name string, change func(old string) (string, error)) error {
	file := jsonfile.File{Path: t.path(name), FS: t.home.fs, Max: parts.MaxText}
	return jsonfile.Rewrite(file, func(old []byte) ([]byte, error) {
		text, err := change(string(old))
		return []byte(text), err
	})
}

// replace replaces a text of the context; an empty one is removed.
func (t fileTexts) replace(name, text string) error {
	path := t.path(name)
	if err := parts.CheckText(text); err != nil {
		return err
	}
	if text == "" {
		return disk.Remove(t.home.fs, path)
	}
	return disk.Replace(t.home.fs, path, []byte(text), 0o600)
}

// Prompt reads prompts/NAME.md of the home, "" if it is missing.
func (t fileTexts) Prompt(_ context.Context, name string) (string, error) {
	return t.home.read(t.home.promptFile(name))
}

func (t fileTexts) SetPrompt(name, text string) error {
	path := t.home.promptFile(name)
	if err := disk.MkdirAll(t.home.fs, filepath.Dir(path), 0o700); err != nil {
		return err
	}
	return disk.Replace(t.home.fs, path, []byte(text), 0o600)
}

func (f *fileHome) promptFile(name string) string {
	return filepath.Join(f.home, "prompts", name+".md")
}

// read reads a text, "" if it is missing.
func (f *fileHome) read(path string) (string, error) {
	data, err := disk.ReadFile(f.fs, path, parts.MaxText)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return "", fmt.Errorf("reading %s: %w", path, err)
	}
	return string(data), nil
}

func (c *fileContext) texts() fileTexts { return fileTexts{c} }
