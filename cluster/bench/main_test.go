// Package bench measures what a store costs: a home of files, NATS with one server and with
// three, and PostgreSQL, in turns, so that a busy machine slows all of them. bench/store
// runs it. It is a test, as the servers that it starts end with tests.
package bench_test

import (
	"flag"
	"os"
	"path/filepath"
	"testing"

	"github.com/chibi-host/chibi/cluster/internal/natstest"
)

func TestMain(m *testing.M) { os.Exit(natstest.Main(m, os.Stdin, os.Stderr)) }

var (
	checkGoals = flag.Bool("goals", false, "fail if a goal is missed")
	appends    = flag.Int("appends", 1000, "how many appends are measured in each store")
	entries    = flag.Int("entries", 2000, "how long the long conversation is")
	others     = flag.Int("contexts", 1000, "how many contexts the large home has")
	blobSize   = flag.Int("blob", 16, "the size of the large value in MB")
	turns      = flag.Int("turns", 15, "how many turns are measured in each store")
)

// TestFigures prints the table, and checks the goals if -goals is given. bench/store runs it.
func TestFigures(t *testing.T) {
	if os.Getenv("CHIBI_BENCH") == "" {
		t.Skip("figures are measured by bench/store")
	}
	places := allPlaces(t)
	b := &bench{T: t, places: places, results: map[string]map[string]samples{}}
	for _, r := range rows() {
		b.measure(r)
	}
	program := build(t)
	b.measureTurns(program)
	b.print()
	b.checkGoals()
}

// TestASmallRunMeasuresEveryRow: the rows work, on the two stores that need no installation.
func TestASmallRunMeasuresEveryRow(t *testing.T) {
	if testing.Short() {
		t.Skip("it starts a server")
	}
	if os.Getenv("CHIBI_BENCH") != "" {
		t.Skip("TestFigures measures them")
	}
	*appends, *entries, *blobSize = 5, 120, 1
	server := natstest.Start(t, "", natstest.Always, "")
	b := &bench{T: t, places: []*place{files(t), natsPlace(t, "NATS R1", server.URL(), 1)},
		results: map[string]map[string]samples{}}
	for _, r := range rows() {
		r.reps = min(r.reps, 2)
		b.measure(r)
		for _, p := range b.places {
			if s := b.results[r.name][p.name]; r.applies(p) && len(s) == 0 {
				t.Errorf("%s: nothing was measured of %s", r.name, p.name)
			}
		}
	}
}

// temp returns an empty directory on the disk of the working directory or of $CHIBI_BENCH_DIR.
func temp(t testing.TB) string {
	t.Helper()
	dir, err := os.MkdirTemp(os.Getenv("CHIBI_BENCH_DIR"), "chibi-bench-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	if dir, err = filepath.EvalSymlinks(dir); err != nil {
		t.Fatal(err)
	}
	return dir
}
