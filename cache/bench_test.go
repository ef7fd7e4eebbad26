package cache_test

import (
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"strconv"
	"syscall"
	"testing"
	"time"

	"github.com/chibi-host/chibi/cache"
	"github.com/chibi-host/chibi/cache/cachetest"
	"github.com/chibi-host/chibi/plugin/process"
)

// BenchmarkGigabyte takes 1 GB of output of a process to disk, into the cache,
// and reads its middle, its end and a search. It reports the time of each and
// the largest memory of this process. Its floor is `cat` writing the same to a
// file.
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
		measure("floor", func() {
			_, err := process.Runner{}.Run(b.Context(), process.Command{Path: "/bin/sh",
				Args: []string{"-c", script + " > " + filepath.Join(dir, "floor")}})
			must(err)
		})
		measure("spool", func() {
			var err error
			out, err = process.Runner{}.Run(b.Context(), process.Command{Path: script, MaxOutput: 2 * size, Spool: c.SpillFile})
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
		b.ReportMetric(float64(took["spool"])/float64(took["floor"]), "spool-x-floor")
		must(c.Clear())
	}
	b.ReportMetric(peakMiB(b), "peak-MiB")
}

// peakMiB is the largest resident memory of this process so far.
func peakMiB(b *testing.B) float64 {
	b.Helper()
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
		b.Fatal(err)
	}
	if runtime.GOOS == "darwin" {
		return float64(usage.Maxrss) / (1 << 20)
	}
	return float64(usage.Maxrss) / (1 << 10)
}
