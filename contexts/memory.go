package contexts

import (
	"context"
	"maps"
	"slices"
	"sync"
	"time"
)

// NewMemory makes a home that is kept in memory and ends with the process: for
// programs that embed an agent and store nothing, and for tests. It behaves like
// files, except that nothing is durable.
func NewMemory() *Store {
	return newStore(time.Now, newMemoryBackend)
}

func newMemoryBackend(s *Settings) backend {
	m := &memory{settings: s, prompts: map[string]string{}, contexts: map[string]*memoryContext{}}
	return memoryBackend{m, memoryRegistry{m}, wholeState{s, m.update}, memoryUpkeep{m}}
}

// memoryBackend is what a store uses of a home in memory.
type memoryBackend struct {
	*memory
	memoryRegistry
	wholeState
	memoryUpkeep
}

// memory keeps the contexts of a home.
type memory struct {
	settings *Settings

	mu       sync.Mutex
	known    stateFile
	prompts  map[string]string
	contexts map[string]*memoryContext
	kept     time.Time // when daily last returned true
}

// memoryContext is the data of one context.
type memoryContext struct {
	entries  []Entry
	texts    map[string]string
	noted    string // the context's own system prompt when it was last noted
	mail     []Mail
	inbox    sync.Mutex // held while the mail is changed
	lastUse  time.Time
	owner    chan struct{} // has an element while the lock is held
	ownedBy  Holder
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

func (m *memory) open(r *ref) keeper {
	t := memoryTranscript{m, r}
	return keeper{transcript: t, texts: memoryTexts{m, r}, inbox: memoryInbox{m, r}, lock: t.lock, tape: memoryTape{t}}
}

func (m *memory) exists(_ context.Context, name string) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.contexts[name] != nil
}

func (m *memory) names(context.Context) ([]string, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return slices.Sorted(maps.Keys(m.contexts)), nil
}

func (m *memory) create(name string) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.get(name)
	return nil
}

func (m *memory) rename(from, to string) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.contexts[to] != nil {
		return ErrExists
	}
	m.contexts[to] = m.get(from)
	delete(m.contexts, from)
	return nil
}

func (m *memory) remove(name string) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	delete(m.contexts, name)
	return nil
}

func (m *memory) free() error { return nil }

func (m *memory) lastUse(name string) time.Time {
	m.mu.Lock()
	defer m.mu.Unlock()
	if c := m.contexts[name]; c != nil {
		return c.lastUse
	}
	return time.Time{}
}

// state returns a copy of the state.
func (m *memory) state(context.Context) (*stateFile, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	known := m.known
	known.Contexts = slices.Clone(known.Contexts)
	known.complete()
	return &known, nil
}

func (m *memory) update(change func(*stateFile)) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.known.complete()
	change(&m.known)
	m.known.reconcile(slices.Sorted(maps.Keys(m.contexts)), m.settings.Now())
	return nil
}

// memoryRegistry is what each run needs of the state.
type memoryRegistry struct{ *memory }

func (m memoryRegistry) current(ctx context.Context) (State, error) {
	known, err := m.state(ctx)
	return State{Current: known.Current, Previous: known.previous()}, err
}

func (m memoryRegistry) expiring(ctx context.Context) ([]contextState, error) {
	known, err := m.state(ctx)
	return known.expiring(), err
}

func (m memoryRegistry) entry(ctx context.Context, name string) (*contextState, error) {
	known, err := m.state(ctx)
	return known.find(name), err
}

func (m memoryRegistry) touch(name string) error {
	now := m.settings.Now()
	return m.update(func(state *stateFile) { state.register(name, now).LastActivityAt = now.Unix() })
}

func (t memoryTranscript) lock(ctx context.Context, p patience) (unlock func(), lost <-chan struct{}, err error) {
	m, r := t.home, t.ref
	for {
		m.mu.Lock()
		c := m.get(r.name)
		m.mu.Unlock()
		if err := m.take(ctx, c, r, p); err != nil {
			return nil, nil, err
		}
		if m.own(c, r.name) {
			return func() { <-c.owner }, nil, nil
		}
		<-c.owner // it was renamed or removed meanwhile
	}
}

// take takes the lock of a context.
func (m *memory) take(ctx context.Context, c *memoryContext, r *ref, p patience) error {
	if p == endless {
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
		holder, _ := m.holder(ctx, r.name)
		return &LockedError{Context: r.name, Holder: holder}
	}
}

// own records the holder of the lock of a context, if the context still has the
// name.
func (m *memory) own(c *memoryContext, name string) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	c.ownedBy = thisProcess(m.settings.Now())
	return m.contexts[name] == c
}

func (m *memory) holder(_ context.Context, name string) (h Holder, inUse bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	c := m.contexts[name]
	if c == nil || len(c.owner) == 0 {
		return Holder{}, false
	}
	return c.ownedBy, true
}
