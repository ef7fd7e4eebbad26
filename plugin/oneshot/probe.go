package oneshot

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/chibi-host/chibi/plugin"
	"github.com/chibi-host/chibi/plugin/process"
)

// DefaultProbeTimeout is the default time limit of a probe.
const DefaultProbeTimeout = 5 * time.Second

// Hung remembers executables that did not answer a probe in time. It must be safe for
// concurrent use.
type Hung interface {
	// Until reports whether an executable, if its file is unchanged, recently hung with
	// at least the given time limit: when that was, and until when it is skipped.
	Until(path string, patience time.Duration) (at, until time.Time, ok bool)
	// Note records that an executable hung just now and returns until when it is skipped;
	// not ok: it is not skipped.
	Note(path string, patience time.Duration) (until time.Time, ok bool)
	// Forget removes the record of an executable, which has answered.
	Forget(path string)
}

// Prober probes executables: it asks them for their schema or event. It bounds how many
// are probed at once, over all protocols that share it, and with a memory it skips
// executables that recently hung. Use [NewProber] to create one. It is safe for concurrent
// use.
type Prober struct {
	hung  Hung
	slots chan struct{}
}

// NewProber returns a prober that probes so many executables at once; 0:
// [plugin.DefaultParallel]. hung may be nil: no executable is skipped.
func NewProber(hung Hung, parallel int) *Prober {
	return &Prober{hung: hung, slots: make(chan struct{}, cmp.Or(max(parallel, 0), plugin.DefaultParallel()))}
}

// Each calls ask for every index below n, concurrently, and returns when all calls have
// returned.
func (p *Prober) Each(n int, ask func(i int)) {
	var calls sync.WaitGroup
	for i := range n {
		p.slots <- struct{}{}
		calls.Go(func() {
			defer func() { <-p.slots }()
			ask(i)
		})
	}
	calls.Wait()
}

// Probe is the probe of one executable.
type Probe struct {
	// Runner runs it; nil: a process.Runner with its defaults.
	Runner Runner
	// Command is the command. It must have a Timeout.
	Command process.Command
	// Required is set for an executable that must never be skipped.
	Required bool
}

// Run runs a probe. Errors are those of [process.Runner.Run], and a
// process.ErrTimeout without a run for an executable that is skipped because it recently
// hung.
func (p *Prober) Run(ctx context.Context, probe Probe) (process.Outcome, error) {
	if probe.Runner == nil {
		probe.Runner = process.Runner{}
	}
	runner, c := probe.Runner, probe.Command
	if p.hung == nil || probe.Required {
		return runner.Run(ctx, c)
	}
	if at, until, ok := p.hung.Until(c.Path, c.Timeout); ok {
		return process.Outcome{}, fmt.Errorf("%w within %s at %s; %s", process.ErrTimeout, c.Timeout,
			clockTime(at), whenAgain(until))
	}
	out, err := runner.Run(ctx, c)
	switch {
	case errors.Is(err, process.ErrTimeout):
		if until, ok := p.hung.Note(c.Path, c.Timeout); ok {
			err = fmt.Errorf("%w; %s", err, whenAgain(until))
		}
	case err == nil:
		p.hung.Forget(c.Path)
	}
	return out, err
}

// whenAgain returns when a skipped executable is asked again.
func whenAgain(until time.Time) string {
	return fmt.Sprintf("asked again after %s, by chibi plugin list, or when its file changes or plugins.probe_timeout_ms "+
		"is raised", clockTime(until))
}

func clockTime(t time.Time) string { return t.Local().Format("15:04") }
