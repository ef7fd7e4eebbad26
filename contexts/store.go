package contexts

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/chibi-host/chibi/internal/disk"
)

// Store is a home folder with contexts.
type Store struct {
	// Report receives sentences about damage that was found and what was done
	// about it. Nil: they are dropped.
	Report func(text string)

	home string
	fs   disk.FS
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
	return &Store{home: home, fs: disk.OS{}}, nil
}

// State says which contexts are in use.
type State struct {
	// Current is the context of runs that name none.
	Current string
	// Previous is the one before it, "" if there was none.
	Previous string
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
}

// DefaultName is the context of a home that was never used.
const DefaultName = "default"

// State reads which contexts are in use.
func (s *Store) State() (State, error) {
	file, err := s.readState()
	if err != nil {
		return State{}, err
	}
	return State{Current: file.Current, Previous: file.previous()}, nil
}

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
		info := Info{Name: name, Current: name == state.Current, Locked: s.isLocked(name)}
		if e := state.find(name); e != nil {
			info.Created, info.LastActivity = unix(e.CreatedAt), unix(e.LastActivityAt)
		}
		list = append(list, info)
	}
	return list, nil
}

// folders lists the folders of contexts. What cannot be a context is not one.
func (s *Store) folders() ([]string, error) {
	entries, err := os.ReadDir(filepath.Join(s.home, "contexts"))
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

// Switch makes a context the current one, and the one before the previous one.
func (s *Store) Switch(name string) (from string, err error) {
	if err := ValidName(name); err != nil {
		return "", err
	}
	err = s.updateState(func(state *stateFile) {
		from = state.Current
		if from != name {
			state.Previous = &from
		}
		state.Current = name
		state.touch(name)
	})
	if err != nil {
		return from, err
	}
	return from, disk.MakeFolder(s.fs, s.folder(name), 0o700)
}

// Touch notes that a context was used now.
func (s *Store) Touch(name string) error {
	return s.updateState(func(state *stateFile) { state.touch(name) })
}

// Context opens a context, which need not exist. It writes nothing.
func (s *Store) Context(name string) (*Context, error) {
	if err := ValidName(name); err != nil {
		return nil, err
	}
	return &Context{store: s, name: name}, nil
}

func (s *Store) folder(name string) string { return filepath.Join(s.home, "contexts", name) }

func (s *Store) report(format string, args ...any) {
	if s.Report != nil {
		s.Report(fmt.Sprintf(format, args...))
	}
}

func unix(seconds int64) time.Time {
	if seconds <= 0 {
		return time.Time{}
	}
	return time.Unix(seconds, 0)
}

// stateFile is state.json.
type stateFile struct {
	Contexts []contextState `json:"contexts"`
	Current  string         `json:"current_context"`
	Previous *string        `json:"previous_context"`
}

type contextState struct {
	Name                        string `json:"name"`
	CreatedAt                   int64  `json:"created_at"`
	LastActivityAt              int64  `json:"last_activity_at"`
	DestroyAfterSecondsInactive int64  `json:"destroy_after_seconds_inactive"`
	DestroyAt                   int64  `json:"destroy_at"`
}

func (f *stateFile) previous() string {
	if f.Previous == nil {
		return ""
	}
	return *f.Previous
}

func (f *stateFile) find(name string) *contextState {
	for i := range f.Contexts {
		if f.Contexts[i].Name == name {
			return &f.Contexts[i]
		}
	}
	return nil
}

// touch registers a context and notes that it was used now.
func (f *stateFile) touch(name string) {
	now := time.Now().Unix()
	if e := f.find(name); e != nil {
		e.LastActivityAt = now
		return
	}
	f.Contexts = append(f.Contexts, contextState{Name: name, CreatedAt: now, LastActivityAt: now})
	slices.SortFunc(f.Contexts, func(a, b contextState) int { return strings.Compare(a.Name, b.Name) })
}

func (s *Store) statePath() string { return filepath.Join(s.home, "state.json") }

// readState reads state.json. A damaged one counts as empty, and is reported.
func (s *Store) readState() (*stateFile, error) {
	data, err := os.ReadFile(s.statePath())
	state := &stateFile{Current: DefaultName}
	if errors.Is(err, fs.ErrNotExist) {
		return state, nil
	}
	if err != nil {
		return nil, fmt.Errorf("reading state: %w", err)
	}
	if err := json.Unmarshal(data, state); err != nil || ValidName(state.Current) != nil {
		s.report("%s is damaged; the current context is taken to be %q, and the contexts are those with a folder", s.statePath(), DefaultName)
		return &stateFile{Current: DefaultName}, nil
	}
	return state, nil
}

// updateState changes state.json while no other process does. A damaged file
// is kept beside it.
func (s *Store) updateState(change func(*stateFile)) error {
	if err := disk.MakeFolder(s.fs, s.home, 0o700); err != nil {
		return fmt.Errorf("making home: %w", err)
	}
	unlock, err := disk.Lock(s.statePath() + ".lock")
	if err != nil {
		return fmt.Errorf("locking state: %w", err)
	}
	defer unlock()
	if err := s.keepDamaged(); err != nil {
		return err
	}
	state, err := s.readState()
	if err != nil {
		return err
	}
	change(state)
	data, err := json.MarshalIndent(state, "", "  ")
	if err != nil {
		return err
	}
	if err := disk.Replace(s.fs, s.statePath(), append(data, '\n'), 0o600); err != nil {
		return fmt.Errorf("writing state: %w", err)
	}
	return nil
}

// keepDamaged moves a state.json that cannot be read out of the way.
func (s *Store) keepDamaged() error {
	data, err := os.ReadFile(s.statePath())
	if err != nil || json.Valid(data) {
		return nil
	}
	aside := fmt.Sprintf("%s.damaged-%d", s.statePath(), time.Now().UnixNano())
	s.report("the damaged state is kept in %s", aside)
	return s.fs.Rename(s.statePath(), aside)
}
