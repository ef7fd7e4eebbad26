package trust

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/chibi-host/chibi/internal/disk"
	"github.com/chibi-host/chibi/internal/term"
)

// The bounds of what one approval pins in a directory, and of the text that is kept for
// showing it to a person.
const (
	maxFiles = 4096
	maxBytes = 256 << 20
	maxText  = 1 << 20

	// Those of a directory that a command loads.
	maxCodeFiles = 1000
	maxCodeBytes = 64 << 20
	maxTexts     = 16 << 20

	firstLine = 512
)

// Seen is a file as it was read.
type Seen struct {
	File
	// Text is the beginning of its content: at most 1 MiB, less for many large files.
	Text []byte

	info fs.FileInfo // of the opened file; nil for a dangling link
}

// Read reads a file of a project as it is now. A link counts as what it leads to.
func Read(project, path string) (Seen, error) {
	full := filepath.Join(project, path)
	seen := Seen{File: File{Path: path}}
	target, err := os.Readlink(full)
	if err == nil {
		seen.Link = target
	}
	f, err := disk.OpenRegular(full)
	if errors.Is(err, fs.ErrNotExist) && seen.Link != "" {
		return seen, nil
	}
	if err != nil {
		return Seen{}, err
	}
	defer f.Close()
	if seen.info, err = f.Stat(); err != nil {
		return Seen{}, err
	}
	sum, keep := sha256.New(), &beginning{}
	if _, err := io.Copy(io.MultiWriter(sum, keep), io.LimitReader(f, maxBytes+1)); err != nil {
		return Seen{}, err
	}
	seen.SHA256, seen.Mode, seen.Text = hex.EncodeToString(sum.Sum(nil)), seen.info.Mode().String(), keep.text
	return seen, nil
}

// beginning is a writer that keeps the beginning.
type beginning struct{ text []byte }

// Write never fails.
func (b *beginning) Write(p []byte) (int, error) {
	b.text = append(b.text, p[:min(len(p), maxText-len(b.text))]...)
	return len(p), nil
}

// Tree reads all files of a directory of a project, and of the directories below
// it, by path. A missing directory has none. The error names what cannot be pinned or what
// others may change.
func Tree(project, dir string) ([]Seen, error) {
	t := tree{project: project}
	err := t.read(dir)
	return t.files, err
}

type tree struct {
	project string
	isCode  bool // what is compiled from other files, and the repository, are left out
	files   []Seen
	size    int64
	texts   int
	// changed is when names in the directories last changed.
	changed time.Time
}

func (t *tree) read(dir string) error {
	for above := filepath.Dir(dir); above != "."; above = filepath.Dir(above) {
		if info, err := os.Stat(filepath.Join(t.project, above)); err == nil {
			t.note(info)
		}
	}
	err := t.directory(dir)
	if errors.Is(err, fs.ErrNotExist) && len(t.files) == 0 {
		return nil
	}
	return err
}

// note records when a directory last changed.
func (t *tree) note(info fs.FileInfo) {
	if at := disk.ChangedAt(info); at.After(t.changed) {
		t.changed = at
	}
}

func (t *tree) directory(dir string) error {
	info, err := os.Stat(filepath.Join(t.project, dir))
	if err != nil {
		return err
	}
	if err := openToOthers(dir, info); err != nil {
		return err
	}
	t.note(info)
	entries, err := os.ReadDir(filepath.Join(t.project, dir))
	if err != nil {
		return err
	}
	for _, e := range entries {
		path := filepath.Join(dir, e.Name())
		if t.isCode && (e.Name() == "__pycache__" || e.Name() == ".git") {
			continue
		}
		if e.IsDir() {
			err = t.directory(path)
		} else {
			err = t.file(path)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func (t *tree) file(path string) error {
	if info, err := os.Stat(filepath.Join(t.project, path)); err == nil && info.IsDir() {
		return fmt.Errorf("%s is a link to a directory, which cannot be pinned; put the directory there instead",
			term.Name(path))
	}
	seen, err := Read(t.project, path)
	if err != nil {
		return err
	}
	if seen.info != nil {
		if err := openToOthers(path, seen.info); err != nil {
			return err
		}
		t.size += seen.info.Size()
	}
	if t.texts += len(seen.Text); t.texts > maxTexts {
		seen.Text = bytes.Clone(seen.Text[:min(len(seen.Text), firstLine)])
	}
	t.files = append(t.files, seen)
	files, size := maxFiles, int64(maxBytes)
	if t.isCode {
		files, size = maxCodeFiles, maxCodeBytes
	}
	if len(t.files) > files || t.size > size {
		return fmt.Errorf("there are more than %d files or %d MiB to pin; move what is not code elsewhere", files, size>>20)
	}
	return nil
}
