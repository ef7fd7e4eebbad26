package contexts_test

import (
	"testing"

	"github.com/chibi-host/chibi/contexts"
	"github.com/chibi-host/chibi/contexts/contexttest"
	"github.com/chibi-host/chibi/internal/systest"
	"github.com/chibi-host/chibi/store"
	"github.com/chibi-host/chibi/store/storetest"
)

func TestConformance(t *testing.T) {
	t.Run("files", func(t *testing.T) {
		contexttest.Run(t, func(t *testing.T, o contexttest.Options) func() *contexts.Store {
			home := t.TempDir()
			return func() *contexts.Store {
				files, err := contexts.Open(home)
				if err != nil {
					t.Fatal(err)
				}
				return withOptions(files.Store, o)
			}
		})
	})
	t.Run("shared", func(t *testing.T) { contexttest.Run(t, contexttest.Shared(memoryMachines)) })
	t.Run("memory", func(t *testing.T) {
		contexttest.Run(t, func(_ *testing.T, o contexttest.Options) func() *contexts.Store {
			store := withOptions(contexts.NewMemory(), o)
			return func() *contexts.Store { return store }
		})
	})
}

func withOptions(s *contexts.Store, o contexttest.Options) *contexts.Store {
	s.Limits, s.Report, s.Storage.MaxEntries = o.Limits, o.Report, 7 // so that files make partitions
	s.Now = o.Now
	return s
}

func memoryMachines(_ *testing.T, o store.Options) func() *store.Engine {
	memory := storetest.NewMemory()
	return func() *store.Engine { return memory.Engine(o) }
}

// TestWhatAStoreAcknowledgedIsKept has each call fail once before it took effect and once after; with
// CHIBI_TEST_ALL=1 in all ways.
func TestWhatAStoreAcknowledgedIsKept(t *testing.T) {
	each := 3
	if systest.All() {
		each = 1
	}
	contexttest.Interrupted(t, each, memoryMachines)
}

func TestManyMachines(t *testing.T) { contexttest.RunShared(t, memoryMachines) }

func TestWhatIsDamagedInAStoreIsSetAside(t *testing.T) {
	contexttest.RunRepaired(t, func(*testing.T) (func() *store.Engine, func(log, text string)) {
		memory := storetest.NewMemory()
		return func() *store.Engine { return memory.Engine(store.Options{}) }, memory.Damage
	})
}
