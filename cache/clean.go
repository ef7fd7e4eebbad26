package cache

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"
	"time"
)

// Limits say what [Cache.Clean] removes.
type Limits struct {
	// MaxAge is how old an entry may be; 0: any age.
	MaxAge time.Duration
	// MaxBytes bounds the entries together; the oldest go first; 0: no bound.
	MaxBytes int64
	// MinAge is how old an entry must be to be removed; 0: any age. A younger
	// one may be about to be named somewhere.
	MinAge time.Duration
	// Keep, if set, keeps entries that are still needed.
	Keep func(id string) bool
}

// orphanAge is how old a file must be that belongs to no entry: a younger one
// may be an output that is being written.
const orphanAge = time.Hour

// Clean removes entries beyond the limits, and what crashes have left. It
// returns how many entries it removed.
func (c *Cache) Clean(limits Limits) (removed int, err error) {
	entries, err := c.List()
	if err != nil {
		return 0, err
	}
	var total int64
	for _, e := range entries { // the newest first
		total += e.Bytes
		age := c.now().Sub(e.Time())
		tooOld := limits.MaxAge > 0 && age > limits.MaxAge
		tooMuch := limits.MaxBytes > 0 && total > limits.MaxBytes
		if !tooOld && !tooMuch || age < limits.MinAge || limits.Keep != nil && limits.Keep(e.ID) {
			continue
		}
		if err := c.Remove(e.ID); err != nil {
			return removed, err
		}
		total -= e.Bytes
		removed++
	}
	return removed, c.removeOrphans()
}

// Remove removes one entry. What describes it goes first, so that a crash leaves
// no entry without content.
func (c *Cache) Remove(id string) error {
	if !validID(id) {
		return notFound(id)
	}
	for _, path := range []string{c.metaFile(id), c.indexFile(id), c.contentFile(id)} {
		if err := c.fs.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("removing cached output %q: %w", id, err)
		}
	}
	return nil
}

// removeOrphans removes old files that belong to no entry.
func (c *Cache) removeOrphans() error {
	names, err := c.fs.ReadDir(c.dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("cleaning the cache: %w", err)
	}
	for _, n := range names {
		id, _, _ := strings.Cut(n.Name(), ".")
		if _, err := c.Entry(id); err == nil && !strings.HasPrefix(n.Name(), ".") {
			continue
		}
		info, err := n.Info()
		if err != nil || c.now().Sub(info.ModTime()) < orphanAge {
			continue
		}
		if err := c.fs.Remove(filepath.Join(c.dir, n.Name())); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("cleaning the cache: %w", err)
		}
	}
	return nil
}
