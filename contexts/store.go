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
	// Limits bound notes and messages. Set them before the first use.
	Limits Limits

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
	names, err := s.Names()
	if err != nil {
		return nil, err
	}
	if !slices.Contains(names, state.Current) {
		names = append(names, state.Current)
		slices.Sort(names)
	}
	known := map[string]*contextState{}
	for i := range state.Contexts {
		known[state.Contexts[i].Name] = &state.Contexts[i]
	}
	var list []Info
	for _, name := range names {
		list = append(list, s.describe(name, state.Current, known[name]))
	}
	return list, nil
}

// Info describes one context, which need not exist.
func (s *Store) Info(name string) (Info, error) {
	state, err := s.readState()
	if err != nil {
		return Info{}, err
	}
	return s.describe(name, state.Current, state.find(name)), nil
}

func (s *Store) describe(name, current string, known *contextState) Info {
	info := Info{Name: name, Current: name == current, Locked: s.isLocked(name), Mail: s.HasMail(name)}
	if known != nil {
		info.Created, info.LastActivity = unix(known.CreatedAt), unix(known.LastActivityAt)
	}
	return info
}

// Names lists the contexts that have a directory. What cannot be a context is not
// one.
func (s *Store) Names() ([]string, error) {
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

// Exists reports whether a context has anything on disk. If that cannot be found
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
