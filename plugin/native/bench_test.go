package native_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/chibi-host/chibi/hookpoints"
	"github.com/chibi-host/chibi/internal/schemas"
	"github.com/chibi-host/chibi/plugin"
	"github.com/chibi-host/chibi/plugin/native"
	"github.com/chibi-host/chibi/plugin/oneshot"
	"golang.org/x/sync/errgroup"
)

// The benchmarks measure dispatch as a ratio to its floor: the same scripts
// started by a bare loop, at the same parallelism, with the same payload on
// standard input, in the same run. A ratio of 1 is a host that costs nothing.

// benchDir writes n sh plugins that subscribe to the benchmarked points.
func benchDir(b *testing.B, n int) (dir string, paths []string) {
	b.Helper()
	dir = b.TempDir()
	for i := range n {
		name := fmt.Sprintf("p%02d", i)
		path := filepath.Join(dir, name)
		script := "#!/bin/sh\n[ \"$1\" = --schema ] && { echo '{\"name\":\"" + name +
			"\",\"hooks\":[\"post_message\",\"pre_system_prompt\",\"pre_tool_output\"]}'; exit; }\necho '{}'\n"
		if err := os.WriteFile(path, []byte(script), 0o755); err != nil {
			b.Fatal(err)
		}
		paths = append(paths, path)
	}
	return dir, paths
}

// bare runs the scripts with nothing around them.
func bare(b *testing.B, paths []string, parallel int, arg ...string) {
	b.Helper()
	var g errgroup.Group
	g.SetLimit(parallel)
	for _, path := range paths {
		g.Go(func() error {
			cmd := exec.Command(path, arg...)
			cmd.Env = append(os.Environ(), "CHIBI_HOOK=post_message", "CHIBI_HOOK_DATA={}")
			cmd.Stdin = strings.NewReader("{}\n")
			_, err := cmd.Output()
			return err
		})
	}
	if err := g.Wait(); err != nil {
		b.Fatal(err)
	}
}

func BenchmarkDispatch(b *testing.B) {
	parallel := plugin.DefaultParallel()
	output := func(ctx context.Context, h *plugin.Host) error {
		_, err := plugin.Fire(ctx, h, hookpoints.PreToolOutput,
			hookpoints.PreToolOutputPayload{Arguments: []byte("{}"), Output: "o"})
		return err
	}
	modes := []struct {
		name     string
		parallel int
		fire     func(ctx context.Context, h *plugin.Host) error
	}{
		{"observe", parallel, func(ctx context.Context, h *plugin.Host) error {
			_, err := plugin.Fire(ctx, h, hookpoints.PostMessage, hookpoints.PostMessagePayload{Prompt: "p", Response: "r"})
			return err
		}},
		{"gather", parallel, func(ctx context.Context, h *plugin.Host) error {
			_, err := plugin.Fire(ctx, h, hookpoints.PreSystemPrompt, hookpoints.SystemPromptPayload{})
			return err
		}},
		{"chain", 1, output},
		{"round", parallel, output},
	}
	for _, n := range []int{1, 10, 50} {
		dir, paths := benchDir(b, n)
		loaded, err := native.Load(b.Context(), native.Options{Dir: dir})
		if err != nil || len(loaded.Plugins) != n {
			b.Fatalf("%d plugins, %v: %+v", len(loaded.Plugins), err, loaded.Skipped)
		}
		for _, mode := range modes {
			host := &plugin.Host{Plugins: slices.Clone(loaded.Plugins)}
			for i := range host.Plugins {
				if mode.name == "round" {
					host.Plugins[i].Round = mode.name
				}
			}
			b.Run(fmt.Sprintf("%s/%d", mode.name, n), func(b *testing.B) {
				compare(b, func() {
					if err := mode.fire(b.Context(), host); err != nil {
						b.Fatal(err)
					}
				}, func() { bare(b, paths, mode.parallel) })
			})
		}
	}
}

func BenchmarkProbe(b *testing.B) {
	dir, paths := benchDir(b, 50)
	compare(b, func() {
		if loaded, err := native.Load(b.Context(), native.Options{Dir: dir}); err != nil || len(loaded.Plugins) != 50 {
			b.Fatalf("%d plugins, %v", len(loaded.Plugins), err)
		}
	}, func() { bare(b, paths, plugin.DefaultParallel(), "--schema") })
}

