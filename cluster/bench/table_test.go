package bench_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"
)

// samples are how long something took, each time.
type samples []time.Duration

func (s samples) quantile(q float64) time.Duration {
	sorted := slices.Sorted(slices.Values(s))
	return sorted[min(int(q*float64(len(sorted))), len(sorted)-1)]
}

func (s samples) median() time.Duration { return s.quantile(0.5) }

// bench is a run.
type bench struct {
	*testing.T
	places  []*place
	order   []string // of the rows
	results map[string]map[string]samples
	trips   map[string]map[string]int
}

// measure measures a row in all stores, in turns.
func (b *bench) measure(r row) {
	b.Helper()
	type part struct {
		place      *place
		once, tidy func()
	}
	var parts []part
	for _, p := range b.places {
		if r.applies(p) {
			once, tidy := r.prepare(b.T, p)
			parts = append(parts, part{p, once, tidy})
		}
	}
	for i := range r.reps {
		for n := range parts {
			part := parts[(i+n)%len(parts)]
			start := time.Now()
			part.once()
			b.add(r.name, part.place.name, time.Since(start))
			part.tidy()
		}
	}
}

// add notes a time.
func (b *bench) add(row, place string, took time.Duration) {
	if b.results[row] == nil {
		b.results[row] = map[string]samples{}
		b.order = append(b.order, row)
	}
	b.results[row][place] = append(b.results[row][place], took)
}

// print prints the table: medians in ms, and what they are of the files' in brackets.
func (b *bench) print() {
	var text strings.Builder
	fmt.Fprintf(&text, "\n| p50, ms (times the files') ")
	for _, p := range b.places {
		fmt.Fprintf(&text, "| %s ", p.name)
	}
	fmt.Fprintf(&text, "|\n| ---%s |\n", strings.Repeat(" | ---", len(b.places)))
	for _, row := range b.order {
		b.printRow(&text, row, row, samples.median)
		if row == rowAppend {
			b.printRow(&text, row, "p99", func(s samples) time.Duration { return s.quantile(0.99) })
		}
	}
	fmt.Fprintf(&text, "\n")
	for _, row := range []string{rowTurn, rowLarge} {
		for _, p := range b.places {
			if n, ok := b.trips[row][p.name]; ok {
				fmt.Fprintf(&text, "round trips of %s, %s: %d after connecting\n", row, p.name, n)
			}
		}
	}
	b.Log(text.String())
}

func (b *bench) printRow(text *strings.Builder, row, name string, of func(samples) time.Duration) {
	fmt.Fprintf(text, "| %s ", name)
	base := b.results[row]["files"]
	for _, p := range b.places {
		s := b.results[row][p.name]
		switch {
		case len(s) == 0:
			fmt.Fprint(text, "| ")
		case len(base) == 0 || p.name == "files":
			fmt.Fprintf(text, "| %.2f ", ms(of(s)))
		default:
			fmt.Fprintf(text, "| %.2f (%.2f) ", ms(of(s)), ratio(of(s), of(base)))
		}
	}
	fmt.Fprintln(text, "|")
}

func ms(d time.Duration) float64 { return float64(d) / 1e6 }

func ratio(a, b time.Duration) float64 { return float64(a) / float64(b) }

// checkGoals says what became of each goal, and fails if -goals is given and one is missed.
func (b *bench) checkGoals() {
	at := func(row, place string) time.Duration { return b.results[row][place].median() }
	const r3 = "NATS R3"
	for _, goal := range []struct {
		name      string
		got, most float64
	}{
		{"append on R3, times a bare publish", ratio(at(rowAppend, r3), at(rowPublish, r3)), 1.7},
		{"window of 50 on R3, times one bare Tail and Read", ratio(at(rowWindow, r3), at(rowBare, r3)), 2},
		{"a turn with one tool call on R3, times the files'", ratio(at(rowTurn, r3), at(rowTurn, "files")), 2.4},
		{"round trips of it", float64(b.trips[rowTurn][r3]), 11},
		{"round trips of one on PostgreSQL", float64(b.trips[rowTurn]["PostgreSQL"]), 11},
		{"a prompt in a large home on R3, times one in a small one", ratio(at(rowLarge, r3), at(rowTurn, r3)), 1.1},
		{"round trips in a large home, less those in a small one",
			float64(b.trips[rowLarge][r3] - b.trips[rowTurn][r3]), 0},
	} {
		switch {
		case goal.got <= goal.most:
			b.Logf("goal held:   %s: %.2f, at most %.2f", goal.name, goal.got, goal.most)
		case *checkGoals:
			b.Errorf("goal missed: %s: %.2f, at most %.2f", goal.name, goal.got, goal.most)
		default:
			b.Logf("goal missed: %s: %.2f, at most %.2f", goal.name, goal.got, goal.most)
		}
	}
}
