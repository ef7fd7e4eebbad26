//go:build linux

package campaign

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"
)

// progress is the state of the long form, kept on disk.
type progress struct {
	Seed    uint64             `json:"seed"`
	Commits []string           `json:"commits"`
	Seconds float64            `json:"seconds"` // spent so far
	Kinds   map[string]*extent `json:"kinds"`
}

// extent is the progress of a kind.
type extent struct {
	Next  int    `json:"next"`
	Count int    `json:"count"`
	Each  string `json:"each,omitempty"` // how long a fuzz target runs at least
	report
}

// batch is how many cases run between two checks of the time.
const batch = 20

// goOn continues the long form until it is done, its time is over, or it is interrupted.
func goOn(t *testing.T, s *settings) {
	p, err := readProgress(s)
	if err != nil {
		t.Fatal(err)
	}
	var stop atomic.Bool
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	go func() { <-signals; say("stopping; the cases that run now run again next time"); stop.Store(true) }()
	begin := time.Now()
	deadline := begin.Add(time.Duration(s.minutes) * time.Minute)
	spent := p.Seconds
	for _, k := range kinds() {
		if s.only != "" && s.only != k.name {
			continue
		}
		d := p.of(k, s, deadline)
		for d.Next < d.Count && !stop.Load() && (time.Now().Before(deadline) || s.only != "") {
			n := min(batch, d.Count-d.Next)
			if k.name == "fuzz" || k.name == "leaks" || k.name == "cuts" {
				n = min(2, d.Count-d.Next)
			}
			found := series(t, k, d.Next, n)
			if stop.Load() { // the signal may have ended what they started; they run again
				break
			}
			d.add(found)
			d.Next += n
			p.Seconds = spent + time.Since(begin).Seconds()
			if err := p.write(s); err != nil {
				t.Fatal(err)
			}
			say("%-8s %6d of %6d, %6d tried, %d findings, %v", k.name, d.Next, d.Count, d.Tried, len(d.Findings),
				time.Since(begin).Round(time.Second))
		}
	}
	p.sayTheEnd(t, s)
}

// of returns the progress of a kind, new if it was not begun, with the number of its
// cases. For fuzz targets it also sets how long each runs.
func (p *progress) of(k kind, s *settings, deadline time.Time) *extent {
	d := p.Kinds[k.name]
	if d == nil {
		d = &extent{}
		p.Kinds[k.name] = d
	}
	d.Count = k.long
	if k.scales {
		d.Count = max(k.short, k.long*s.minutes/fullMinutes)
	}
	if k.name == "fuzz" {
		targets, _ := fuzzTargets()
		d.Count = len(targets)
		rounds := (d.Count - d.Next + 1) / 2
		s.fuzzTime = min(maxFuzzTime, time.Until(deadline)/time.Duration(max(1, rounds))).Round(time.Second)
		s.fuzzTime = max(s.fuzzTime, 5*time.Second)
		d.Each = fmt.Sprintf(", %v each", s.fuzzTime)
	}
	return d
}

// sayTheEnd prints the table, and writes it to a file beside the progress.
func (p *progress) sayTheEnd(t *testing.T, s *settings) {
	table := p.table()
	file := filepath.Join(s.progress, "table.md")
	if err := os.WriteFile(file, []byte(table), 0o644); err != nil {
		t.Fatal(err)
	}
	say("\n%s\nThe table is in %s; all that was found in %s.", table, file, progressFile(s))
	var open []string
	for _, k := range kinds() {
		if s.only != "" && s.only != k.name {
			continue
		}
		d := p.Kinds[k.name]
		if d == nil || d.Next < d.Count {
			open = append(open, k.name)
		}
		if d == nil {
			continue
		}
		for i, f := range d.Findings {
			if i < 20 {
				t.Errorf("%s: %s\nagain: .ci/campaign --seed %d --case %d --only %s", f.What, f.Text, s.seed, f.Case, k.name)
			}
		}
	}
	if len(open) > 0 {
		say("Not finished: %s. To go on, run the same command again without --new.", strings.Join(open, ", "))
	}
}

// table returns the table for docs/internals/CAMPAIGN.md.
func (p *progress) table() string {
	columns := []string{lost, hung, over, left, passed, screen, leaked, broken}
	var b strings.Builder
	fmt.Fprintf(&b, "Commit %s, seed %d, %d minutes:\n\n", strings.Join(p.Commits, ", "), p.Seed, int(p.Seconds+59)/60)
	fmt.Fprintf(&b, "| kind | cases | tried | %s | highest memory |\n| --- |%s\n", strings.Join(columns, " | "),
		strings.Repeat(" --- |", len(columns)+3))
	for _, k := range kinds() {
		d := p.Kinds[k.name]
		if d == nil {
			continue
		}
		cells := []string{k.what + d.Each, fmt.Sprintf("%d of %d", d.Next, d.Count), fmt.Sprint(d.Tried)}
		for _, column := range columns {
			n := 0
			for _, f := range d.Findings {
				if f.What == column {
					n++
				}
			}
			cells = append(cells, fmt.Sprint(n))
		}
		memory := "-"
		if d.Memory > 0 {
			memory = fmt.Sprintf("%d MiB", d.Memory>>10)
		}
		fmt.Fprintf(&b, "| %s | %s |\n", strings.Join(cells, " | "), memory)
	}
	for _, k := range kinds() {
		if d := p.Kinds[k.name]; d != nil && len(d.Skipped) > 0 {
			fmt.Fprintf(&b, "\nSkipped (%s): %s.\n", k.name, strings.Join(d.Skipped, "; "))
		}
	}
	return b.String()
}

func progressFile(s *settings) string { return filepath.Join(s.progress, "progress.json") }

func readProgress(s *settings) (*progress, error) {
	p := &progress{Seed: s.seed, Kinds: map[string]*extent{}}
	text, err := os.ReadFile(progressFile(s))
	if err == nil {
		err = json.Unmarshal(text, p)
		s.seed = p.Seed
	}
	if errors.Is(err, fs.ErrNotExist) {
		err = os.MkdirAll(s.progress, 0o755)
	}
	if s.commit != "" && !slices.Contains(p.Commits, s.commit) {
		p.Commits = append(p.Commits, s.commit)
	}
	return p, err
}

func (p *progress) write(s *settings) error {
	text, err := json.MarshalIndent(p, "", "  ")
	if err != nil {
		return err
	}
	if err := os.WriteFile(progressFile(s)+".new", text, 0o644); err != nil {
		return err
	}
	return os.Rename(progressFile(s)+".new", progressFile(s))
}

// say prints progress.
func say(format string, args ...any) { fmt.Fprintf(os.Stderr, format+"\n", args...) }
