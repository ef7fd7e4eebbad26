//go:build linux

package campaign

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"sync"
	"testing"
	"time"
)

// settings are the flags of the campaign. Without a progress directory, it is the short
// form.
type settings struct {
	progress string
	only     string
	minutes  int
	seed     uint64
	number   int
	commit   string
	fuzzTime time.Duration // of each target
}

func flags() *settings {
	s := &settings{}
	flag.StringVar(&s.progress, "campaign.progress", "",
		"the long form: keep progress in this directory and go on from there")
	flag.StringVar(&s.only, "campaign.only", "", "run only this kind")
	flag.IntVar(&s.minutes, "campaign.minutes", fullMinutes,
		"how long the long form may take; fewer minutes run fewer cases")
	flag.Uint64Var(&s.seed, "campaign.seed", 1, "what cases depend on")
	flag.IntVar(&s.number, "campaign.case", -1, "run only the case of this number")
	flag.StringVar(&s.commit, "campaign.commit", "", "what is attacked, for the table")
	return s
}

// fullMinutes is how long all cases take on two cores.
const fullMinutes = 240

// kind is one way to attack.
type kind struct {
	name string
	what string // for the table
	// short and long are how many cases the two forms run.
	short, long int
	attack      func(a *attempt)
	scales      bool // fewer minutes run fewer cases
}

func kinds() []kind {
	return []kind{
		{"kill", "kill -9 of real runs", len(runs()), 16_000, attackByKilling, true},
		{"writers", "12 to 32 writers at once", len(writers()), 80, attackByWriting, true},
		{"cuts", "files cut at every byte", 2, len(cutFiles()), attackByCutting, false},
		{"files", "something else where a file of the home should be", 5,
			len(homeFiles()) * len(shapes()), attackByFiles, false},
		{"disks", "disks without room or inodes", 5, 1000, attackByFilling, true},
		{"plugins", "hostile plugins", 5, len(hostilePlugins()), attackByPlugin, false},
		{"servers", "hostile model servers", 6, len(hostileServers()), attackByServer, false},
		{"screen", "terminal sequences in foreign text", 27, len(places()) * len(sequences()), attackTheScreen, false},
		{"leaks", "turns of one session, watched for leaks", 1, len(sessions()), attackByPatience, false},
		{"lines", "generated command lines in real shells", 0, 500, attackByLines, true}, // go test has them elsewhere
		{"fuzz", "fuzz targets", 0, 0, attackByFuzzing, false},                           // as many as there are
	}
}

// attempt is one case.
type attempt struct {
	*settings
	t      *testing.T
	kind   string
	number int
	rand   *rand.Rand
	dir    string // for files of this case, removed after it
	short  bool

	mu sync.Mutex
	report
}

// report holds the results of cases.
type report struct {
	Tried    int       `json:"tried"`
	Memory   int64     `json:"memory_kib"` // the highest VmHWM
	Skipped  []string  `json:"skipped,omitempty"`
	Findings []finding `json:"findings,omitempty"`
}

// finding is something that happened and must not happen.
type finding struct {
	What string `json:"what"`
	Case int    `json:"case"`
	Text string `json:"text"`
}

const (
	lost   = "lost"
	hung   = "hung"
	over   = "over 100 MiB"
	left   = "left running"
	passed = "passed a guard"
	screen = "reached the screen"
	leaked = "leaked"
	broken = "broken"
)

func (a *attempt) found(what, format string, args ...any) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.Findings = append(a.Findings, finding{what, a.number, fmt.Sprintf(format, args...)})
}

// skip says why a case could not be tried here.
func (a *attempt) skip(why string) {
	if !slices.Contains(a.Skipped, why) {
		a.Skipped = append(a.Skipped, why)
	}
}

func (r *report) add(other report) {
	r.Tried += other.Tried
	r.Memory = max(r.Memory, other.Memory)
	r.Findings = append(r.Findings, other.Findings...)
	for _, why := range other.Skipped {
		if !slices.Contains(r.Skipped, why) {
			r.Skipped = append(r.Skipped, why)
		}
	}
}

// given is set by TestMain.
var given = flags()

// binary is the program that is attacked; TestMain builds it.
var binary string

func TestMain(m *testing.M) {
	flag.Parse()
	dir, err := os.MkdirTemp("", "campaign-")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	binary = filepath.Join(dir, "chibi")
	code := 1
	if err := build(binary); err != nil {
		fmt.Fprintln(os.Stderr, err)
	} else {
		code = m.Run()
	}
	os.RemoveAll(dir)
	os.Exit(code)
}

// TestCampaign runs a few cases of each kind or, with -campaign.progress, continues the
// long form.
func TestCampaign(t *testing.T) {
	if given.progress != "" {
		goOn(t, given)
		return
	}
	for _, k := range kinds() {
		if given.only != "" && given.only != k.name {
			continue
		}
		t.Run(k.name, func(t *testing.T) {
			t.Parallel() // most cases wait
			first, count := 0, k.short
			if given.number >= 0 {
				first, count = given.number, 1
			}
			r := series(t, k, first, count)
			if given.number >= 0 {
				say("%s, case %d: %d tried, %d findings", k.name, given.number, r.Tried, len(r.Findings))
			}
			for _, f := range r.Findings {
				t.Errorf("%s: %s\nagain: go test ./internal/campaign -run TestCampaign/%s -campaign.seed %d -campaign.case %d",
					f.What, f.Text, k.name, given.seed, f.Case)
			}
			for _, why := range r.Skipped {
				t.Log("skipped: ", why)
			}
			t.Logf("%d tried, at most %d KiB", r.Tried, r.Memory)
		})
	}
}

// series runs cases of a kind, two at a time, and adds up what they find.
func series(t *testing.T, k kind, first, count int) (sum report) {
	t.Helper()
	numbers := make(chan int)
	var mu sync.Mutex
	var workers sync.WaitGroup
	for range min(2, runtime.NumCPU()) {
		workers.Go(func() {
			for number := range numbers {
				r := try(t, k, number)
				mu.Lock()
				sum.add(r)
				mu.Unlock()
			}
		})
	}
	for i := range count {
		numbers <- spread(k, first, i, count)
	}
	close(numbers)
	workers.Wait()
	return sum
}

// spread picks the cases of the short form from the whole range of a kind, so
// that a few of them differ.
func spread(k kind, first, i, count int) int {
	if given.progress == "" && given.number < 0 && !k.scales {
		return i * (k.long/count + 1) % k.long
	}
	return first + i
}

func try(t *testing.T, k kind, number int) report {
	dir, err := os.MkdirTemp(filepath.Dir(binary), k.name+"-")
	if err != nil {
		return report{Findings: []finding{{broken, number, err.Error()}}}
	}
	defer os.RemoveAll(dir)
	a := &attempt{
		settings: given, t: t, kind: k.name, number: number, dir: dir, short: given.progress == "",
		rand: rand.New(rand.NewPCG(given.seed, uint64(number))),
	}
	k.attack(a)
	if a.Memory > maxMemory {
		a.found(over, "VmHWM is %d KiB", a.Memory)
	}
	return a.report
}

// maxMemory is in KiB.
const maxMemory = 100 << 10

// soon bounds what takes almost no time, even on a busy machine.
const soon = 30 * time.Second
