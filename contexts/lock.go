package contexts

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/chibi-host/chibi/internal/disk"
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
	return fmt.Sprintf("context %q is in use by %s; wait for it (--wait), or use another context (-C NAME)", e.Context, e.Holder)
}

// String names the holder for people.
func (h Holder) String() string {
	if h.PID <= 0 {
		return "another process"
	}
	return fmt.Sprintf("process %d on %s since %s", h.PID, h.Host, h.Since.Local().Format(time.DateTime))
}

// Lock makes the context this process's own until unlock is called. The error
// is a *LockedError if another process has it.
func (c *Context) Lock() (unlock func(), err error) {
	unlock, err = c.lock(disk.TryLock)
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

func (c *Context) lock(take func(path string) (func(), error)) (unlock func(), err error) {
	if err := disk.MakeFolder(c.store.fs, c.folder(), 0o700); err != nil {
		return nil, fmt.Errorf("making context %q: %w", c.name, err)
	}
	unlock, err = take(c.lockFile())
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
	return unlock, nil
}

// readHolder reads who wrote a lock file.
func readHolder(path string) (h Holder) {
	data, err := os.ReadFile(path)
	if err != nil || json.Unmarshal(data, &h) != nil {
		return Holder{}
	}
	return h
}

// isLocked says whether a process uses a context. It makes no file.
func (s *Store) isLocked(name string) bool {
	path := filepath.Join(s.folder(name), ".lock")
	if _, err := os.Stat(path); err != nil {
		return false
	}
	unlock, err := disk.TryLock(path)
	if err != nil {
		return errors.Is(err, disk.ErrLocked)
	}
	unlock()
	return false
}
