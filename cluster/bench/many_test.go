package bench_test

import (
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/chibi-host/chibi/cluster/internal/natstest"
	"github.com/chibi-host/chibi/cluster/internal/pgtest"
)

var (
	many     = flag.Int("many", 0, "how many contexts a home has in which commands are timed")
	brief    = flag.Bool("brief", false, "leave out the commands that read every context")
	programs = flag.String("programs", "", "programs that were built before, and are timed in turns; separated by commas")
)

// manyCommand is what is timed in a home of many contexts.
type manyCommand struct {
	arguments []string
	isDue     bool // the daily work is, and is done in a prompt
	readsAll  bool // every context, so it is timed once
}

func manyCommands() []manyCommand {
	return []manyCommand{
		{arguments: []string{"-c", "one", "hi"}},
		{arguments: []string{"-c", "one", "hi"}, isDue: true},
		{arguments: []string{"-L"}},
		{arguments: []string{"-L", "--limit", "50"}},
		{arguments: []string{"-L", "--newest", "--limit", "50"}},
		{arguments: []string{"doctor"}},
		{arguments: []string{"store", "gc"}, readsAll: true},
		{arguments: []string{"store", "check"}, readsAll: true},
	}
}

// TestManyContexts makes a home with -many contexts, each with two entries and a lease that was given
// back, on one NATS server and in PostgreSQL, which need not keep them, and prints how long commands
// take there. bench/store --many N runs it.
func TestManyContexts(t *testing.T) {
	if *many == 0 {
		t.Skip("bench/store --many 100000 measures it")
	}
	places := []*place{natsPlace(t, "NATS", natstest.Start(t, temp(t), "", "").URL(), 1)}
	if list := pgtest.Installed(); len(list) > 0 {
		server, err := pgtest.Start(list[0], "fsync=off")
		must(t, err)
		t.Cleanup(server.Stop)
		places = append(places, postgresPlace(t, server))
	}
	built := strings.Split(*programs, ",")
	if *programs == "" {
		built = []string{build(t)}
	}
	for _, p := range places {
		began := time.Now()
		crowd(t, p, p.here, *many)
		fmt.Printf("%s: %d contexts made in %.0f s\n", p.name, *many, time.Since(began).Seconds())
		r := runner{home: temp(t), url: p.here, place: p}
		r.program = built[0]
		r.once(t, manyCommand{arguments: []string{"-c", "one", "hi"}}) // with what is done once a day
		for _, c := range manyCommands() {
			r.compare(t, built, c)
		}
	}
}

// compare times a command with each program in turns, and prints the times in their order.
func (r runner) compare(t *testing.T, built []string, c manyCommand) {
	t.Helper()
	times, runs := map[string][]float64{}, 3
	if c.readsAll {
		runs = 1
	}
	if c.readsAll && *brief {
		return
	}
	for range runs {
		for _, r.program = range built {
			times[r.program] = append(times[r.program], r.once(t, c).Seconds())
		}
	}
	what := strings.Join(c.arguments, " ")
	if c.isDue {
		what += ", daily work due"
	}
	for _, program := range built {
		slices.Sort(times[program])
		fmt.Printf("%-11s %-32s %-16s %.2f s\n", r.place.name, what, filepath.Base(program), times[program])
	}
}

// once runs a command, and says how long it took.
func (r runner) once(t *testing.T, c manyCommand) time.Duration {
	t.Helper()
	if c.isDue {
		makeDue(t, r.place, r.home)
	}
	cmd := exec.Command(r.program, append([]string{"--home", r.home, "--store", r.url}, c.arguments...)...)
	cmd.Env = slices.DeleteFunc(os.Environ(), func(v string) bool { return strings.HasPrefix(v, "CHIBI_") })
	began := time.Now()
	out, err := cmd.CombinedOutput()
	took := time.Since(began)
	if err != nil && c.arguments[0] != "doctor" { // which has its own findings about this machine
		t.Errorf("%v: %v\n%.1000s", c.arguments, err, out)
	}
	return took
}

// yesterday is when the daily work was last done: it is due.
const yesterday = 36 * time.Hour

// makeDue has the daily work of the store be due, and this machine not know otherwise.
func makeDue(t *testing.T, p *place, home string) {
	t.Helper()
	must(t, os.WriteFile(filepath.Join(home, ".tidied"), fmt.Appendf(nil, "%d", time.Now().Add(-yesterday).Unix()), 0o600))
	var rev uint64
	if d, err := p.engine.Docs.Get(t.Context(), "gc"); err == nil {
		rev = d.Rev
	}
	_, err := p.engine.Docs.Put(t.Context(), "gc", fmt.Appendf(nil, `{"at":%d}`, time.Now().Add(-yesterday).Unix()), rev)
	must(t, err)
}
