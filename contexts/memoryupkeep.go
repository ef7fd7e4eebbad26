package contexts

import (
	"context"
	"fmt"
)

// memoryUpkeep is what is done for a home as a whole.
type memoryUpkeep struct{ *memory }

func (m memoryUpkeep) id(context.Context, string) (string, error) { return "", nil }

func (m memoryUpkeep) isShared() bool { return false }

func (m memoryUpkeep) daily(context.Context) (bool, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	now := m.settings.Now()
	if !isDayOld(m.kept, now) {
		return false, nil
	}
	m.kept = now
	return true, nil
}

func (m memoryUpkeep) housekeep(context.Context) error { return m.update(func(*stateFile) {}) }

// end cannot end a lock of this process.
func (m memoryUpkeep) end(ctx context.Context, name string) error {
	if h, inUse := m.holder(ctx, name); inUse {
		return fmt.Errorf("its lock ends with %s; end that process", h)
	}
	return nil
}
