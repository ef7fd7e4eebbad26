package trace

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"sync"

	"github.com/chibi-host/chibi/agent"
	"github.com/chibi-host/chibi/hookpoints"
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
	// happened is the context in which something happened besides the begin and the end of a
	// run; "": nothing did.
	happened string
	// begin opens the file of a context at the end of the first turn, or of a run without one in
	// which something happened. nil: no file, or it is open.
	begin func(context string) (io.WriteCloser, error)
	file  io.Closer // nil: it is not open
}

// Into makes the tracer write to the file of a context, which is opened when there is something to
// keep.
func (t *Tracer) Into(open func(context string) (io.WriteCloser, error)) {
	t.Hold()
	t.begin = open
}

// Close ends the trace of the run. It may be called more than once.
func (t *Tracer) Close() error {
	t.keepRun()
	err := t.Writer.Close()
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.file != nil {
		err = errors.Join(err, t.file.Close())
		t.file = nil
	}
	return err
}

// keepRun keeps a run without a prompt, such as one that compacts or clears a conversation. The
// list of what was loaded ends it.
func (t *Tracer) keepRun() {
	t.mu.Lock()
	context, keeps := t.happened, t.begin != nil && t.happened != ""
	t.mu.Unlock()
	if keeps {
		t.Writer.Context(context)
		t.check(t.Writer.Step(agent.Event{Kind: agent.EventLoaded, Loaded: t.Loaded()}))
		t.openOrSay()
	}
}

// keep remembers that something happened that is worth keeping, if it is.
func (t *Tracer) keep(is bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if is {
		t.happened = t.Writer.place()
	}
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
	t.keep(r.Point != hookpoints.OnStart.Name && r.Point != hookpoints.OnEnd.Name)
	t.check(t.Writer.Record(r))
}

// Step passes on a step of a turn. At the end of a turn the directory of the context
// exists, if there is anything to keep.
func (t *Tracer) Step(step agent.Event) {
	t.keep(step.Kind.IsTraced() && step.Kind != agent.EventNotice && step.Change != agent.ContextSwitched)
	t.check(t.Writer.Step(step))
	if step.Kind == agent.EventPrompt {
		t.check(t.Writer.Step(agent.Event{Kind: agent.EventLoaded, Loaded: t.Loaded()}))
	}
	if step.Kind != agent.EventAnswer && step.Kind != agent.EventError {
		return
	}
	t.openOrSay()
}

// openOrSay opens the context's file. A context that is gone has none.
func (t *Tracer) openOrSay() {
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
	file, err := t.begin(t.Writer.place())
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
