package trace

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"sync"

	"github.com/chibi-host/chibi/agent"
	"github.com/chibi-host/chibi/plugin"
	"github.com/chibi-host/chibi/tools"
)

// Tracer traces a run: to the outputs that it is given, to a file that is opened at the first
// prompt, and to functions.
type Tracer struct {
	*Writer
	// OnRecord receives what each plugin did; nil discards it. Failed receives the first error of
	// writing.
	OnRecord func(plugin.Record)
	Failed   func(text string)
	// Loaded says which plugins and tools the run has.
	Loaded func() *agent.LoadedEvent

	mu       sync.Mutex
	isFailed bool
	// begin opens the file at the end of the first turn: before that there is nothing to keep.
	// nil: no file, or it is open.
	begin func() (io.WriteCloser, error)
	file  io.Closer // nil: it is not open
}

// Into makes the tracer write to a file that is opened when there is something to keep.
func (t *Tracer) Into(open func() (io.WriteCloser, error)) {
	t.Hold()
	t.begin = open
}

// Close ends the trace of the run. It may be called more than once.
func (t *Tracer) Close() error {
	err := t.Writer.Close()
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.file != nil {
		err = errors.Join(err, t.file.Close())
		t.file = nil
	}
	return err
}

// LoadedEvent returns the trace event that lists the plugins and tools.
func LoadedEvent(loaded plugin.Loaded, set *tools.Set) *agent.LoadedEvent {
	step := &agent.LoadedEvent{Plugins: []agent.LoadedPlugin{}, Tools: []string{}}
	for _, p := range loaded.Plugins {
		one := agent.LoadedPlugin{Name: p.Name, Points: p.Hooks, Events: p.Events}
		for _, tool := range p.Tools {
			one.Tools = append(one.Tools, tool.Spec().Name)
		}
		step.Plugins = append(step.Plugins, one)
	}
	for _, p := range loaded.Skipped {
		step.Plugins = append(step.Plugins, agent.LoadedPlugin{Name: p.Name, Skipped: p.Reason})
	}
	for _, spec := range set.Specs() {
		step.Tools = append(step.Tools, spec.Name)
	}
	return step
}

// Record passes on what one plugin did.
func (t *Tracer) Record(r plugin.Record) {
	if t.OnRecord != nil {
		t.OnRecord(r)
	}
	t.check(t.Writer.Record(r))
}

// Step passes on a step of a turn. At the end of a turn the directory of the context
// exists, if there is anything to keep.
func (t *Tracer) Step(step agent.Event) {
	t.check(t.Writer.Step(step))
	if step.Kind == agent.EventPrompt {
		t.check(t.Writer.Step(agent.Event{Kind: agent.EventLoaded, Loaded: t.Loaded()}))
	}
	if step.Kind != agent.EventAnswer && step.Kind != agent.EventError {
		return
	}
	if err := t.openFile(); err != nil && !errors.Is(err, fs.ErrNotExist) {
		t.check(fmt.Errorf("writing the trace: %w", err))
	}
}

// openFile opens the context's file, once, and writes what was held for it.
func (t *Tracer) openFile() error {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.begin == nil {
		return nil
	}
	file, err := t.begin()
	t.begin = nil
	if err != nil {
		return errors.Join(err, t.Writer.Release(io.Discard)) // what is never written is not kept either
	}
	t.file = file
	return t.Writer.Release(file)
}

// check reports the first error; tracing then continues as far as possible.
func (t *Tracer) check(err error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if err != nil && !t.isFailed {
		t.isFailed = true
		if t.Failed != nil {
			t.Failed(fmt.Sprintf("%v; some of it is missing", err))
		}
	}
}

// Keep writes what was traced, at the end of the run.
func (t *Tracer) Keep() {
	t.check(t.openFile())
	t.check(t.Close())
}
