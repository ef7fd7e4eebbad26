package contexts_test

import (
	"testing"

	"github.com/chibi-host/chibi/contexts"
	"github.com/chibi-host/chibi/contexts/contexttest"
)

func TestConformance(t *testing.T) {
	t.Run("files", func(t *testing.T) {
		contexttest.Run(t, func(t *testing.T, o contexttest.Options) func() contexts.Home {
			home := t.TempDir()
			return func() contexts.Home {
				files, err := contexts.Open(home)
				if err != nil {
					t.Fatal(err)
				}
				return withOptions(files.Store, o)
			}
		})
	})
	t.Run("memory", func(t *testing.T) {
		contexttest.Run(t, func(_ *testing.T, o contexttest.Options) func() contexts.Home {
			store := withOptions(contexts.NewMemory(), o)
			return func() contexts.Home { return store }
		})
	})
}

func withOptions(s *contexts.Store, o contexttest.Options) *contexts.Store {
	s.Limits, s.Report, s.Storage.MaxEntries = o.Limits, o.Report, 7 // so that files make partitions
	contexts.SetClock(s, o.Now)
	return s
}
