// Package instructions finds the files in which people tell agents how to work: AGENTS.md,
// or CLAUDE.md where a place has none.
//
// It promises that a file of a project is read only as the caller's [Place.Check] allows,
// and that what is read is bounded. It writes nothing.
package instructions

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/chibi-host/chibi/internal/disk"
	"github.com/dustin/go-humanize"
)

const (
	// MaxFile bounds a file, in bytes.
	MaxFile = 64 << 10
	// MaxAll bounds all files together, in bytes.
	MaxAll = 256 << 10
)

// Place is a directory that may have instructions.
type Place struct {
	// Dir is the directory.
	Dir string
	// Check returns why a text, which was read from a file of this path and mode, must not
	// be used. A nil Check means that the file is the person's own.
	Check func(path string, text []byte, mode fs.FileMode) error
}

// File is a file with instructions.
type File struct{ Path, Text string }

// Problem is a file that is not used.
type Problem struct {
	Path string
	Err  error
}

// Read reads the instructions of places, in their order. A place that is named twice counts
// once.
func Read(places []Place) (files []File, problems []Problem) {
	seen, left := map[string]bool{}, MaxAll
	for _, p := range places {
		path, found := Find(p.Dir)
		if !found || seen[path] {
			continue
		}
		seen[path] = true
		text, err := p.read(path)
		if err == nil && len(text) > left {
			err = fmt.Errorf("all instructions together are larger than %s", humanize.IBytes(MaxAll))
		}
		if err != nil {
			problems = append(problems, Problem{path, err})
			continue
		}
		left -= len(text)
		files = append(files, File{path, strings.ToValidUTF8(string(text), "\uFFFD")})
	}
	return files, problems
}

// Find returns the file of a directory, whether it can be read or not.
func Find(dir string) (path string, found bool) {
	for _, name := range []string{"AGENTS.md", "CLAUDE.md"} {
		path := filepath.Join(dir, name)
		if info, err := os.Stat(path); err == nil && !info.IsDir() {
			return path, true
		}
	}
	return "", false
}

// read reads a file, and checks it.
func (p Place) read(path string) ([]byte, error) {
	f, err := disk.OpenRegular(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	text, err := io.ReadAll(io.LimitReader(f, MaxFile+1))
	switch {
	case err != nil:
		return nil, err
	case len(text) > MaxFile:
		return nil, fmt.Errorf("it is larger than %s", humanize.IBytes(MaxFile))
	case strings.ContainsRune(string(text), 0):
		return nil, errors.New("it is not text")
	case p.Check == nil:
		return text, nil
	}
	return text, p.Check(path, text, info.Mode())
}

// Text returns the instructions of files as one text for the model; "" without any.
func Text(files []File) string {
	var parts []string
	for _, f := range files {
		if text := strings.TrimSpace(f.Text); text != "" {
			parts = append(parts, "From "+f.Path+":\n\n"+text)
		}
	}
	return strings.Join(parts, "\n\n")
}
