package storage_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"github.com/chibi-host/chibi/contexts"
	"github.com/chibi-host/chibi/internal/storage"
	"github.com/chibi-host/chibi/store"
	"github.com/chibi-host/chibi/store/storetest"
)

// names are the contexts of a place; "c" and "e" have expired.
var names = [...]string{"a", "b", "c", "d", "e", "f"}

// place is one with contexts, in files or in a store, at a time that a test sets.
type place struct {
	t *testing.T
	storage.Place
	*storage.Contents
	now   time.Time
	trips atomic.Int64 // to the store
}

// places calls test with a place of each kind.
func places(t *testing.T, test func(p *place)) {
	for kind, url := range map[string]string{"files": "", "shared": "memory://home"} {
		t.Run(kind, func(t *testing.T) { test(newPlace(t, url)) })
	}
}

func newPlace(t *testing.T, url string) *place {
	t.Helper()
	p := &place{t: t, now: time.Now().Add(48 * time.Hour)}
	e := storetest.NewMemory().Engine(store.Options{})
	e.Now = func() time.Time { return p.now }
	e.Time = func(context.Context) (time.Time, error) { return p.now, nil }
	counted := storetest.Around(e, func(_ string, do func() error) error { p.trips.Add(1); return do() })
	p.Place = storage.Place{Home: t.TempDir(), URL: url,
		Limits: func() (storage.Limits, error) { return storage.Limits{}, nil },
		Sharing: storage.Share(store.Drivers{"memory": {Open: func(context.Context, store.Options) (*store.Engine, error) {
			return counted, nil
		}}})}
	var err error
	if p.Contents, err = p.Place.Contents(t.Context()); err != nil {
		t.Fatal(err)
	}
	p.Store.Now = e.Now
	past := time.Unix(1000, 0)
	for _, name := range names {
		c, err := p.Store.Context(name)
		if err == nil {
			err = c.Append(contexts.UserMessage("ann", name, "one"))
		}
		if err == nil && (name == "c" || name == "e") {
			err = p.Store.SetDestroyRule(name, &past, nil)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	return p
}

// leftover is what a killed run has left in this machine's directory of a context.
func (p *place) leftover(name string) string {
	return filepath.Join(p.Home, "contexts", name, ".todos.md.tmp-1")
}

// sweptBy puts leftovers into the directories of all contexts that exist, and returns in which of them
// a step removes them.
func (p *place) sweptBy(step func()) (swept []string) {
	p.t.Helper()
	var there []string
	for _, name := range names {
		if !p.Exists(p.t.Context(), name) {
			continue
		}
		there = append(there, name)
		old := time.Now().Add(-48 * time.Hour)
		if err := errors.Join(os.MkdirAll(filepath.Dir(p.leftover(name)), 0o700),
			os.WriteFile(p.leftover(name), nil, 0o600), os.Chtimes(p.leftover(name), old, old)); err != nil {
			p.t.Fatal(err)
		}
	}
	step()
	for _, name := range there {
		if _, err := os.Stat(p.leftover(name)); os.IsNotExist(err) && p.Exists(p.t.Context(), name) {
			swept = append(swept, name)
		}
	}
	return swept
}

// TestWhatIsDoneDailyGoesOnWhereItEnded has little time: it is over when a context is destroyed.
func TestWhatIsDoneDailyGoesOnWhereItEnded(t *testing.T) {
	places(t, func(p *place) {
		var over context.CancelFunc
		run := storage.Run{Context: "a", Destroyed: func(contexts.Expired) { over() },
			Bound: func(ctx context.Context) (context.Context, context.CancelFunc) {
				ctx, over = context.WithCancel(ctx)
				return ctx, over
			}}
		for day, want := range []struct {
			swept []string
			isCut bool
		}{{[]string{"a", "b"}, true}, {[]string{"d"}, true}, {[]string{"f"}, false}, {[]string{"a", "b", "d", "f"}, false}} {
			swept := p.sweptBy(func() {
				done, err := storage.Caches{Contents: p.Contents}.Cleanup(p.t.Context(), run)
				if err != nil || done.IsCut != want.isCut {
					p.t.Errorf("day %d: %+v, %v", day, done, err)
				}
			})
			if !slices.Equal(swept, want.swept) {
				p.t.Errorf("day %d: swept are %q, want %q", day, swept, want.swept)
			}
			if swept := p.sweptBy(func() {
				if _, err := (storage.Caches{Contents: p.Contents}).Cleanup(p.t.Context(), run); err != nil {
					p.t.Error(err)
				}
			}); len(swept) > 0 {
				p.t.Errorf("day %d, again: swept are %q", day, swept)
			}
			p.now = p.now.Add(25 * time.Hour)
		}
	})
}

// TestCtrlCEndsTheCleaningUp in the midst of it, without an error; a run that has ended begins none.
func TestCtrlCEndsTheCleaningUp(t *testing.T) {
	places(t, func(p *place) {
		ctx, press := context.WithCancel(p.t.Context())
		run := storage.Run{Context: "a", Destroyed: func(contexts.Expired) { press() }}
		swept := p.sweptBy(func() {
			if _, err := (storage.Caches{Contents: p.Contents}).Cleanup(ctx, run); err != nil {
				p.t.Error(err)
			}
		})
		if want := []string{"a", "b"}; !slices.Equal(swept, want) {
			p.t.Errorf("swept are %q, want %q", swept, want)
		}
		p.now = p.now.Add(25 * time.Hour)
		if swept := p.sweptBy(func() {
			if _, err := (storage.Caches{Contents: p.Contents}).Cleanup(ctx, run); err != nil {
				p.t.Error(err)
			}
		}); len(swept) > 0 {
			p.t.Errorf("after a run that was ended: swept are %q", swept)
		}
	})
}

// TestCollectingEndsAtOnce when it is interrupted. When it has done everything, no run does anything
// for a day.
func TestCollectingEndsAtOnce(t *testing.T) {
	places(t, func(p *place) {
		ctx, press := context.WithCancel(p.t.Context())
		done := 0
		told := storage.Told{Destroyed: func(contexts.Expired) {}, Cleaned: func(string, int) {}, Left: func(int, int64) {},
			Done: func(n int) {
				if done = n; n == 2 {
					press()
				}
			}}
		swept := p.sweptBy(func() {
			if err := p.Collect(ctx, p.Contents, told); !errors.Is(err, context.Canceled) {
				p.t.Errorf("%v, want that it was interrupted", err)
			}
		})
		if want := []string{"a", "b"}; !slices.Equal(swept, want) || done != 2 {
			p.t.Errorf("swept are %q, %d are done; want %q", swept, done, want)
		}
		swept = p.sweptBy(func() {
			if err := p.Collect(p.t.Context(), p.Contents, told); err != nil {
				p.t.Error(err)
			}
		})
		if want := []string{"a", "b", "d", "f"}; !slices.Equal(swept, want) || done != len(names) {
			p.t.Errorf("swept are %q, %d are done; want %q", swept, done, want)
		}
		if isDue, after, err := p.Daily(p.t.Context()); isDue || after != "" || err != nil {
			p.t.Errorf("after that: %v %q, %v", isDue, after, err)
		}
	})
}

// TestAContextWithoutOutputsCostsOneRoundTrip where everything is cleaned up: there may be very many.
func TestAContextWithoutOutputsCostsOneRoundTrip(t *testing.T) {
	p := newPlace(t, "memory://home")
	told := storage.Told{Destroyed: func(contexts.Expired) {}, Cleaned: func(string, int) {}, Left: func(int, int64) {},
		Done: func(int) {}}
	collect := func() int64 {
		before := p.trips.Load()
		if err := p.Collect(t.Context(), p.Contents, told); err != nil {
			t.Fatal(err)
		}
		return p.trips.Load() - before
	}
	collect() // destroys two
	few := collect()
	const more = 10
	for i := range more {
		c, err := p.Store.Context(fmt.Sprintf("more%d", i))
		if err == nil {
			err = c.Append(contexts.UserMessage("ann", c.Name(), "one"))
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if many := collect(); many-few != more {
		t.Errorf("%d contexts more cost %d round trips more", more, many-few)
	}
}
