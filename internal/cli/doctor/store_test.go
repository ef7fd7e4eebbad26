package doctor

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/chibi-host/chibi/contexts"
	"github.com/chibi-host/chibi/store"
	"github.com/chibi-host/chibi/store/storetest"
	"github.com/google/go-cmp/cmp"
)

func TestWhatTheStatusOfAStoreMeans(t *testing.T) {
	s := store.Status{Engine: "NATS 2.15.2", Home: "team", RoundTrip: 1234567, Format: 1, Push: true,
		Skew: 30 * time.Second, HasSkew: true, Servers: []store.Server{{Name: "n1", Current: true}}}
	well := fine("the store answers in 1.23ms: NATS 2.15.2, home team, format 1")
	if diff := cmp.Diff([]finding{well}, statusOf(s)); diff != "" {
		t.Errorf("all is well (-want +got):\n%s", diff)
	}
	s.Push, s.WhyNot, s.Skew = false, "no permission", -time.Hour
	s.Warnings, s.Servers[0].Current = []string{"it is nearly full"}, false
	want := []finding{well,
		warning(`the server "n1" of the store is not current`, "see in chibi store status whether it catches up"),
		warning("the store: it is nearly full", "docs/operating/CLUSTER.md, Servers for a team"),
		fine("chibi looks for mail in intervals: no permission"),
		warning("this machine's clock is 1h0m0s from the store's; entries have this machine's time, and it "+
			"removes nothing that is old", "set the clock")}
	if diff := cmp.Diff(want, statusOf(s)); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

// TestManyContextsCostNoMoreRoundTrips: doctor reads the conversations that were used last, and
// asks who uses those contexts.
func TestManyContextsCostNoMoreRoundTrips(t *testing.T) {
	memory, home := storetest.NewMemory(), t.TempDir()
	now := time.Now()
	made := 0
	measure := func(many int) (trips int, found []finding) {
		s := contexts.OpenShared(memory.Engine(store.Options{}), home)
		s.Now = func() time.Time { now = now.Add(time.Minute); return now }
		for ; made < many; made++ {
			c, err := s.Context(fmt.Sprintf("c%04d", made))
			if err == nil {
				err = c.Append(contexts.UserMessage("ann", c.Name(), "hi"))
			}
			if err == nil {
				err = s.Touch(c.Name())
			}
			if err != nil {
				t.Fatal(err)
			}
		}
		engine, count := storetest.Counting(memory.Engine(store.Options{}))
		found = conversations(t.Context(), contexts.OpenShared(engine, home))
		return len(count()), found
	}
	few, _ := measure(150)
	many, found := measure(600)
	if many != few {
		t.Errorf("%d round trips for 600 contexts, %d for 150", many, few)
	}
	const want = "50 transcripts read, none damaged; these were used last, and chibi store check reads all"
	if len(found) != 1 || found[0] != fine(want) {
		t.Errorf("%v; want %q", found, want)
	}
	c, err := contexts.OpenShared(memory.Engine(store.Options{}), home).Context("c0599")
	if err != nil {
		t.Fatal(err)
	}
	_, unlock, err := c.Lock(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer unlock()
	used, found := measure(600)
	if used != few || !strings.HasPrefix(found[0].Text, `context "c0599" is in use by process `) {
		t.Errorf("%d round trips, %v", used, found)
	}
}
