package homes

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/chibi-host/chibi/contexts/internal/parts"
	"github.com/chibi-host/chibi/contexts/internal/registry"
	"github.com/chibi-host/chibi/internal/disk"
)

// fileUpkeep is what is done for a home as a whole.
type fileUpkeep struct{ *fileHome }

// Daily reads and writes .tidied.
func (f fileUpkeep) Daily(context.Context) (bool, error) {
	path := filepath.Join(f.home, ".tidied")
	now := f.settings.Now()
	if data, err := disk.ReadFile(f.fs, path, maxHolder); err == nil {
		last, err := strconv.ParseInt(strings.TrimSpace(string(data)), 10, 64)
		if err == nil && !parts.IsDayOld(time.Unix(last, 0), now) {
			return false, nil
		}
	}
	if !disk.Exists(f.fs, f.home) {
		return false, nil
	}
	err := disk.Replace(f.fs, path, []byte(fmt.Sprintln(now.Unix())), 0o600)
	return err == nil, err
}

// Housekeep frees the space of deleted contexts, and brings state.json up to date: runs
// with -C and other programs leave contexts that it does not list.
func (f fileUpkeep) Housekeep(context.Context) error {
	return errors.Join(fileNames(f).Free(), fileRegistry(f).update(func(*registry.File) {}))
}

func (f fileUpkeep) IsShared() bool { return false }
