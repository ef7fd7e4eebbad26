package oneshot

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/chibi-host/chibi/plugin/process"
)

// DefaultProbes is how many executables are asked at once what they are.
const DefaultProbes = 16

// DefaultProbeTimeout bounds the time in which an executable says what it is.
const DefaultProbeTimeout = 5 * time.Second

// Hung remembers executables that did not answer in time when they were asked
// what they are. It must be safe for concurrent use.
type Hung interface {
	// Until reports whether an executable, as it is now, hung a short while ago when
	// it was given at least so much time: when that was, and until when it is left
	// out.
	Until(path string, patience time.Duration) (at, until time.Time, ok bool)
	// Note keeps that an executable hung just now. It says until when it is left
	// out; not ok: it is to be asked the next time too.
	Note(path string, patience time.Duration) (until time.Time, ok bool)
	// Forget drops what was kept of an executable: it has answered.
	Forget(path string)
}

// Prober asks executables what they are: many at once, those of all protocols
// that share it counted together, and, with a memory, none again that hung a
// short while ago. Make one with [NewProber]. It is safe for concurrent use.
type Prober struct {
	hung  Hung
	slots chan struct{}
}

// NewProber makes a prober that asks DefaultProbes executables at once. hung may
// be nil: each is asked each time.
func NewProber(hung Hung) *Prober {
	return &Prober{hung: hung, slots: make(chan struct{}, DefaultProbes)}
}

// Each calls ask for every index below n, many at once, and returns when all
// calls have.
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

// Probe asks one executable what it is.
type Probe struct {
	// Runner runs it; nil: a process.Runner with its defaults.
	Runner Runner
	// Command is what to run. It has a Timeout.
	Command process.Command
	// Required is set for an executable that is never left out.
	Required bool
}

// Run runs a probe. Errors are those of [process.Runner.Run], and a
// process.ErrTimeout without a run for an executable that is left out, as it hung a
// short while ago.
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

// whenAgain says when an executable that is left out is asked again.
func whenAgain(until time.Time) string {
	return fmt.Sprintf("asked again after %s, by chibi plugin list, or when its file changes or plugins.probe_timeout_ms "+
		"is raised", clockTime(until))
}

func clockTime(t time.Time) string { return t.Local().Format("15:04") }
