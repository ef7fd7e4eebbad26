package oneshot_test

import (
	"context"
	"errors"
	"os"
	"runtime"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/chibi-host/chibi/plugin"
	"github.com/chibi-host/chibi/plugin/oneshot"
	"github.com/chibi-host/chibi/plugin/process"
)

// TestSoManyProbesRunAtOnce: all of them are there before the first one ends, and no
// other has begun.
func TestSoManyProbesRunAtOnce(t *testing.T) {
	for parallel, want := range map[int]int{0: plugin.DefaultParallel(), 3: 3} {
		testParallel(t, parallel, want)
	}
	if n := plugin.DefaultParallel(); n < 16 || n < 4*runtime.GOMAXPROCS(0) {
		t.Errorf("the default is %d at once", n)
	}
}

func testParallel(t *testing.T, parallel, want int) {
	synctest.Test(t, func(t *testing.T) {
		all := want + 4
		begun, end, done := make(chan int, all), make(chan struct{}), make(chan struct{})
		prober := oneshot.NewProber(nil, parallel)
		go func() {
			defer close(done)
			prober.Each(all, func(i int) {
				begun <- i
				<-end
			})
		}()
		synctest.Wait()
		if n := len(begun); n != want {
			t.Errorf("%d probes run at once, want %d", n, want)
		}
		close(end)
		<-done
		if n := len(begun); n != all {
			t.Errorf("%d probes ran, want %d", n, all)
		}
	})
}

// hungList is a memory for tests.
type hungList map[string]string

func (h hungList) Until(path string, _ time.Duration) (at, until time.Time, ok bool) {
	at = time.Date(2026, 1, 2, 15, 4, 0, 0, time.Local)
	return at, at.Add(10 * time.Minute), h[path] == "hung"
}

func (h hungList) Note(path string, _ time.Duration) (until time.Time, ok bool) {
	h[path] = "hung"
	return time.Date(2026, 1, 2, 15, 14, 0, 0, time.Local), true
}

func (h hungList) Forget(path string) { h[path] = "answered" }

func TestWhatHungIsNotAskedAgain(t *testing.T) {
	dir := t.TempDir()
	script := func(name, body string) process.Command {
		path := dir + "/" + name
		if err := os.WriteFile(path, []byte("#!/bin/sh\necho asked >> "+path+".log\n"+body+"\n"), 0o755); err != nil {
			t.Fatal(err)
		}
		return process.Command{Path: path, Timeout: time.Minute}
	}
	asked := func(c process.Command) int {
		text, _ := os.ReadFile(c.Path + ".log")
		return strings.Count(string(text), "asked")
	}
	memory := hungList{}
	prober := oneshot.NewProber(memory, 0)
	run := func(c process.Command, required bool) error {
		_, err := prober.Run(t.Context(), oneshot.Probe{Command: c, Required: required})
		return err
	}

	slow := script("slow", "sleep 1000")
	slow.Timeout = 300 * time.Millisecond
	err := run(slow, false)
	if want := "no answer after 300ms; asked again after 15:14, by chibi plugin list, or when its file changes " +
		"or plugins.probe_timeout_ms is raised"; !errors.Is(err, process.ErrTimeout) || err.Error() != want {
		t.Errorf("the first time: %v", err)
	}
	if err, want := run(slow, false), "no answer within 300ms at 15:04; asked again after 15:14, by chibi "+
		"plugin list, or when its file changes or plugins.probe_timeout_ms is raised"; !errors.Is(err,
		process.ErrTimeout) || err.Error() != want {
		t.Errorf("the second time: %v", err)
	}
	if asked(slow) > 1 {
		t.Errorf("it was asked %d times", asked(slow))
	}
	memory[slow.Path] = "required"
	if err := run(slow, true); err == nil || err.Error() != "no answer after 300ms" || memory[slow.Path] != "required" {
		t.Errorf("one that is required: %v, remembered as %q", err, memory[slow.Path])
	}

	for name, body := range map[string]string{"good": "echo '{}'", "bad": "exit 3"} {
		c := script(name, body)
		if err := run(c, false); err != nil || memory[c.Path] != "answered" {
			t.Errorf("%s: %v, remembered as %q", name, err, memory[c.Path])
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	interrupted := script("interrupted", "sleep 1000")
	if _, err := prober.Run(ctx, oneshot.Probe{Command: interrupted}); err == nil || memory[interrupted.Path] != "" {
		t.Errorf("interrupted: %v, remembered as %q", err, memory[interrupted.Path])
	}
}
