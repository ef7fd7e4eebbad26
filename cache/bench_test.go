package cache_test

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/chibi-host/chibi/cache"
	"github.com/chibi-host/chibi/cache/cachetest"
	"github.com/chibi-host/chibi/internal/disk"
	"github.com/chibi-host/chibi/plugin/process"
)

// BenchmarkGigabyte takes 1 GB of output of a process to disk and into the cache,
// and reads its middle, its end and a search. It reports the time of each and
// the largest memory of this process. Its floor is the same process writing to a
// file itself, which is then made durable, as what is cached is: spool and put
// together are x-floor, and x-write if the floor may leave all of it in memory.
func BenchmarkGigabyte(b *testing.B) {
	const size = 1 << 30
	dir := b.TempDir()
	script := filepath.Join(dir, "big")
	if err := os.WriteFile(script, []byte("#!/bin/sh\nyes 'a line of output that is as long as lines often are, "+
		"sixty-four' | head -c "+strconv.Itoa(size)+"\n"), 0o755); err != nil {
		b.Fatal(err)
	}
	c := cache.Open(filepath.Join(dir, "cache"))
	must := func(err error) {
		if err != nil {
			b.Fatal(err)
		}
	}
	for b.Loop() {
		took := map[string]time.Duration{}
		measure := func(name string, step func()) {
			begin := time.Now()
			step()
			took[name] = time.Since(begin)
		}
		var out process.Outcome
		floor := filepath.Join(dir, "floor")
		measure("write", func() {
			_, err := process.Runner{}.Run(b.Context(), process.Command{Path: "/bin/sh",
				Args: []string{"-c", script + " > " + floor}})
			must(err)
		})
		measure("sync", func() { must(disk.Sync(floor)) })
		must(os.Remove(floor))
		measure("spool", func() {
			var err error
			out, err = process.Runner{}.Run(b.Context(), process.Command{Path: script, MaxOutput: 2 * size,
				Spool: func() (process.Spool, error) { return c.SpillFile() }})
			must(err)
		})
		var e cache.Entry
		measure("put", func() {
			var err error
			e, err = c.PutFile("big", nil, out.Spooled)
			must(err)
		})
		measure("open", func() { cachetest.Open(b, c, e.ID) })
		text := cachetest.Open(b, c, e.ID)
		measure("middle", func() {
			_, err := text.Lines(e.Lines/2, e.Lines/2+10, 16<<10)
			must(err)
		})
		measure("tail", func() {
			_, err := text.Tail(50, 16<<10)
			must(err)
		})
		measure("grep", func() {
			_, err := text.Grep(b.Context(), cache.Search{Pattern: regexp.MustCompile("sixty-five"), MaxBytes: 16 << 10})
			must(err)
		})
		for name, d := range took {
			b.ReportMetric(float64(d.Microseconds())/1000, name+"-ms")
		}
		kept := float64(took["spool"] + took["put"])
		b.ReportMetric(kept/float64(took["write"]+took["sync"]), "x-floor")
		b.ReportMetric(kept/float64(took["write"]), "x-write")
		must(c.Clear())
	}
	b.ReportMetric(peakMiB(b), "peak-MiB")
}

// peakMiB is the largest resident memory of this process so far, which Linux says; elsewhere it
// is what Go has from the system now.
func peakMiB(b *testing.B) float64 {
	b.Helper()
	status, _ := os.ReadFile("/proc/self/status")
	if _, peak, ok := strings.Cut(string(status), "VmHWM:"); ok {
		var kib float64
		fmt.Sscan(peak, &kib)
		return kib / (1 << 10)
	}
	var memory runtime.MemStats
	runtime.ReadMemStats(&memory)
	return float64(memory.Sys) / (1 << 20)
}
