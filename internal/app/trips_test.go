package app_test

import (
	"os"
	"path/filepath"
	"regexp"
	"testing"

	"github.com/chibi-host/chibi/store"
	"github.com/chibi-host/chibi/store/storetest"
)

// maxTrips is how many round trips a run takes at most that answers a prompt, after
// connecting. A tool call takes two more, to store the call and its result.
const maxTrips = 9

// moreWithPlugin is how many more it takes if plugins are asked before the mail is read.
const moreWithPlugin = 2

// TestARunTakesFewRoundTrips counts those of a prompt in the current context, of one with
// -C, and of one with -c, with a plugin that is asked first and without.
func TestARunTakesFewRoundTrips(t *testing.T) {
	for _, way := range []string{"current", "transient", "switched to"} {
		t.Run(way, func(t *testing.T) {
			dir := home(t)
			fewTrips(t, dir, way, maxTrips+moreWithPlugin)
			if err := os.RemoveAll(filepath.Join(dir, "plugins")); err != nil {
				t.Fatal(err)
			}
			fewTrips(t, dir, way, maxTrips)
		})
	}
}

// fewTrips asks prompts in a store of their own, and counts the round trips of each.
func fewTrips(t *testing.T, dir, way string, most int) {
	t.Helper()
	m := newShared()
	var trips func() []string
	m.wrap = func(e *store.Engine) {
		inner := *e
		counting, count := storetest.Counting(&inner)
		*e, trips = *counting, count
	}
	o := m.options(dir, "work")
	o.Transient = false
	for i := range 3 { // the first one makes the context, and does what is done daily
		if err := m.ask(o, "hello"); err != nil {
			t.Fatal(err)
		}
		m.longAgo(t)
		if o.Transient = way == "transient"; way == "current" {
			o.Context = ""
		}
		if got := trips(); i > 0 && len(got) > most {
			t.Errorf("%d round trips: %q", len(got), got)
		}
	}
}

// longAgo makes the context last used long ago.
func (m *shared) longAgo(t *testing.T) {
	t.Helper()
	e := m.memory.Engine(store.Options{})
	defer e.Close()
	d, err := e.Docs.Get(t.Context(), "name.work")
	if err == nil {
		long := regexp.MustCompile(`"last":\d+`).ReplaceAll(d.Data, []byte(`"last":1`))
		_, err = e.Docs.Put(t.Context(), d.Key, long, d.Rev)
	}
	if err != nil {
		t.Fatal(err)
	}
}
