package contexts

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"
	"time"

	"github.com/chibi-host/chibi/internal/disk"
	"github.com/google/uuid"
)

// ErrExists says that there is a context of that name already.
var ErrExists = errors.New("there is such a context already")

// Rename gives the context another name. The caller holds its lock, which stays
// valid. Settings in state.json stay with it. The error is ErrExists if the
// name is taken.
func (c *Context) Rename(to string) error {
	if err := ValidName(to); err != nil {
		return err
	}
	if c.store.Exists(to) {
		return fmt.Errorf("renaming context %q to %q: %w", c.name, to, ErrExists)
	}
	err := disk.MkdirAll(c.store.fs, c.folder(), 0o700)
	if err == nil {
		err = disk.MoveNew(c.store.fs, c.folder(), c.store.folder(to)) // a prompt may just have made the other
	}
	if errors.Is(err, fs.ErrExist) {
		err = ErrExists
	}
	from := c.name
	if err == nil {
		c.name = to
		err = c.store.updateRenamed(from, to)
	}
	if err != nil {
		return fmt.Errorf("renaming context %q to %q: %w", from, to, err)
	}
	return nil
}

// Delete removes the context with everything in it. The caller holds its lock.
// It returns the context that is current then. A crash leaves all of it or, for
// every purpose, nothing. Its room is free before anything is written, so that it
// works on a full disk too.
func (c *Context) Delete() (current string, err error) {
	err = c.throwAway()
	if err == nil {
		err = c.store.EmptyTrash()
	}
	if err == nil {
		current, err = c.store.forget(c.name)
	}
	if err != nil {
		return current, fmt.Errorf("deleting context %q: %w", c.name, err)
	}
	return current, nil
}

// trash is the beginning of the names of folders that are being removed. No
// context's name can begin so.
const trash = ".deleted-"

// throwAway makes the context trash. That needs no room, and is one step.
func (c *Context) throwAway() error {
	away := filepath.Join(c.store.contextsFolder(), trash+c.name+"-"+uuid.NewString())
	err := disk.Move(c.store.fs, c.folder(), away)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

// forget takes contexts that are gone out of state.json. It returns the current
// context.
func (s *Store) forget(names ...string) (current string, err error) {
	err = s.updateState(func(state *stateFile) {
		for _, name := range names {
			state.forget(name)
		}
		current = state.Current
	})
	return current, err
}

// Trash lists the directories that this and interrupted deletions have left.
func (s *Store) Trash() (paths []string, err error) {
	entries, err := s.fs.ReadDir(s.contextsFolder())
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	for _, e := range entries {
		if strings.HasPrefix(e.Name(), trash) {
			paths = append(paths, filepath.Join(s.contextsFolder(), e.Name()))
		}
	}
	return paths, nil
}

// EmptyTrash removes what Trash lists.
func (s *Store) EmptyTrash() error {
	paths, err := s.Trash()
	for _, path := range paths {
		err = errors.Join(err, s.fs.RemoveAll(path))
	}
	return err
}

// Expired is a context that was removed because its time was over.
type Expired struct {
	Name string
	// Why is the setting that asked for it.
	Why string
}

// Expire removes the contexts whose time is over: destroy_at has passed, or
// nothing happened in them for destroy_after_seconds_inactive. The current
// context, the one named inUse, and those that a process uses stay.
func (s *Store) Expire(inUse string) (removed []Expired, err error) {
	state, err := s.readState()
	if err != nil {
		return nil, err
	}
	var names []string
	for _, e := range state.Contexts {
		why := s.isDue(e)
		if why == "" || e.Name == state.Current || e.Name == inUse || !s.Exists(e.Name) {
			continue
		}
		if gone, err := s.expire(e.Name); err != nil {
			return removed, err
		} else if gone {
			removed, names = append(removed, Expired{e.Name, why}), append(names, e.Name)
		}
	}
	if len(names) == 0 {
		return nil, nil
	}
	if err = s.EmptyTrash(); err == nil {
		_, err = s.forget(names...)
	}
	return removed, err
}

// expire throws a context away, unless it is in use; its time comes again.
func (s *Store) expire(name string) (gone bool, err error) {
	c, err := s.Context(name)
	if err != nil {
		return false, err
	}
	unlock, err := c.tryLock(disk.TryLock)
	if err != nil {
		return false, nil
	}
	defer unlock()
	return true, c.throwAway()
}

// isDue says why a context is to be removed, "" if it is not.
func (s *Store) isDue(e contextState) string {
	now := s.now()
	if e.DestroyAt >= 1 && now.After(time.Unix(e.DestroyAt, 0)) {
		return fmt.Sprintf("destroy_at was %s", time.Unix(e.DestroyAt, 0).Format(time.DateTime))
	}
	idle := time.Duration(e.DestroyAfterSecondsInactive) * time.Second
	if idle < time.Second || e.LastActivityAt < 1 {
		return ""
	}
	if now.Sub(s.lastUse(e)) <= idle {
		return ""
	}
	return fmt.Sprintf("nothing happened in it for %s", idle)
}

// lastUse is when a context was last used, with -C too, which state.json does
// not know.
func (s *Store) lastUse(e contextState) time.Time {
	last := time.Unix(e.LastActivityAt, 0)
	for _, name := range []string{"context.jsonl", "transcript/active.jsonl", "inbox.jsonl"} {
		if info, err := s.fs.Stat(filepath.Join(s.folder(e.Name), name)); err == nil && info.ModTime().After(last) {
			last = info.ModTime()
		}
	}
	return last
}

// NewName is a name for a new context: the local date and time, after a prefix
// if there is one, with a number if that is taken.
func (s *Store) NewName(prefix string) (string, error) {
	base := s.now().Format("20060102_150405")
	if prefix != "" {
		base = prefix + "_" + base
	}
	name := base
	for i := 2; s.Exists(name); i++ {
		name = fmt.Sprintf("%s_%d", base, i)
	}
	return name, ValidName(name)
}
