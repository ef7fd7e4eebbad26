// Package hung remembers for ten minutes which plugins did not answer in time
// when they were asked what they are, so that not every run waits for them.
//
// What it promises: a plugin counts as hung only as long as its file is the one
// that hung, the clock says a time within those minutes, and it is given no more
// time than before; one whose text speaks of on_failure may be a guard, and is
// never remembered. A damaged file, or one that cannot be written, means that
// plugins are asked, never that they are left out. Nothing is read but that one
// file, and nothing is written unless a plugin hung, or answers again.
package hung

import (
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/chibi-host/chibi/internal/disk"
	"github.com/chibi-host/chibi/internal/jsonfile"
)

// Period is how long a plugin is left out.
const Period = 10 * time.Minute

// maxFile bounds the file that remembers, in bytes.
const maxFile = 1 << 20

// entry is one plugin that hung.
type entry struct {
	// At is when it did not answer.
	At time.Time `json:"at"`
	// WaitedMS is how long it was waited for.
	WaitedMS int64 `json:"waited_ms"`
	// File describes its file as it was.
	File identity `json:"file"`
}

// identity tells a file from what it was before a change.
type identity struct {
	Size    int64 `json:"size"`
	MTime   int64 `json:"mtime_ns"`
	Changed int64 `json:"changed_ns"`
}

// entries are plugins that hung, by path.
type entries map[string]entry

// Memory is what is remembered in a home. It is safe for concurrent use, also by
// several processes.
type Memory struct {
	file     jsonfile.File
	now      func() time.Time
	askAgain bool

	mu      sync.Mutex
	known   entries
	changes map[string]*entry // since it was read; nil: it has answered
}

// Options say how a memory is used.
type Options struct {
	// AskAgain leaves no plugin out; what is found is remembered.
	AskAgain bool
	// Now is the clock; nil: the machine's.
	Now func() time.Time
	// Report, if set, is told that a damaged file was kept, and where.
	Report func(text string)
}

// Open reads the memory of a home. One that cannot be read is empty.
func Open(home string, opts Options) *Memory {
	m := &Memory{now: opts.Now, askAgain: opts.AskAgain, changes: map[string]*entry{},
		file: jsonfile.File{Path: filepath.Join(home, "hung-plugins.json"), Max: maxFile, Report: opts.Report}}
	if m.now == nil {
		m.now = time.Now
	}
	m.known, _ = jsonfile.Read[entries](m.file)
	return m
}

// Until says since when and until when a plugin is left out, if it is.
func (m *Memory) Until(path string, patience time.Duration) (at, until time.Time, ok bool) {
	e, known := m.known[path]
	if !known || m.askAgain || patience > time.Duration(e.WaitedMS)*time.Millisecond || !m.holds(path, e) {
		return at, until, false
	}
	return e.At, e.At.Add(Period), true
}

// holds reports whether an entry still counts.
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

// Forget drops a plugin, if it is remembered.
func (m *Memory) Forget(path string) {
	if _, known := m.known[path]; known {
		m.mu.Lock()
		defer m.mu.Unlock()
		m.changes[path] = nil
	}
}

// Save writes what has changed, if anything has, and drops what counts no more.
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

// identify describes a file as it is now.
func identify(path string) (identity, error) {
	info, err := os.Stat(path)
	if err != nil {
		return identity{}, err
	}
	return identity{info.Size(), info.ModTime().UnixNano(), disk.ChangedAt(info).UnixNano()}, nil
}
