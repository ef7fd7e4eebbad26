package coding

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"github.com/chibi-host/chibi/internal/disk"
	"github.com/chibi-host/chibi/internal/private"
	"github.com/chibi-host/chibi/permissions"
	"github.com/chibi-host/chibi/tools"
)

// place is where a path leads.
type place struct {
	named string // by the model
	path  string // absolute and cleaned
	real  string // without links, as far as it exists
}

// place finds out where the path of a call leads.
func (c Config) place(named string) (place, error) {
	switch {
	case named == "":
		return place{}, errors.New("path is empty; name a file or directory")
	case strings.ContainsRune(named, 0):
		return place{}, fmt.Errorf("path %q contains a NUL character", named)
	}
	path := named
	if rest, ok := strings.CutPrefix(named, "~"); ok && (rest == "" || os.IsPathSeparator(rest[0])) {
		if c.Home == "" {
			return place{}, fmt.Errorf("path %q begins with ~, and the home directory is not known", named)
		}
		path = filepath.Join(c.Home, rest)
	}
	if !filepath.IsAbs(path) {
		path = filepath.Join(c.Root, path)
	}
	path = filepath.Clean(path)
	return place{named: named, path: path, real: permissions.Real(path)}, nil
}

func (p place) access() tools.Access { return tools.Access{Path: p.path, Real: p.real} }

// parent returns the path of the directory that has the place, and its name there. The top
// of the file system is in itself.
func (p place) parent() (dir, name string) {
	dir, name = filepath.Dir(p.real), filepath.Base(p.real)
	if dir == p.real {
		return dir, "."
	}
	return dir, name
}

// Opened is a file that a path of the model's names.
type Opened struct {
	// Access is what a call that reads the file does.
	Access tools.Access
	// File is the open file, nil if it cannot be read. Err says why not, for a call that was
	// allowed. The caller closes the file.
	File *os.File
	Err  error
}

// Open opens the file of a path, as read_file does, for other tools that read files. An error
// means that the path is invalid.
func Open(c Config, path string) (Opened, error) {
	p, err := c.place(path)
	if err != nil {
		return Opened{}, err
	}
	f, failure := c.open(p)
	return Opened{Access: p.access(), File: f, Err: failure}, nil
}

// open opens a regular file for reading, and refuses what the file tools never read.
func (c Config) open(p place) (*os.File, error) {
	if err := p.refuseProcesses(); err != nil {
		return nil, err
	}
	path, name := p.parent()
	dir, err := disk.OpenDir(path)
	if err != nil {
		return nil, p.explain("read", err)
	}
	defer dir.Close()
	return c.openIn(dir, name, p)
}

// openIn is open in a directory that is open already.
func (c Config) openIn(dir *disk.Dir, name string, p place) (*os.File, error) {
	if info, err := dir.Stat(name); err == nil && info.IsDir() {
		return nil, fmt.Errorf("%s is a directory; dir_list shows what is in it", p.named)
	}
	f, err := dir.OpenRegular(name)
	if err != nil {
		return nil, p.explain("read", err)
	}
	info, err := f.Stat()
	if err == nil && private.Of(c.Private, dir.Path()).Has(p.real, info) {
		err = fmt.Errorf("%s is one of chibi's own files with keys, settings or approvals, which the file tools never "+
			"read", p.named)
	}
	if err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}

// refuseProcesses refuses what describes a running process: its environment and memory can
// have keys, and its files are not where their names say.
func (p place) refuseProcesses() error {
	process, ok := strings.CutPrefix(p.real, "/proc/")
	if ok && process != "" && '0' <= process[0] && process[0] <= '9' {
		return fmt.Errorf("%s is about a running process, whose environment and memory can have keys; the file tools "+
			"never use that", p.named)
	}
	return nil
}

// explain words the error of an attempt to use the place.
func (p place) explain(verb string, err error) error {
	var at *fs.PathError
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("there is no file or directory %s", p.named)
	case errors.Is(err, syscall.ENOTDIR):
		return notDirectory{fmt.Sprintf("cannot %s %s: a part of the path is not a directory", verb, p.named)}
	case errors.Is(err, fs.ErrPermission):
		return fmt.Errorf("cannot %s %s: the system does not permit it", verb, p.named)
	case errors.Is(err, syscall.ENOSPC):
		return fmt.Errorf("cannot %s %s: the disk is full; nothing was changed", verb, p.named)
	case errors.Is(err, disk.ErrReplaced):
		return fmt.Errorf("%s was replaced or changed since this call was examined; nothing was done, look at it and try "+
			"again", p.named)
	case errors.As(err, &at):
		return fmt.Errorf("cannot %s %s: %w", verb, p.named, at.Err)
	}
	return fmt.Errorf("cannot %s %s: %w", verb, p.named, err)
}

type notDirectory struct{ text string }

func (e notDirectory) Error() string { return e.text }

// Is reports whether target is the system's error.
func (notDirectory) Is(target error) bool { return target == syscall.ENOTDIR }
