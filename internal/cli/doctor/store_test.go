package doctor

import (
	"testing"
	"time"

	"github.com/chibi-host/chibi/store"
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
		warning(`the server "n1" of the store is not current`, "see chibi store status, and whether it catches up"),
		warning("the store: it is nearly full", "docs/CLUSTER.md, Servers for a team"),
		fine("mail is looked for in intervals: no permission"),
		warning("this machine's clock is 1h0m0s from the store's; entries have this machine's time, and it "+
			"removes nothing that is old", "set the clock")}
	if diff := cmp.Diff(want, statusOf(s)); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}
