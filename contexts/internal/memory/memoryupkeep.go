package memory

import (
	"context"
	"fmt"
	"github.com/chibi-host/chibi/contexts/internal/parts"
	"github.com/chibi-host/chibi/contexts/internal/registry"
)

// memoryUpkeep is what is done for a home as a whole.
type memoryUpkeep struct{ *memory }

func (m memoryUpkeep) ID(context.Context, string) (string, error) { return "", nil }

func (m memoryUpkeep) IsShared() bool { return false }

func (m memoryUpkeep) Daily(context.Context) (bool, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	now := m.settings.Now()
	if !parts.IsDayOld(m.kept, now) {
		return false, nil
	}
	m.kept = now
	return true, nil
}

func (m memoryUpkeep) Housekeep(context.Context) error { return m.update(func(*registry.File) {}) }

// End cannot end a lock of this process.
func (m memoryUpkeep) End(ctx context.Context, name string) error {
	if h, inUse := m.Holder(ctx, name); inUse {
		return fmt.Errorf("its lock ends with %s; end that process", h)
	}
	return nil
}
