package cache

import (
	"context"
	"fmt"
	"io"
	"strings"
	"sync"
	"time"

	"github.com/chibi-host/chibi/internal/disk"
)

// Memory keeps outputs in memory, for tests and for programs that store nothing.
// Use [NewMemory] to make one.
type Memory struct {
	max     int64
	mu      sync.Mutex
	size    int64
	entries map[string]stored
}

var _ Cache = (*Memory)(nil)

// stored is an output in memory.
type stored struct {
	Entry
	index   lineIndex
	content string
}

// NewMemory makes a cache of at most so many bytes in all.
func NewMemory(maxBytes int64) *Memory { return &Memory{max: maxBytes, entries: map[string]stored{}} }

// SpillFile makes an empty file in the machine's directory for temporary files.
func (m *Memory) SpillFile() (Spill, error) { return disk.CreateTempSpill() }

// PutText saves a text as a tool's output. The error is ErrTooLarge if it does not
// fit.
func (m *Memory) PutText(tool string, arguments []byte, text string) (Entry, error) {
	e, err := m.put(tool, arguments, text)
	return e, notSaved(tool, err)
}

func (m *Memory) put(tool string, arguments []byte, text string) (Entry, error) {
	e, err := newEntry(tool, arguments)
	if err != nil {
		return e, err
	}
	return m.keep(e, text)
}

// keep makes a text the content of an entry.
func (m *Memory) keep(e Entry, text string) (Entry, error) {
	index, err := scan(strings.NewReader(text), int64(len(text)))
	if err != nil {
		return e, err
	}
	e = e.measured(index)
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.size+e.Bytes > m.max {
		return Entry{}, fmt.Errorf("%w: the cache in memory holds at most %d bytes", ErrTooLarge, m.max)
	}
	m.size += e.Bytes
	m.entries[e.ID] = stored{e, index, text}
	return e, nil
}

// PutFile saves the content of a file, which stays where it is. It reads at most
// the cache's bound.
func (m *Memory) PutFile(tool string, arguments []byte, file Spilled) (Entry, error) {
	f, err := disk.OpenRegular(file.Name())
	if err != nil {
		return Entry{}, notSaved(tool, err)
	}
	defer f.Close()
	var text strings.Builder
	if _, err := io.Copy(&text, io.LimitReader(f, m.max+1)); err != nil {
		return Entry{}, notSaved(tool, err)
	}
	return m.PutText(tool, arguments, text.String())
}

// Open opens the content of an entry.
func (m *Memory) Open(_ context.Context, id string) (*Reader, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	s, ok := m.entries[id]
	if !ok {
		return nil, notFound(id)
	}
	return &Reader{content: strings.NewReader(s.content), size: s.Bytes, index: &s.index,
		close: func() error { return nil }}, nil
}

// List lists the entries, the newest first.
func (m *Memory) List(context.Context) ([]Entry, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	var list []Entry
	for _, s := range m.entries {
		list = append(list, s.Entry)
	}
	sortByAge(list)
	return list, nil
}

// Clean removes entries beyond the limits.
func (m *Memory) Clean(limits Limits) (removed int, err error) {
	list, err := m.List(context.Background())
	if err != nil {
		return 0, err
	}
	gone := limits.expired(list, time.Now())
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, e := range gone {
		if _, ok := m.entries[e.ID]; ok {
			delete(m.entries, e.ID)
			m.size -= e.Bytes
			removed++
		}
	}
	return removed, nil
}

// Clear removes everything.
func (m *Memory) Clear() error {
	m.mu.Lock()
	defer m.mu.Unlock()
	clear(m.entries)
	m.size = 0
	return nil
}
