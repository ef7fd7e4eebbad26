package contexts

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/chibi-host/chibi/internal/disk"
)

// fileUpkeep is what is done for a home as a whole.
type fileUpkeep struct{ *fileHome }

// daily reads and writes .tidied.
func (f fileUpkeep) daily(context.Context) (bool, error) {
	path := filepath.Join(f.home, ".tidied")
	now := f.settings.Now()
	if data, err := disk.ReadFile(f.fs, path, maxHolder); err == nil {
		last, err := strconv.ParseInt(strings.TrimSpace(string(data)), 10, 64)
		if err == nil && !isDayOld(time.Unix(last, 0), now) {
			return false, nil
		}
	}
	if !disk.Exists(f.fs, f.home) {
		return false, nil
	}
	err := disk.Replace(f.fs, path, []byte(fmt.Sprintln(now.Unix())), 0o600)
	return err == nil, err
}

// isDayOld reports whether a day has passed since a time. A clock that was set back does
// not delay what is done daily.
func isDayOld(last, now time.Time) bool {
	age := now.Sub(last)
	return age < 0 || age >= 24*time.Hour
}

// housekeep frees the space of deleted contexts, and brings state.json up to date: runs
// with -C and other programs leave contexts that it does not list.
func (f fileUpkeep) housekeep(context.Context) error {
	return errors.Join(fileNames(f).free(), fileRegistry(f).update(func(*stateFile) {}))
}

func (f fileUpkeep) isShared() bool { return false }
