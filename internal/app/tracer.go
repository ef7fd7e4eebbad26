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
	"github.com/chibi-host/chibi/internal/disk"
	"github.com/chibi-host/chibi/internal/trace"
	"github.com/chibi-host/chibi/plugin"
	"github.com/chibi-host/chibi/tools"
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
	begin func() (io.WriteCloser, error)
	file  io.Closer // the context's, nil: it is not open
}

// openTrace starts tracing. A session that only reads a home writes no trace.
func openTrace(s *Session) error {
	writes := s.opts.Purpose != ToRead
	if writes && s.opts.Trace.File != "" && s.trace == nil {
		file, err := trace.Create(s.opts.Trace.File)
		if err != nil {
			return fmt.Errorf("opening the trace file: %w", err)
		}
		s.closers = append(s.closers, file)
		s.trace = file
	}
	s.tracer, s.shared = newTracer(s), false
	s.closers = append(s.closers, s.tracer)
	s.tracer.loaded = func() *agent.LoadedEvent { return loadedEvent(s.Loaded, s.Agent.Tools) }
	if writes {
		s.tracer.write(s.trace, s.Host.Layout().Trace(s.Name()), s.Config.Trace)
		if open := s.tracer.begin; open != nil && s.Store.IsShared() {
			s.tracer.begin = func() (io.WriteCloser, error) { // this machine may have nothing of the context yet
				if err := disk.MkdirAll(disk.OS{}, s.Host.Layout().Directory(s.Name()), 0o700); err != nil {
					return nil, err
				}
				return open()
			}
		}
	}
	if s.opts.Bridge != nil {
		s.opts.Bridge.continueTrace(s)
	}
	return nil
}

// newTracer returns a tracer that writes no file, for the turns of a session's context.
func newTracer(s *Session) *tracer {
	c := s.Config
	var patterns []*regexp.Regexp
	for _, p := range c.Trace.Redact {
		patterns = append(patterns, regexp.MustCompile(p))
	}
	w := &trace.Writer{
		Run: uuid.NewString(), KeepOriginal: c.Trace.KeepOriginal,
		Redact: trace.NewRedactor(append(config.StoreSecrets(s.place.URL), secrets(c)...), patterns),
	}
	w.Context(s.Name())
	return &tracer{opts: s.opts.Trace, writer: w}
}

// write makes the tracer write to a file that is open, if it is not nil, and to the
// file at path, which keeps the newest turns of the context, if that is configured.
func (t *tracer) write(open io.Writer, path string, c config.Trace) {
	if open != nil {
		t.writer.To(open)
	}
	if c.Enabled && !t.opts.Off {
		t.writer.Hold()
		t.begin = func() (io.WriteCloser, error) { return trace.Open(path, int64(c.MaxBytes)) }
	}
}

// Close ends the trace of the run. It may be called more than once.
func (t *tracer) Close() error {
	err := t.writer.Close()
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.file != nil {
		err = errors.Join(err, t.file.Close())
		t.file = nil
	}
	return err
}

// secrets returns texts that never enter a trace: the key, the parts of the model
// server's address other than host and path, and what opens the store.
func secrets(c config.Config) []string {
	list := append(config.StoreSecrets(c.Store), c.APIKey)
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

// loadedEvent returns the trace event that lists the plugins and tools.
func loadedEvent(loaded plugin.Loaded, set *tools.Set) *agent.LoadedEvent {
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
	if err := t.openFile(); err != nil && !errors.Is(err, fs.ErrNotExist) {
		t.check(fmt.Errorf("writing the trace: %w", err))
	}
}

// openFile opens the context's file, once, and writes what was held for it.
func (t *tracer) openFile() error {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.begin == nil {
		return nil
	}
	file, err := t.begin()
	t.begin = nil
	if err != nil {
		return errors.Join(err, t.writer.Release(io.Discard)) // what is never written is not kept either
	}
	t.file = file
	return t.writer.Release(file)
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
