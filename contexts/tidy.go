package contexts

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/chibi-host/chibi/internal/disk"
)

// Tidy removes what interrupted runs have left in the home: contexts that were
// being deleted, and temporary files that are a day old. It looks at the home's own
// directories and at those of the contexts that are named, no others.
func (s *Store) Tidy(names ...string) error {
	err := s.EmptyTrash()
	s.removeStale(s.ownFolders()...)
	for _, name := range names {
		s.removeStale(s.foldersOf(name)...)
	}
	return err
}

// Temps lists temporary files in the home and in all contexts: interrupted runs
// have left them, or somebody is writing them now.
func (s *Store) Temps() (paths []string, err error) {
	names, err := s.Names()
	folders := s.ownFolders()
	for _, name := range names {
		folders = append(folders, s.foldersOf(name)...)
	}
	for _, folder := range folders {
		paths = append(paths, disk.Temps(s.fs, folder, s.now().Add(time.Second))...)
	}
	return paths, err
}

func (s *Store) ownFolders() []string {
	return []string{s.home, filepath.Join(s.home, "prompts"), filepath.Join(s.home, "plugins")}
}

func (s *Store) foldersOf(name string) []string {
	folder := s.folder(name)
	return []string{folder, filepath.Join(folder, "transcript"), filepath.Join(folder, "tool_cache")}
}

// Daily reports whether a day has passed since it last said so. Work that looks at
// every context is done then.
func (s *Store) Daily() (bool, error) {
	path := filepath.Join(s.home, ".tidied")
	now := s.now()
	if data, err := disk.ReadFile(s.fs, path, maxHolder); err == nil {
		last, err := strconv.ParseInt(strings.TrimSpace(string(data)), 10, 64)
		if age := now.Sub(time.Unix(last, 0)); err == nil && age >= 0 && age < 24*time.Hour {
			return false, nil
		}
	}
	if _, err := s.fs.Stat(s.home); errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	err := disk.Replace(s.fs, path, []byte(fmt.Sprintln(now.Unix())), 0o600)
	return err == nil, err
}
