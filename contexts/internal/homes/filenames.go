package homes

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/chibi-host/chibi/contexts/internal/parts"
	"github.com/chibi-host/chibi/contexts/internal/registry"
	"github.com/chibi-host/chibi/internal/disk"
	"github.com/google/uuid"
)

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

// Create makes the directory, which one process alone can do.
func (f fileNames) Create(_ context.Context, name string) (isNew bool, err error) {
	dir := f.directory(name)
	if err = disk.MkdirAll(f.fs, filepath.Dir(dir), 0o700); err != nil {
		return false, err
	}
	err = f.fs.Mkdir(dir, 0o700)
	if errors.Is(err, fs.ErrExist) {
		return false, nil
	}
	if err == nil {
		err = f.fs.SyncDir(filepath.Dir(dir))
	}
	return err == nil, err
}

// Rename is atomic; a prompt may have made the other directory meanwhile.
func (f fileNames) Rename(from, to string) error {
	if f.hasContext(to) {
		return registry.ErrExists
	}
	_, err := f.Create(context.Background(), from)
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
func (f fileNames) Free() error { return f.free(context.Background()) }

func (f fileNames) free(ctx context.Context) error {
	paths, err := f.trash()
	for _, path := range paths {
		if ctx.Err() != nil {
			return errors.Join(err, ctx.Err())
		}
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
func (f fileNames) LastUse(_ context.Context, name string) (last time.Time) {
	for _, file := range []string{"context.jsonl", "transcript/active.jsonl", "inbox.jsonl"} {
		if info, err := f.fs.Stat(filepath.Join(f.directory(name), file)); err == nil && info.ModTime().After(last) {
			last = info.ModTime()
		}
	}
	return last
}

// fileUpkeep is what is done for a home as a whole.
type fileUpkeep struct{ *fileHome }

// Daily reads and writes .tidied.
func (f fileUpkeep) Daily(ctx context.Context) (isDue bool, after string, err error) {
	last, after := f.lastTidied()
	if !parts.IsDayOld(last, f.settings.Now()) || !disk.Exists(f.fs, f.home) {
		return false, "", nil
	}
	err = f.Tidied(ctx, after)
	return err == nil, after, err
}

// lastTidied reads .tidied: seconds since 1970, and a name if not all was done.
func (f fileUpkeep) lastTidied() (at time.Time, upTo string) {
	data, err := disk.ReadFile(f.fs, filepath.Join(f.home, ".tidied"), maxHolder)
	if err != nil {
		return time.Time{}, ""
	}
	seconds, name, _ := strings.Cut(strings.TrimSpace(string(data)), " ")
	if registry.ValidName(name) == nil {
		upTo = name
	}
	last, err := strconv.ParseInt(seconds, 10, 64)
	if err != nil {
		return time.Time{}, upTo
	}
	return time.Unix(last, 0), upTo
}

// Tidied writes nothing where there is no home.
func (f fileUpkeep) Tidied(_ context.Context, upTo string) error {
	if !disk.Exists(f.fs, f.home) {
		return nil
	}
	text := strings.TrimSpace(fmt.Sprint(f.settings.Now().Unix(), " ", upTo))
	return disk.Replace(f.fs, filepath.Join(f.home, ".tidied"), []byte(text+"\n"), 0o600)
}

// Housekeep frees the space of deleted contexts, and brings state.json up to date: runs
// with -C and other programs leave contexts that it does not list.
func (f fileUpkeep) Housekeep(ctx context.Context) error {
	return errors.Join(fileNames(f).free(ctx), fileRegistry(f).update(func(*registry.File) {}))
}
