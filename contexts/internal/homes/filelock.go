package homes

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"time"

	"github.com/chibi-host/chibi/contexts/internal/parts"
	"github.com/chibi-host/chibi/internal/disk"
	"github.com/chibi-host/chibi/internal/strictjson"
)

// lockPatience is how long parts.ShortPatience lasts.
const lockPatience = 200 * time.Millisecond

// fileLocks are the kernel locks of a home's contexts.
type fileLocks struct{ *fileHome }

// lock takes the kernel lock of a context, which is never lost.
func (c *fileContext) lock(ctx context.Context, p parts.Patience) (unlock func(), lost <-chan struct{}, err error) {
	f, dir := c.home, c.directory()
	path := filepath.Join(dir, ".lock")
	if err := disk.MkdirAll(f.fs, dir, 0o700); err != nil {
		return nil, nil, fmt.Errorf("making context %q: %w", c.Name, err)
	}
	unlock, err = f.lockIn(dir, ".lock", func(path string) (func(), error) {
		switch p {
		case parts.NoPatience:
			return disk.TryLock(path)
		case parts.ShortPatience:
			return disk.LockWithin(path, lockPatience)
		}
		return disk.WaitLock(ctx, path)
	})
	if errors.Is(err, disk.ErrLocked) {
		return nil, nil, &parts.LockedError{Context: c.Name, Holder: readHolder(path)}
	}
	if err != nil {
		return nil, nil, fmt.Errorf("locking context %q: %w", c.Name, err)
	}
	f.removeStale(dir, filepath.Join(dir, "transcript"))
	data, _ := json.Marshal(parts.ThisProcess(f.settings.Now()))
	if err := disk.Overwrite(path, append(data, '\n')); err != nil {
		unlock()
		return nil, nil, fmt.Errorf("locking context %q: %w", c.Name, err)
	}
	return unlock, nil, nil
}

// lockIn takes a lock in a directory of a context, which is made if it is missing.
// Between the two, another process may rename or remove the context; then it is
// made again.
func (f *fileHome) lockIn(dir, name string, take func(string) (func(), error)) (unlock func(), err error) {
	for range 100 {
		if err = disk.MkdirAll(f.fs, dir, 0o700); err != nil {
			return nil, err
		}
		unlock, err = take(filepath.Join(dir, name))
		if !errors.Is(err, fs.ErrNotExist) {
			break
		}
	}
	return unlock, err
}

// waitLock returns a function that takes a lock that others hold only for an
// instant, for a reader whose context may end.
func waitLock(ctx context.Context) func(path string) (func(), error) {
	return func(path string) (func(), error) {
		unlock, err := disk.TryLock(path)
		if errors.Is(err, disk.ErrLocked) {
			return disk.WaitLock(ctx, path)
		}
		return unlock, err
	}
}

// maxHolder bounds the content of a lock file, and of .tidied, in bytes.
const maxHolder = 4 << 10

// readHolder reads from a lock file who holds the lock.
func readHolder(path string) (h parts.Holder) {
	data, err := disk.ReadFile(disk.OS{}, path, maxHolder)
	if err != nil || strictjson.Decode(data, &h) != nil {
		return parts.Holder{}
	}
	return h
}

// isLocked reports whether a process uses a context. It creates no file.
func (f *fileHome) isLocked(name string) bool {
	return disk.IsLocked(filepath.Join(f.directory(name), ".lock"))
}

// Holder returns the process that uses a context, if one does.
func (f fileLocks) Holder(_ context.Context, name string) (h parts.Holder, inUse bool) {
	if !f.isLocked(name) {
		return h, false
	}
	return readHolder(filepath.Join(f.directory(name), ".lock")), true
}

// End cannot end a kernel lock, which ends with the process that has it.
func (f fileLocks) End(ctx context.Context, name string) error {
	if h, inUse := f.Holder(ctx, name); inUse {
		return fmt.Errorf("its lock ends with %s; end that process", h)
	}
	return nil
}
