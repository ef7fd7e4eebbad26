package contexts

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"

	"github.com/chibi-host/chibi/internal/disk"
)

// SystemPrompt is the context's own system prompt, or the home's, or "".
func (c *Context) SystemPrompt() (string, error) {
	text, err := c.text("system_prompt.md")
	if err != nil || text != "" {
		return text, err
	}
	return c.store.Prompt("chibi")
}

// SetSystemPrompt gives the context a system prompt of its own; "" makes it use
// the home's again.
func (c *Context) SetSystemPrompt(text string) error { return c.set("system_prompt.md", text) }

// Summary is the summary of earlier conversation, "" if there is none.
func (c *Context) Summary() (string, error) { return c.text("summary.md") }

// Todos is the list of todos, "" if there is none.
func (c *Context) Todos() (string, error) { return c.text("todos.md") }

// SetTodos replaces the list of todos.
func (c *Context) SetTodos(text string) error { return c.setNote("todos.md", text) }

// Goals is the list of goals, "" if there is none.
func (c *Context) Goals() (string, error) { return c.text("goals.md") }

// SetGoals replaces the list of goals.
func (c *Context) SetGoals(text string) error { return c.setNote("goals.md", text) }

// Reflection is what the model noted about itself, for all contexts of the home.
func (c *Context) Reflection() (string, error) { return c.store.Prompt("reflection") }

// SetReflection replaces what the model noted about itself.
func (c *Context) SetReflection(text string) error {
	if err := c.store.checkNote(text); err != nil {
		return fmt.Errorf("writing prompts/reflection.md: %w", err)
	}
	return c.store.setPrompt("reflection", text)
}

// Prompt is the text of prompts/NAME.md in the home, "" if there is none.
func (s *Store) Prompt(name string) (string, error) { return s.read(s.promptFile(name)) }

func (s *Store) promptFile(name string) string { return filepath.Join(s.home, "prompts", name+".md") }

func (s *Store) setPrompt(name, text string) error {
	path := s.promptFile(name)
	err := checkText(text)
	if err == nil {
		err = disk.MkdirAll(s.fs, filepath.Dir(path), 0o700)
	}
	if err == nil {
		err = disk.Replace(s.fs, path, []byte(text), 0o600)
	}
	if err != nil {
		return fmt.Errorf("writing prompts/%s.md: %w", name, err)
	}
	return nil
}

// read reads a text, "" if it is missing.
func (s *Store) read(path string) (string, error) {
	data, err := disk.ReadFile(s.fs, path, MaxText)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return "", fmt.Errorf("reading %s: %w", path, err)
	}
	return string(data), nil
}

func (c *Context) text(name string) (string, error) {
	return c.store.read(filepath.Join(c.folder(), name))
}

// setNote is set for what the model writes.
func (c *Context) setNote(name, text string) error {
	if err := c.store.checkNote(text); err != nil {
		return fmt.Errorf("writing %s of context %q: %w", name, c.name, err)
	}
	return c.set(name, text)
}

// set is setText with the context's folder made and named in the error.
func (c *Context) set(name, text string) error {
	err := disk.MkdirAll(c.store.fs, c.folder(), 0o700)
	if err == nil {
		err = c.setText(name, text)
	}
	if err != nil {
		return fmt.Errorf("writing %s of context %q: %w", name, c.name, err)
	}
	return nil
}

// setText replaces a text of the context; an empty one is removed.
func (c *Context) setText(name, text string) error {
	path := filepath.Join(c.folder(), name)
	if err := checkText(text); err != nil {
		return err
	}
	if text == "" {
		return disk.Remove(c.store.fs, path)
	}
	return disk.Replace(c.store.fs, path, []byte(text), 0o600)
}

// CacheFolder is where large tool outputs of the context are kept; see package
// cache. It may be missing.
func (c *Context) CacheFolder() string { return filepath.Join(c.folder(), "tool_cache") }

// LocalConfig is the context's configuration file, which may be missing.
func (c *Context) LocalConfig() string { return filepath.Join(c.folder(), "local.toml") }
