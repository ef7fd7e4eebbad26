package contexts

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/chibi-host/chibi/internal/disk"
	"github.com/chibi-host/chibi/internal/strictjson"
)

// LockedError says that another process uses a context.
type LockedError struct {
	Context string
	// Holder is who uses it, as far as is known.
	Holder Holder
}

// Holder is a process that uses a context.
type Holder struct {
	PID   int       `json:"pid"`
	Host  string    `json:"host"`
	Since time.Time `json:"since"`
}

// Error says who uses the context and what to do.
func (e *LockedError) Error() string {
	return fmt.Sprintf("context %q is in use by %s; wait for it (--wait), or use another context (-C NAME)",
		e.Context, e.Holder)
}

// String names the holder for people.
func (h Holder) String() string {
	if h.PID <= 0 {
		return "another process"
	}
	return fmt.Sprintf("process %d on %s since %s", h.PID, h.Host, h.Since.Local().Format(time.DateTime))
}

// lockPatience is how long Lock tries: whoever only looks whether a context is in
// use holds its lock for an instant.
const lockPatience = 200 * time.Millisecond

// Lock makes the context this process's own until unlock is called. The error
// is a *LockedError if another process has it.
func (c *Context) Lock() (unlock func(), err error) {
	return c.tryLock(func(path string) (func(), error) { return disk.LockWithin(path, lockPatience) })
}

func (c *Context) tryLock(take func(path string) (func(), error)) (unlock func(), err error) {
	unlock, err = c.lock(take)
	if errors.Is(err, disk.ErrLocked) {
		return nil, &LockedError{Context: c.name, Holder: readHolder(c.lockFile())}
	}
	return unlock, err
}

// WaitLock is Lock that waits for another process, until ctx ends.
func (c *Context) WaitLock(ctx context.Context) (unlock func(), err error) {
	return c.lock(func(path string) (func(), error) { return disk.WaitLock(ctx, path) })
}

func (c *Context) lockFile() string { return filepath.Join(c.folder(), ".lock") }

func (c *Context) lock(take func(path string) (func(), error)) (func(), error) {
	if err := disk.MkdirAll(c.store.fs, c.folder(), 0o700); err != nil {
		return nil, fmt.Errorf("making context %q: %w", c.name, err)
	}
	unlock, err := c.lockIn(c.folder(), ".lock", take)
	if err != nil {
		return nil, fmt.Errorf("locking context %q: %w", c.name, err)
	}
	c.store.removeStale(c.folder(), c.transcriptFolder())
	host, _ := os.Hostname()
	data, _ := json.Marshal(Holder{PID: os.Getpid(), Host: host, Since: c.store.now().UTC().Truncate(time.Second)})
	if err := disk.Overwrite(c.lockFile(), append(data, '\n')); err != nil {
		unlock()
		return nil, fmt.Errorf("locking context %q: %w", c.name, err)
	}
	c.held = true
	return func() {
		c.held = false
		unlock()
	}, nil
}

// lockIn takes a lock in a folder of the context, which is made if it is missing.
// Between the two, another process may rename or remove the context; then it is
// made again.
func (c *Context) lockIn(folder, name string, take func(string) (func(), error)) (unlock func(), err error) {
	for range 100 {
		if err = disk.MkdirAll(c.store.fs, folder, 0o700); err != nil {
			return nil, err
		}
		unlock, err = take(filepath.Join(folder, name))
		if !errors.Is(err, fs.ErrNotExist) {
			break
		}
	}
	return unlock, err
}

// readHolder reads who wrote a lock file.
func readHolder(path string) (h Holder) {
	data, err := disk.ReadFile(disk.OS{}, path, maxHolder)
	if err != nil || strictjson.Decode(data, &h) != nil {
		return Holder{}
	}
	return h
}

// isLocked reports whether a process uses a context. It makes no file.
func (s *Store) isLocked(name string) bool {
	return disk.IsLocked(filepath.Join(s.folder(name), ".lock"))
}

// Holder says which process uses a context, if one does.
func (s *Store) Holder(name string) (h Holder, inUse bool) {
	if !s.isLocked(name) {
		return h, false
	}
	return readHolder(filepath.Join(s.folder(name), ".lock")), true
}
