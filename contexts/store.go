package contexts

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/chibi-host/chibi/internal/disk"
)

// Store is a home folder with contexts.
type Store struct {
	// Report receives sentences about damage that was found and what was done
	// about it. Nil: they are dropped.
	Report func(text string)
	// Storage says when a transcript begins a new partition. Set it before the
	// first use.
	Storage Storage

	home string
	fs   disk.FS
	now  func() time.Time
}

// Open opens a home folder, which need not exist. It writes nothing.
func Open(home string) (*Store, error) {
	info, err := os.Stat(home)
	if err == nil && !info.IsDir() {
		return nil, fmt.Errorf("home %s is a file; a folder is needed there", home)
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("opening home: %w", err)
	}
	return &Store{home: home, fs: disk.OS{}, now: time.Now}, nil
}

// Info describes a context in a list.
type Info struct {
	Name string
	// Current is true for the context of runs that name none.
	Current bool
	// Locked is true while a process uses the context.
	Locked bool
	// Created and LastActivity are when it was made and last used; zero if
	// that is not known.
	Created, LastActivity time.Time
	// Mail is true while messages wait in its inbox.
	Mail bool
}

// DefaultName is the context of a home that was never used.
const DefaultName = "default"

// List lists the contexts by name: those with a folder, and the current one.
func (s *Store) List() ([]Info, error) {
	state, err := s.readState()
	if err != nil {
		return nil, err
	}
	names, err := s.folders()
	if err != nil {
		return nil, err
	}
	if !slices.Contains(names, state.Current) {
		names = append(names, state.Current)
		slices.Sort(names)
	}
	var list []Info
	for _, name := range names {
		info := Info{Name: name, Current: name == state.Current, Locked: s.isLocked(name), Mail: s.hasMail(name)}
		if e := state.find(name); e != nil {
			info.Created, info.LastActivity = unix(e.CreatedAt), unix(e.LastActivityAt)
		}
		list = append(list, info)
	}
	return list, nil
}

// folders lists the folders of contexts. What cannot be a context is not one.
func (s *Store) folders() ([]string, error) {
	entries, err := s.fs.ReadDir(s.contextsFolder())
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("listing contexts: %w", err)
	}
	var names []string
	for _, e := range entries {
		if e.IsDir() && ValidName(e.Name()) == nil {
			names = append(names, e.Name())
		}
	}
	return names, nil
}

// Context opens a context, which need not exist. It writes nothing.
func (s *Store) Context(name string) (*Context, error) {
	if err := ValidName(name); err != nil {
		return nil, err
	}
	return &Context{store: s, name: name}, nil
}

// Exists says whether a context has anything on disk. If that cannot be found
// out it says yes, and whatever is done with the context fails with the reason.
func (s *Store) Exists(name string) bool {
	_, err := s.fs.Stat(s.folder(name))
	return ValidName(name) == nil && !errors.Is(err, fs.ErrNotExist)
}

func (s *Store) contextsFolder() string    { return filepath.Join(s.home, "contexts") }
func (s *Store) folder(name string) string { return filepath.Join(s.contextsFolder(), name) }

func (s *Store) report(format string, args ...any) {
	if s.Report != nil {
		s.Report(fmt.Sprintf(format, args...))
	}
}
