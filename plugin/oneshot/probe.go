package oneshot

import (
	"cmp"
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/chibi-host/chibi/plugin"
	"github.com/chibi-host/chibi/plugin/process"
)

// DefaultProbeTimeout is the default time limit of a probe.
const DefaultProbeTimeout = 5 * time.Second

// Prober probes executables: it asks them for their schema or event. It bounds how many
// are probed at once, over all protocols that share it, and with a memory it asks only executables
// whose answer it does not know. Use [NewProber] to create one. It is safe for concurrent
// use.
type Prober struct {
	memory Memory
	slots  chan struct{}

	mu      sync.Mutex
	asked   []recheck
	notices []plugin.Notice
}

// NewProber returns a prober that probes so many executables at once; 0:
// [plugin.DefaultParallel]. memory may be nil: every executable is asked.
func NewProber(memory Memory, parallel int) *Prober {
	if memory == nil {
		memory = NoMemory{}
	}
	return &Prober{memory: memory, slots: make(chan struct{}, cmp.Or(max(parallel, 0), plugin.DefaultParallel()))}
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

// Guards lists the entries of a plugins directory that must be there, from the prober's memory.
func (p *Prober) Guards(dir string) []string { return p.memory.Guards(dir) }

// KeepGuards has the memory replace them.
func (p *Prober) KeepGuards(dir string, names []string) { p.memory.KeepGuards(dir, names) }

// Probe is the probe of one executable.
type Probe struct {
	// Name is the plugin's name, for notices.
	Name string
	// File is the executable, for the memory.
	File File
	// Runner runs it; nil: a process.Runner with its defaults.
	Runner Runner
	// Command is the command. It must have a Timeout.
	Command process.Command
	// Required is set for an executable that must never be skipped.
	Required bool
	// Explain makes the error of a probe from the error of its process; nil: it is the same.
	Explain func(error) error
}

func (p Probe) explain(err error) error {
	if p.Explain == nil {
		return err
	}
	return p.Explain(err)
}

// Read parses the output of an executable, and says what that allows. It must not keep
// anything, because it may be called again later.
type Read[T any] func(stdout []byte) (T, Rules, error)

// rules returns only what an answer allows.
func (read Read[T]) rules(stdout []byte) (Rules, error) {
	_, rules, err := read(stdout)
	return rules, err
}

// Ask returns an executable's description of itself: from the prober's memory if that may be used,
// else by running the probe. Errors come from read, and from Probe.Explain, which gets the errors of
// [process.Runner.Run] and [process.Outcome.Err].
func Ask[T any](ctx context.Context, p *Prober, probe Probe, read Read[T]) (T, error) {
	value, known, err := Recall(p, probe, read)
	if known {
		return value, err
	}
	return Run(ctx, p, probe, read)
}

// Recall is Ask from the prober's memory only; known is false if Ask must run the executable.
func Recall[T any](p *Prober, probe Probe, read Read[T]) (value T, known bool, err error) {
	p.add(recheck{probe: probe, read: read.rules})
	answer, ok := p.memory.Recall(probe.File)
	switch {
	case !ok:
		return value, false, nil
	case probe.skips(answer):
		return value, true, answer.failure()
	case answer.Failure != "":
		return value, false, nil
	}
	value, rules, err := read(answer.Stdout)
	return value, err == nil && probe.uses(answer, rules), nil
}

// Run is Ask without looking into the memory. It remembers the answer of the executable.
func Run[T any](ctx context.Context, p *Prober, probe Probe, read Read[T]) (value T, err error) {
	err = p.run(ctx, probe, func(stdout []byte) (rules Rules, err error) {
		value, rules, err = read(stdout)
		return rules, err
	})
	return value, err
}

// run runs a probe and remembers the answer.
func (p *Prober) run(ctx context.Context, probe Probe, read func([]byte) (Rules, error)) error {
	if probe.Runner == nil {
		probe.Runner = process.Runner{}
	}
	remember, begun := p.memory.Begin(probe.File), time.Now()
	out, err := probe.Runner.Run(ctx, probe.Command)
	if ctx.Err() != nil {
		return probe.explain(ctx.Err())
	}
	answer, lasting := failed(out, err, probe.Command.Timeout)
	answer.Took = time.Since(begun)
	var rules Rules
	if err = cmp.Or(err, out.Err()); err != nil {
		err = probe.explain(err)
	} else {
		answer.Stdout = out.Stdout
		rules, err = read(out.Stdout)
		answer.Never, lasting = rules.Never, true
	}
	if err != nil && (!lasting || probe.Required || rules.Blocks) {
		p.memory.Forget(probe.File)
		return needsTime(err, answer.Waited)
	}
	if err != nil {
		answer.Stdout, answer.Failure = nil, err.Error()
	}
	effect := remember(answer)
	if effect.Changed {
		p.notice(probe.Name)
	}
	if err != nil && !effect.Until.IsZero() {
		return notAgain{err, whenAgain(effect.Until, answer.Waited > 0)}
	}
	return needsTime(err, answer.Waited)
}

// needsTime says how an executable that did not answer within its time gets more.
func needsTime(err error, waited time.Duration) error {
	if err == nil || waited == 0 {
		return err
	}
	return fmt.Errorf("%w; if it needs longer, raise probe_timeout_ms under [plugins] in config.toml", err)
}

// notAgain is the failure of an executable that is not asked again for a while.
type notAgain struct {
	error
	until string
}

// Error says until when.
func (e notAgain) Error() string { return e.error.Error() + "; " + e.until }

// Unwrap returns the failure.
func (e notAgain) Unwrap() error { return e.error }
