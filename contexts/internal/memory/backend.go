// Package memory keeps contexts in memory: for nested conversations and for programs that store
// nothing. It holds no lease, no goroutine and no copy of a log, and ends with the process.
package memory

import (
	"context"
	"fmt"

	"github.com/chibi-host/chibi/contexts/internal/parts"
	"github.com/chibi-host/chibi/contexts/internal/registry"
)

// New keeps contexts in memory.
func New(s *parts.Settings) parts.Backend {
	m := &memory{settings: s, prompts: map[string]string{}, contexts: map[string]*memoryContext{}}
	return memoryBackend{m, memoryRegistry{m}, parts.WholeState{Settings: s, Update: m.update}, memoryUpkeep{m}}
}

// memoryBackend is what a store uses of a home in memory.
type memoryBackend struct {
	*memory
	memoryRegistry
	parts.WholeState
	memoryUpkeep
}

func (b memoryBackend) Parts(r *parts.Ref) parts.Keeper {
	m := b.memory
	t := memoryTranscript{m, r}
	return parts.Keeper{Transcript: t, Texts: memoryTexts{m, r}, Inbox: memoryInbox{m, r}, Lock: t.lock,
		Tape: memoryTape{t}}
}

// memoryRegistry is what each run needs of the state.
type memoryRegistry struct{ *memory }

func (m memoryRegistry) Current(ctx context.Context) (registry.State, error) {
	known, err := m.State(ctx)
	return registry.State{Current: known.Current, Previous: known.Before()}, err
}

func (m memoryRegistry) Expiring(ctx context.Context) ([]registry.Context, error) {
	known, err := m.State(ctx)
	return known.Expiring(), err
}

func (m memoryRegistry) Walk(ctx context.Context, after string, each func(string, registry.Context) error) error {
	names, err := m.Names(ctx)
	if err != nil {
		return err
	}
	rules, err := m.Expiring(ctx)
	if err != nil {
		return err
	}
	return registry.Listing{Names: names, Rules: rules}.Walk(ctx, after, each)
}

func (m memoryRegistry) Entry(ctx context.Context, name string) (*registry.Context, error) {
	known, err := m.State(ctx)
	return known.Find(name), err
}

func (m memoryRegistry) Touch(name string) error {
	now := m.settings.Now()
	return m.update(func(state *registry.File) { state.Register(name, now).LastActivityAt = now.Unix() })
}

// memoryUpkeep is what is done for a home as a whole.
type memoryUpkeep struct{ *memory }

func (m memoryUpkeep) Daily(context.Context) (bool, string, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	now := m.settings.Now()
	if !parts.IsDayOld(m.kept, now) {
		return false, "", nil
	}
	m.kept = now
	return true, m.keptTo, nil
}

func (m memoryUpkeep) Tidied(_ context.Context, upTo string) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.kept, m.keptTo = m.settings.Now(), upTo
	return nil
}

func (m memoryUpkeep) Housekeep(context.Context) error { return m.update(func(*registry.File) {}) }

// End cannot end a lock of this process.
func (m memoryUpkeep) End(ctx context.Context, name string) error {
	if h, inUse := m.Holder(ctx, name); inUse {
		return fmt.Errorf("its lock ends with %s; end that process", h)
	}
	return nil
}
