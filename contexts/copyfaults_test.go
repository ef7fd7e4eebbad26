package contexts_test

import (
	"errors"
	"testing"

	"github.com/chibi-host/chibi/contexts"
	"github.com/chibi-host/chibi/contexts/contexttest"
	"github.com/chibi-host/chibi/store"
	"github.com/chibi-host/chibi/store/storetest"
)

// fault makes one call of an engine fail, before it took effect or after.
type fault struct {
	left  int // calls until then
	after bool
	did   bool
}

func (f *fault) around(_ string, do func() error) error {
	if f.left--; f.left != 0 {
		return do()
	}
	f.did = true
	if f.after {
		if err := do(); err != nil {
			return err
		}
	}
	return store.ErrUnavailable
}

// TestACopyToAStoreThatFailsIsRepeated has each call of the store fail once, before it took
// effect and after: the copy that is repeated is complete, and so is the one back to files,
// which fails too.
func TestACopyToAStoreThatFailsIsRepeated(t *testing.T) {
	from := sourceOfCopies(t)
	want := contexttest.Observe(t, from.Store)
	want.Current = contexts.DefaultName
	for _, after := range []bool{false, true} {
		for n := 1; ; n++ {
			m := storetest.NewMemory()
			there := faultyCopy(t, m, &fault{left: n, after: after}, func(s *contexts.Store) error {
				return contexts.Copy(t.Context(), from.Store, s, contexts.CopyOptions{})
			})
			folder, err := contexts.Open(t.TempDir())
			if err != nil {
				t.Fatal(err)
			}
			back := faultyCopy(t, m, &fault{left: n, after: after}, func(s *contexts.Store) error {
				return contexts.Copy(t.Context(), s, folder.Store, contexts.CopyOptions{})
			})
			if diff := want.Diff(contexttest.Observe(t, folder.Store)); diff != "" {
				t.Fatalf("call %d failed, after it took effect: %v (-want +got):\n%s", n, after, diff)
			}
			if !there && !back {
				if n < 20 {
					t.Fatalf("the copies took only %d calls", n)
				}
				break
			}
		}
	}
}

// faultyCopy copies over an engine with a fault and then, unless that was done, without.
func faultyCopy(t *testing.T, m *storetest.Memory, f *fault, copy func(*contexts.Store) error) (failed bool) {
	t.Helper()
	err := copy(contexts.OpenShared(storetest.Around(m.Engine(store.Options{}), f.around), t.TempDir()))
	if err == nil { // what failed was asked again
		return f.did
	}
	if !f.did || !errors.Is(err, store.ErrUnavailable) {
		t.Fatalf("a call failed: %v; the error is %v", f.did, err)
	}
	if err := copy(contexts.OpenShared(m.Engine(store.Options{}), t.TempDir())); err != nil {
		t.Fatalf("repeated: %v", err)
	}
	return f.did
}
