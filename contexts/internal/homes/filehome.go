// Package homes keeps contexts where they survive: in a home's directory in the format of the
// original chibi ([Files]), or in a store that many machines share ([Shared]), with a directory
// for what is this machine's. Both are one package: a shared home also has files, which scripts
// know, and a state.json.
//
// What it promises, docs/STORAGE.md says: what a write returned from survives a crash; the
// transcript is the truth, and everything that is derived from it is made again when in doubt.
package homes

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"
	"time"

	"github.com/chibi-host/chibi/contexts/internal/parts"
	"github.com/chibi-host/chibi/contexts/internal/registry"
	"github.com/chibi-host/chibi/internal/disk"
	"github.com/chibi-host/chibi/internal/jsonl"
	"github.com/google/uuid"
)

// fileHome is a home's directory.
type fileHome struct {
	settings *parts.Settings
	home     string
	fs       disk.FS
}

func (f *fileHome) directory(name string) string { return Layout{f.home}.Directory(name) }

// hasContext reports whether a context has a directory.
func (f *fileHome) hasContext(name string) bool { return disk.Exists(f.fs, f.directory(name)) }

// fileBackend keeps contexts as directories of a home.
type fileBackend struct {
	fileNames
	fileRegistry
	parts.WholeState
	fileLocks
	fileUpkeep
}

// Files keeps contexts in a home's directory, and returns what else is there.
func Files(s *parts.Settings, home string, fs disk.FS) (parts.Backend, Host) {
	f := &fileHome{settings: s, home: home, fs: fs}
	whole := parts.WholeState{Settings: f.settings, Update: fileRegistry{f}.update}
	return fileBackend{fileNames{f}, fileRegistry{f}, whole, fileLocks{f}, fileUpkeep{f}}, Host{f}
}

func (b fileBackend) Open(r *parts.Ref) parts.Keeper { return openFiles(b.fileNames.fileHome, r) }

// fileNames lists contexts by their directories.
type fileNames struct{ *fileHome }

func (f fileNames) Exists(_ context.Context, name string) bool { return f.hasContext(name) }

// Names lists the directories that can be contexts.
func (f fileNames) Names(context.Context) ([]string, error) {
	entries, err := f.fs.ReadDir(Layout{f.home}.Contexts())
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("listing contexts: %w", err)
	}
	var names []string
	for _, e := range entries {
		if e.IsDir() && registry.ValidName(e.Name()) == nil {
			names = append(names, e.Name())
		}
	}
	return names, nil
}

// ID returns "": a context in files is its directory.
func (f fileNames) ID(context.Context, string) (string, error) { return "", nil }

func (f fileNames) Create(name string) error { return disk.MkdirAll(f.fs, f.directory(name), 0o700) }

// Rename is atomic; a prompt may have made the other directory meanwhile.
func (f fileNames) Rename(from, to string) error {
	if f.hasContext(to) {
		return registry.ErrExists
	}
	err := f.Create(from)
	if err == nil {
		err = disk.MoveNew(f.fs, f.directory(from), f.directory(to))
	}
	if errors.Is(err, fs.ErrExist) {
		return registry.ErrExists
	}
	return err
}

// deleted is the prefix of the names of directories that are being removed. No
// context's name can have it.
const deleted = ".deleted-"

// Remove renames the directory of a context. That needs no disk space and is
// atomic.
func (f fileNames) Remove(name string) error {
	away := filepath.Join(Layout{f.home}.Contexts(), deleted+name+"-"+uuid.NewString())
	err := disk.Move(f.fs, f.directory(name), away)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

// Free removes the directories of removed contexts.
func (f fileNames) Free() error {
	paths, err := f.trash()
	for _, path := range paths {
		err = errors.Join(err, f.fs.RemoveAll(path))
	}
	return err
}

// trash lists the directories of removed contexts.
func (f *fileHome) trash() (paths []string, err error) {
	dir := Layout{f.home}.Contexts()
	entries, err := f.fs.ReadDir(dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	for _, e := range entries {
		if strings.HasPrefix(e.Name(), deleted) {
			paths = append(paths, filepath.Join(dir, e.Name()))
		}
	}
	return paths, nil
}

// LastUse returns when the conversation or the inbox of a context was last written.
func (f fileNames) LastUse(name string) (last time.Time) {
	for _, file := range []string{"context.jsonl", "transcript/active.jsonl", "inbox.jsonl"} {
		if info, err := f.fs.Stat(filepath.Join(f.directory(name), file)); err == nil && info.ModTime().After(last) {
			last = info.ModTime()
		}
	}
	return last
}

// removeStale removes temporary files of crashed processes.
func (f *fileHome) removeStale(dirs ...string) {
	for _, dir := range dirs {
		disk.RemoveStale(f.fs, dir, f.settings.Now())
	}
}

// appendTo appends records, and reports a line that a crash has torn.
func (f *fileHome) appendTo(path string, records [][]byte) error {
	cut, err := jsonl.Append(f.fs, path, records...)
	f.reportCut(path, cut)
	return err
}

// reportCut reports that the torn end of a file was removed, if it had one.
func (f *fileHome) reportCut(path string, cut int64) {
	if cut > 0 {
		parts.Report(f.settings, "%s: the last line was torn by a crash; its %d bytes were never acknowledged and are removed",
			path, cut)
	}
}
