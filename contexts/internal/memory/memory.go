package memory

import (
	"context"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/chibi-host/chibi/contexts/internal/parts"
	"github.com/chibi-host/chibi/contexts/internal/registry"
)

// memory keeps the contexts of a home.
type memory struct {
	settings *parts.Settings

	mu       sync.Mutex
	known    registry.File
	prompts  map[string]string
	contexts map[string]*memoryContext
	kept     time.Time // when daily last returned true
	keptTo   string    // up to which name the daily work was done
}

// memoryContext is the data of one context.
type memoryContext struct {
	entries  []parts.Entry
	texts    map[string]string
	noted    string // the context's own system prompt when it was last noted
	mail     []parts.Mail
	inbox    sync.Mutex // held while the mail is changed
	lastUse  time.Time
	owner    chan struct{} // has an element while the lock is held
	ownedBy  parts.Holder
	combined string // the whole last system prompt
	arrived  int    // how many messages have come
}

// get returns a context, which is created if it is missing. The caller holds mu.
func (m *memory) get(name string) *memoryContext {
	c := m.contexts[name]
	if c == nil {
		c = &memoryContext{texts: map[string]string{}, owner: make(chan struct{}, 1)}
		m.contexts[name] = c
	}
	return c
}

func (m *memory) Exists(_ context.Context, name string) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.contexts[name] != nil
}

func (m *memory) Names(context.Context) ([]string, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return slices.Sorted(maps.Keys(m.contexts)), nil
}

func (m *memory) Create(_ context.Context, name string) (isNew bool, err error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	isNew = m.contexts[name] == nil
	m.get(name)
	return isNew, nil
}

func (m *memory) Rename(from, to string) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.contexts[to] != nil {
		return registry.ErrExists
	}
	m.contexts[to] = m.get(from)
	delete(m.contexts, from)
	return nil
}

func (m *memory) Remove(name string) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	delete(m.contexts, name)
	return nil
}

func (m *memory) Free() error { return nil }

func (m *memory) LastUse(_ context.Context, name string) time.Time {
	m.mu.Lock()
	defer m.mu.Unlock()
	if c := m.contexts[name]; c != nil {
		return c.lastUse
	}
	return time.Time{}
}

// State returns a copy of the state.
func (m *memory) State(context.Context) (*registry.File, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	known := m.known
	known.Contexts = slices.Clone(known.Contexts)
	known.Complete()
	return &known, nil
}

func (m *memory) update(change func(*registry.File)) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.known.Complete()
	change(&m.known)
	m.known.Reconcile(slices.Sorted(maps.Keys(m.contexts)), m.settings.Now())
	return nil
}

func (m *memory) take(ctx context.Context, c *memoryContext, r *parts.Ref, p parts.Patience) error {
	if p == parts.Endless {
		select {
		case c.owner <- struct{}{}:
			return nil
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	select {
	case c.owner <- struct{}{}:
		return nil
	default: // here nothing holds it for an instant only
		holder, _ := m.Holder(ctx, r.Name)
		return &parts.LockedError{Context: r.Name, Holder: holder}
	}
}

// own records the holder of the lock of a context, if the context still has the
// name.
func (m *memory) own(c *memoryContext, name string) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	c.ownedBy = parts.ThisProcess(m.settings.Now())
	return m.contexts[name] == c
}

func (m *memory) Holder(_ context.Context, name string) (h parts.Holder, inUse bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	c := m.contexts[name]
	if c == nil || len(c.owner) == 0 {
		return parts.Holder{}, false
	}
	return c.ownedBy, true
}
