package storetest_test

import (
	"testing"

	"github.com/chibi-host/chibi/store"
	"github.com/chibi-host/chibi/store/storetest"
)

func TestMemoryKeepsTheContract(t *testing.T) {
	storetest.Run(t, func(_ *testing.T, o store.Options) func() *store.Engine {
		memory := storetest.NewMemory()
		return func() *store.Engine { return memory.Engine(o) }
	})
	storetest.RunDamaged(t, func(*testing.T) (func() *store.Engine, func(log, text string)) {
		memory := storetest.NewMemory()
		return func() *store.Engine { return memory.Engine(store.Options{}) }, memory.Damage
	})
}