// BenchmarkProbeWarm loads plugins whose schemas are remembered, and reports the time for
// each further one: 50 less one, in the same run.
func BenchmarkProbeWarm(b *testing.B) {
	const all = 50
	load := func(n int) func() {
		dir, _ := benchDir(b, n)
		home := b.TempDir()
		later := func() time.Time { return time.Now().Add(time.Hour) } // no file has just changed
		return func() {
			memory := schemas.Open(home, schemas.Options{Now: later})
			loaded, err := native.Load(b.Context(), native.Options{Dir: dir, Prober: oneshot.NewProber(memory, 0)})
			if err := errors.Join(err, memory.Save("")); err != nil || len(loaded.Plugins) != n {
				b.Fatalf("%d plugins, %v", len(loaded.Plugins), err)
			}
		}
	}
	one, many := load(1), load(all)
	one()
	many()
	var first, last time.Duration
	for b.Loop() {
		begin := time.Now()
		one()
		middle := time.Now()
		many()
		first += middle.Sub(begin)
		last += time.Since(middle)
	}
	b.ReportMetric(float64((last-first).Nanoseconds())/1000/float64(b.N)/(all-1), "us/plugin")
}

// BenchmarkSleepers has plugins that sleep for 0.1 s. The floor is that time for as many
// rounds as it takes to run them, so many at once; for a chain of pure plugins it is one.
func BenchmarkSleepers(b *testing.B) {
	const nap = 100 * time.Millisecond
	observe := func(ctx context.Context, h *plugin.Host) error {
		_, err := plugin.Fire(ctx, h, hookpoints.PostMessage, hookpoints.PostMessagePayload{Prompt: "p"})
		return err
	}
	gather := func(ctx context.Context, h *plugin.Host) error {
		_, err := plugin.Fire(ctx, h, hookpoints.PreSystemPrompt, hookpoints.SystemPromptPayload{})
		return err
	}
	chain := func(ctx context.Context, h *plugin.Host) error {
		_, err := plugin.Fire(ctx, h, hookpoints.PreTool, hookpoints.PreToolPayload{Arguments: []byte("{}")})
		return err
	}
	for _, c := range []struct {
		name   string
		n      int
		schema string
		fire   func(ctx context.Context, h *plugin.Host) error
	}{
		{"observe", 50, `"hooks":["post_message"]`, observe},
		{"gather", 50, `"hooks":["pre_system_prompt"]`, gather},
		{"guards", 50, `"hooks":["pre_tool"],"guards":["pre_tool"]`, chain},
		{"pure", 10, `"hooks":["pre_tool"],"pure":true`, chain},
	} {
		dir := b.TempDir()
		for i := range c.n {
			script := fmt.Sprintf("#!/bin/sh\n"+
				"[ \"$1\" = --schema ] && { echo '{\"name\":\"p%02d\",\"tool\":false,%s}'; exit; }\n"+
				"exec sleep %g\n", i, c.schema, nap.Seconds())
			if err := os.WriteFile(filepath.Join(dir, fmt.Sprintf("p%02d", i)), []byte(script), 0o755); err != nil {
				b.Fatal(err)
			}
		}
		loaded, err := native.Load(b.Context(), native.Options{Dir: dir})
		if err != nil || len(loaded.Plugins) != c.n {
			b.Fatalf("%d plugins, %v: %+v", len(loaded.Plugins), err, loaded.Skipped)
		}
		host := &plugin.Host{Plugins: loaded.Plugins}
		rounds := (c.n + plugin.DefaultParallel() - 1) / plugin.DefaultParallel()
		b.Run(fmt.Sprintf("%s/%d", c.name, c.n), func(b *testing.B) {
			compare(b, func() {
				if err := c.fire(b.Context(), host); err != nil {
					b.Fatal(err)
				}
			}, func() { time.Sleep(time.Duration(rounds) * nap) })
		})
	}
}

// compare runs the host and its floor in turns and reports how they relate.
func compare(b *testing.B, host, floor func()) {
	b.Helper()
	var hosted, bared time.Duration
	for b.Loop() {
		begin := time.Now()
		floor()
		middle := time.Now()
		host()
		bared += middle.Sub(begin)
		hosted += time.Since(middle)
	}
	b.ReportMetric(float64(hosted)/float64(bared), "x-floor")
	b.ReportMetric(float64(hosted.Microseconds())/float64(b.N)/1000, "ms/dispatch")
	b.ReportMetric(float64((hosted-bared).Microseconds())/float64(b.N)/1000, "ms-over-floor")
}
