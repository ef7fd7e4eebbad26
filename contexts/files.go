package contexts

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/chibi-host/chibi/internal/disk"
)

// Files is a home on this machine's disk, in the format of the original chibi: its
// contexts, and operations that only a home made of files has.
type Files struct {
	*Store
	home *fileHome
}

// Open opens a home directory, which need not exist. It writes nothing.
func Open(home string) (*Files, error) {
	info, err := os.Stat(home)
	if err == nil && !info.IsDir() {
		return nil, fmt.Errorf("home %s is a file; a directory is needed there", home)
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("opening home: %w", err)
	}
	return newFiles(home, disk.OS{}, time.Now), nil
}

func newFiles(home string, fsys disk.FS, now func() time.Time) *Files {
	f := &fileHome{home: home, fs: fsys}
	f.store = &Store{backend: newFileBackend(f), now: now}
	return &Files{Store: f.store, home: f}
}

// Layout returns the names of the directories and files of the home.
func (f *Files) Layout() Layout { return Layout{Home: f.home.home} }

// Log appends a record to a file of a context that people read to find out what
// happened, such as requests.jsonl.
func (f *Files) Log(name, file string, record any) error {
	dir := f.home.directory(name)
	data, err := json.Marshal(record)
	if err == nil {
		err = disk.MkdirAll(f.home.fs, dir, 0o700)
	}
	if err == nil {
		err = f.home.appendTo(filepath.Join(dir, file), [][]byte{data})
	}
	if err != nil {
		return fmt.Errorf("writing %s of context %q: %w", file, name, err)
	}
	return nil
}

// Trash lists the directories of deleted contexts that have not been removed yet.
func (f *Files) Trash() (paths []string, err error) { return f.home.trash() }

// EmptyTrash removes what Trash lists.
func (f *Files) EmptyTrash() error { return fileNames{f.home}.free() }

// Tidy removes temporary files that are a day old: leftovers of interrupted runs. It reads
// only the home's own directories and those of the named contexts.
func (f *Files) Tidy(names ...string) {
	f.home.removeStale(f.home.ownDirectories()...)
	for _, name := range names {
		f.home.removeStale(f.home.directoriesOf(name)...)
	}
}

// Register brings state.json up to date with the existing contexts: runs with -C and other
// programs leave contexts that it does not list.
func (f *Files) Register() error { return f.backend.update(func(*stateFile) {}) }

// Temps lists temporary files in the home and in all contexts: leftovers of
// interrupted runs, or files that are being written.
func (f *Files) Temps(ctx context.Context) (paths []string, err error) {
	names, err := f.Names(ctx)
	dirs := f.home.ownDirectories()
	for _, name := range names {
		dirs = append(dirs, f.home.directoriesOf(name)...)
	}
	for _, dir := range dirs {
		paths = append(paths, disk.Temps(f.home.fs, dir, f.now().Add(time.Second))...)
	}
	return paths, err
}

func (f *fileHome) ownDirectories() []string {
	return []string{f.home, filepath.Join(f.home, "prompts"), filepath.Join(f.home, "plugins")}
}

func (f *fileHome) directoriesOf(name string) []string {
	dir := f.directory(name)
	return []string{dir, filepath.Join(dir, "transcript"), filepath.Join(dir, "tool_cache")}
}

// Daily reports whether a day has passed since it last returned true. It limits
// work that reads every context.
func (f *Files) Daily() (bool, error) {
	path := filepath.Join(f.home.home, ".tidied")
	now := f.now()
	if data, err := disk.ReadFile(f.home.fs, path, maxHolder); err == nil {
		last, err := strconv.ParseInt(strings.TrimSpace(string(data)), 10, 64)
		if age := now.Sub(time.Unix(last, 0)); err == nil && age >= 0 && age < 24*time.Hour {
			return false, nil
		}
	}
	if !disk.Exists(f.home.fs, f.home.home) {
		return false, nil
	}
	err := disk.Replace(f.home.fs, path, []byte(fmt.Sprintln(now.Unix())), 0o600)
	return err == nil, err
}
