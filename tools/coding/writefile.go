package coding

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/chibi-host/chibi/internal/disk"
	"github.com/chibi-host/chibi/tools"
)

func writeFile(c Config) tools.Tool {
	return tool{
		spec: tools.Spec{
			Name: "write_file", Kind: tools.Coding, Category: tools.CategoryWrite, Subject: "path",
			Description: "Write a file: a new one, or new content for an existing one. Missing directories are made. Use " +
				"file_edit to change a part of a file.",
			Parameters: object([]string{"path", "content"},
				property("path", "string", "the path of the file; a relative one starts at the project root"),
				property("content", "string", "the whole content")),
		},
		plan: c.planWrite,
	}
}

// planWrite opens the directory of the file, and looks at the file that is there.
func (c Config) planWrite(_ context.Context, call tools.Call) (tools.Plan, error) {
	var args struct {
		Path    string  `json:"path"`
		Content *string `json:"content"`
	}
	if err := call.Decode(&args); err != nil {
		return nil, err
	}
	p, err := c.place(args.Path)
	switch {
	case err != nil:
		return nil, err
	case args.Content == nil:
		return nil, errors.New("content is missing; it may be empty")
	case os.IsPathSeparator(args.Path[len(args.Path)-1]):
		return nil, fmt.Errorf("path %q names a directory; write_file writes files", args.Path)
	}
	access := p.access()
	access.Content = args.Content
	t, err := p.target()
	if err != nil {
		return &plan{access: access, failure: err}, nil
	}
	access.Exists = t.was != nil
	if before, ok := c.present(t); ok {
		access.Diff = unified(p.path, before, []byte(*args.Content))
	}
	run := func(context.Context) (string, error) {
		if err := t.write([]byte(*args.Content)); err != nil {
			return "", err
		}
		c.Reads.remember(call.Context, p.real, sha256.Sum256([]byte(*args.Content)))
		return written(args.Path, len(*args.Content), t.was != nil), nil
	}
	return &plan{access: access, run: run, close: t.dir.Close}, nil
}

func written(path string, bytes int, existed bool) string {
	what := "new file"
	if existed {
		what = "replaced"
	}
	return fmt.Sprintf("File written successfully: %s (%d bytes, %s)", path, bytes, what)
}

type target struct {
	place place
	// dir is the nearest directory that exists; missing are the names of those below it.
	dir     *disk.Dir
	missing []string
	// was is the file that is there; nil: there is none.
	was fs.FileInfo
}

// target opens the directory of a file that is about to be written, or the nearest one that
// exists.
func (p place) target() (*target, error) {
	if err := p.refuseProcesses(); err != nil {
		return nil, err
	}
	path, name := p.parent()
	t := &target{place: p}
	for {
		var err error
		t.dir, err = disk.OpenDir(path)
		if err == nil {
			break
		}
		parent := filepath.Dir(path)
		if !errors.Is(err, fs.ErrNotExist) || parent == path {
			return nil, p.explain("write", err)
		}
		t.missing = append([]string{filepath.Base(path)}, t.missing...)
		path = parent
	}
	if len(t.missing) > 0 {
		return t, nil
	}
	was, err := t.dir.Stat(name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return t, nil
	case err == nil && was.Mode().IsRegular():
		t.was = was
		return t, nil
	case err == nil && was.IsDir():
		err = errors.New("it is a directory")
	case err == nil:
		_, err = t.dir.OpenRegular(name) // which it is not
	}
	t.dir.Close()
	return nil, p.explain("write", err)
}

// present returns the content that would be replaced, for a diff; false if it is too much,
// or must not be read.
func (c Config) present(t *target) ([]byte, bool) {
	if t.was == nil {
		return nil, true
	}
	if !c.mayRead(t.place.real) {
		return nil, false
	}
	f, err := c.openIn(t.dir, t.was.Name(), t.place)
	if err != nil {
		return nil, false
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, maxDiffed+1))
	return data, err == nil && len(data) <= maxDiffed
}

// write writes the file, and makes the missing directories.
func (t *target) write(content []byte) error {
	dir := t.dir
	for _, name := range t.missing {
		next, err := dir.Make(name)
		if err != nil {
			return t.place.explain("write", err)
		}
		defer next.Close()
		dir = next
	}
	_, name := t.place.parent()
	if err := dir.Replace(name, t.was, content); err != nil {
		return t.place.explain("write", err)
	}
	return nil
}
