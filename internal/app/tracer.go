package app

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/url"
	"regexp"
	"sync"

	"github.com/chibi-host/chibi/agent"
	"github.com/chibi-host/chibi/internal/config"
	"github.com/chibi-host/chibi/internal/trace"
	"github.com/chibi-host/chibi/plugin"
	"github.com/google/uuid"
)

// tracer traces a run: to the file that the options name, to the file of the context,
// and to the functions of [TraceOptions].
type tracer struct {
	mu     sync.Mutex
	writer *trace.Writer
	opts   TraceOptions
	failed bool
	// loaded says which plugins and tools the run has.
	loaded func() *agent.LoadedEvent
	// begin opens the context's file at the first prompt: before that there is nothing
	// to keep. nil: no file, or it is open.
	begin func() (io.Writer, error)
}

// openTrace starts tracing. A session that only reads a home writes no trace.
func openTrace(s *Session) error {
	var patterns []*regexp.Regexp
	for _, p := range s.Config.Trace.Redact {
		patterns = append(patterns, regexp.MustCompile(p))
	}
	w := &trace.Writer{
		Run: uuid.NewString(), KeepOriginal: s.Config.Trace.KeepOriginal,
		Redact: trace.NewRedactor(secrets(s.Config), patterns),
	}
	w.Context(s.Name())
	s.closers = append(s.closers, w) // before its files
	s.tracer, s.shared = &tracer{opts: s.opts.Trace, writer: w,
		loaded: func() *agent.LoadedEvent { return loadedEvent(s) }}, false
	if s.opts.Purpose == ToRead {
		return nil
	}
	if s.opts.Trace.File != "" && s.trace == nil {
		file, err := trace.Create(s.opts.Trace.File)
		if err != nil {
			return fmt.Errorf("opening the trace file: %w", err)
		}
		s.closers = append(s.closers, file)
		s.trace = file
	}
	if s.trace != nil {
		w.To(s.trace)
	}
	if s.Config.Trace.Enabled && !s.opts.Trace.Off {
		w.Hold()
		s.tracer.begin = func() (io.Writer, error) { return openContextTrace(s) }
	}
	return nil
}

// secrets returns texts that never enter a trace: the key, and the parts of the model
// server's address other than host and path.
func secrets(c config.Config) []string {
	list := []string{c.APIKey}
	address, err := url.Parse(c.BaseURL)
	if err != nil {
		return list
	}
	if password, ok := address.User.Password(); ok {
		list = append(list, password)
	}
	list = append(list, address.RawQuery)
	for _, values := range address.Query() {
		list = append(list, values...)
	}
	return list
}

// openContextTrace opens the file that keeps the newest turns of the context.
func openContextTrace(s *Session) (io.Writer, error) {
	file, err := trace.Open(s.Store.Layout().Trace(s.Name()), int64(s.Config.Trace.MaxBytes))
	if err != nil {
		return nil, err
	}
	s.closers = append(s.closers, file)
	return file, nil
}

// loadedEvent returns the trace event that lists the plugins and tools.
func loadedEvent(s *Session) *agent.LoadedEvent {
	step := &agent.LoadedEvent{Plugins: []agent.LoadedPlugin{}, Tools: []string{}}
	for _, p := range s.Loaded.Plugins {
		one := agent.LoadedPlugin{Name: p.Name, Points: p.Hooks, Events: p.Events}
		for _, tool := range p.Tools {
			one.Tools = append(one.Tools, tool.Spec().Name)
		}
		step.Plugins = append(step.Plugins, one)
	}
	for _, p := range s.Loaded.Skipped {
		step.Plugins = append(step.Plugins, agent.LoadedPlugin{Name: p.Name, Skipped: p.Reason})
	}
	for _, spec := range s.Agent.Tools.Specs() {
		step.Tools = append(step.Tools, spec.Name)
	}
	return step
}

// record passes on what one plugin did.
func (t *tracer) record(r plugin.Record) {
	if t.opts.Record != nil {
		t.opts.Record(r)
	}
	t.check(t.writer.Record(r))
}

// fired passes on a dispatch, before its records.
func (t *tracer) fired(f plugin.Firing) { t.writer.Fired(f) }

// step passes on a step of a turn. At the end of a turn the directory of the context
// exists, if there is anything to keep.
func (t *tracer) step(step agent.Event) {
	t.check(t.writer.Step(step))
	if step.Kind == agent.EventPrompt {
		t.check(t.writer.Step(agent.Event{Kind: agent.EventLoaded, Loaded: t.loaded()}))
	}
	if step.Kind != agent.EventAnswer && step.Kind != agent.EventError {
		return
	}
	t.mu.Lock()
	begin := t.begin
	t.begin = nil
	t.mu.Unlock()
	if begin == nil {
		return
	}
	file, err := begin()
	if err == nil {
		err = t.writer.Release(file)
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		t.check(fmt.Errorf("writing the trace: %w", err))
	}
}

// check reports the first error; tracing then continues as far as possible.
func (t *tracer) check(err error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if err != nil && !t.failed {
		t.failed = true
		if t.opts.Failed != nil {
			t.opts.Failed(fmt.Sprintf("%v; some of it is missing", err))
		}
	}
}
