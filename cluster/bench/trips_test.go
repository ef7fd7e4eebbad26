package bench_test

import (
	"slices"
	"testing"

	"github.com/chibi-host/chibi/cluster/internal/natstest"
	"github.com/chibi-host/chibi/cluster/internal/pgtest"
)

// maxTrips is how many round trips a turn with one tool call takes at most, after connecting.
const maxTrips = 11

// TestATurnTakesFewRoundTrips as the program itself makes them, to a server that answers late.
func TestATurnTakesFewRoundTrips(t *testing.T) {
	if testing.Short() {
		t.Skip("it builds the program and starts servers")
	}
	places := []*place{natsPlace(t, "NATS R1", natstest.Start(t, "", "", "").URL(), 1)}
	if list := pgtest.Installed(); len(list) > 0 {
		places = append(places, postgres(t, list[0]))
	}
	b := &bench{T: t, trips: map[string]map[string]int{rowTurn: {}}}
	program := build(t)
	for _, p := range places {
		r := turner(t, program, p)
		r.turn(t, r.url)
		var seen []int
		for len(seen) < 5 && (len(seen) == 0 || slices.Min(seen) > maxTrips) { // a slow machine adds some
			b.count(rowTurn, r)
			seen = append(seen, b.trips[rowTurn][p.name])
		}
		if slices.Min(seen) > maxTrips {
			t.Errorf("%s: %d round trips", p.name, seen)
		}
	}
}
