// Package hung remembers for ten minutes which plugins did not answer in time when they
// were probed, so that not every run waits for them.
//
// What it promises: a plugin counts as hung only while its file is unchanged, the ten
// minutes have not passed, and the time limit is not longer than before; a plugin whose
// file contains on_failure may be a guard and is never remembered. If the memory is
// damaged or cannot be written, plugins are probed, never skipped. The package reads only
// that one file and the plugins, and writes only if a plugin hung or answers again.
package hung

import (
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/chibi-host/chibi/internal/disk"
	"github.com/chibi-host/chibi/internal/jsonfile"
)

// Period is how long a plugin that hung is skipped.
const Period = 10 * time.Minute

// maxFile bounds the memory's file, in bytes.
const maxFile = 1 << 20

// entry is one plugin that hung.
type entry struct {
	// At is when it did not answer.
	At time.Time `json:"at"`
	// WaitedMS is the time limit, in milliseconds.
	WaitedMS int64 `json:"waited_ms"`
	// File identifies its file at that time.
	File identity `json:"file"`
}

// identity changes when a file changes.
type identity struct {
	Size    int64 `json:"size"`
	MTime   int64 `json:"mtime_ns"`
	Changed int64 `json:"changed_ns"`
}

// entries are plugins that hung, by path.
type entries map[string]entry

// Memory is the memory of a home. It is safe for concurrent use, also by several
// processes.
type Memory struct {
	file     jsonfile.File
	now      func() time.Time
	askAgain bool
	known    entries // as they were read; not changed

	mu      sync.Mutex
	changes map[string]*entry // since then; nil: the plugin answered
}

// Options specifies how a memory is used.
type Options struct {
	// AskAgain skips no plugin; what hangs is remembered.
	AskAgain bool
	// Now is the clock; nil: time.Now.
	Now func() time.Time
	// Report, if set, is called when a damaged file was renamed.
	Report func(text string)
}

// Open reads the memory of a home. If it cannot be read, it is empty.
func Open(home string, opts Options) *Memory {
	m := &Memory{now: opts.Now, askAgain: opts.AskAgain, changes: map[string]*entry{},
		file: jsonfile.File{Path: filepath.Join(home, "hung-plugins.json"), Max: maxFile, Report: opts.Report}}
	if m.now == nil {
		m.now = time.Now
	}
	m.known, _ = jsonfile.Read[entries](m.file)
	return m
}

// Until returns since when and until when a plugin is skipped, if it is.
func (m *Memory) Until(path string, patience time.Duration) (at, until time.Time, ok bool) {
	e, known := m.known[path]
	if !known || m.askAgain || patience > time.Duration(e.WaitedMS)*time.Millisecond || !m.holds(path, e) {
		return at, until, false
	}
	return e.At, e.At.Add(Period), true
}

// holds reports whether an entry is still valid.
func (m *Memory) holds(path string, e entry) bool {
	age := m.now().Sub(e.At)
	now, err := identify(path)
	return age >= 0 && age < Period && err == nil && now == e.File
}

// Note remembers that a plugin hung, unless its failure may block.
func (m *Memory) Note(path string, patience time.Duration) (until time.Time, ok bool) {
	file, err := identify(path)
	if err != nil || mayBlock(path) {
		m.Forget(path)
		return until, false
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	at := m.now()
	m.changes[path] = &entry{At: at.UTC().Round(0), WaitedMS: patience.Milliseconds(), File: file}
	return at.Add(Period), true
}

// Forget removes a plugin from the memory.
func (m *Memory) Forget(path string) {
	if _, known := m.known[path]; known {
		m.mu.Lock()
		defer m.mu.Unlock()
		m.changes[path] = nil
	}
}

// Save writes the changes, if there are any, and removes entries that are not valid.
func (m *Memory) Save() error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if len(m.changes) == 0 {
		return nil
	}
	return jsonfile.Update(m.file, func(all *entries) error {
		kept := entries{}
		for path, e := range *all {
			if m.holds(path, e) {
				kept[path] = e
			}
		}
		for path, e := range m.changes {
			if delete(kept, path); e != nil {
				kept[path] = *e
			}
		}
		*all = kept
		return nil
	})
}

// identify returns the identity of a file as it is now.
func identify(path string) (identity, error) {
	info, err := os.Stat(path)
	if err != nil {
		return identity{}, err
	}
	return identity{info.Size(), info.ModTime().UnixNano(), disk.ChangedAt(info).UnixNano()}, nil
}
