package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/url"
	"path/filepath"
	"regexp"
	"strings"
	"sync"

	"github.com/chibi-host/chibi/agent"
	"github.com/chibi-host/chibi/internal/disk"
	"github.com/chibi-host/chibi/internal/term"
	"github.com/chibi-host/chibi/internal/trace"
	"github.com/chibi-host/chibi/plugin"
	"github.com/dustin/go-humanize"
	"github.com/google/uuid"
)

// tracer traces a run: to the file that --trace names, to the file of the
// context, and with -v as readable lines.
type tracer struct {
	mu      sync.Mutex
	writer  *trace.Writer
	line    func(string)
	verbose bool
	failed  bool
	// loaded says which plugins and tools the run has.
	loaded func() *agent.LoadedEvent
	// begin opens the context's file, when the first prompt is given: before
	// that there is nothing to keep. nil: no file, or it is open.
	begin func() (io.Writer, error)
}

// openTrace begins to trace.
func (s *session) openTrace(context.Context) error {
	var patterns []*regexp.Regexp
	for _, p := range s.config.Trace.Redact {
		patterns = append(patterns, regexp.MustCompile(p))
	}
	w := &trace.Writer{
		Run: uuid.NewString(), KeepOriginal: s.config.Trace.KeepOriginal,
		Redact: trace.NewRedactor(s.secrets(), patterns),
	}
	w.Context(s.agent.Context.Name())
	s.closers = append(s.closers, w) // before its files
	s.tracer = &tracer{verbose: s.opts.verbose, line: s.screen.line, writer: w, loaded: s.loadedStep}
	if s.opts.trace != "" && s.traceFile == nil {
		file, err := disk.Create(s.opts.trace)
		if err != nil {
			return fmt.Errorf("opening the trace file: %w", err)
		}
		s.closers = append(s.closers, file)
		s.traceFile = file
	}
	if s.traceFile != nil {
		w.To(s.traceFile)
	}
	if s.config.Trace.Enabled && !s.untraced {
		w.Hold()
		s.tracer.begin = s.openContextTrace
	}
	return nil
}

// secrets are texts that never enter a trace: the key, and what the address of
// the model's server has besides host and path.
func (s *session) secrets() []string {
	list := []string{s.config.APIKey}
	address, err := url.Parse(s.config.BaseURL)
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
func (s *session) openContextTrace() (io.Writer, error) {
	file, err := trace.Open(s.tracePath(s.agent.Context.Name()), int64(s.config.Trace.MaxBytes))
	if err != nil {
		return nil, err
	}
	s.closers = append(s.closers, file)
	return file, nil
}

// tracePath is the file that keeps the newest turns of a context.
func (s *session) tracePath(name string) string {
	return filepath.Join(s.home, "contexts", name, "trace.jsonl")
}

// loadedStep says which plugins and tools there are.
func (s *session) loadedStep() *agent.LoadedEvent {
	step := &agent.LoadedEvent{Plugins: []agent.LoadedPlugin{}, Tools: []string{}}
	for _, p := range s.loaded.Plugins {
		one := agent.LoadedPlugin{Name: p.Name, Points: p.Hooks, Events: p.Events}
		for _, tool := range p.Tools {
			one.Tools = append(one.Tools, tool.Spec().Name)
		}
		step.Plugins = append(step.Plugins, one)
	}
	for _, p := range s.loaded.LeftOut {
		step.Plugins = append(step.Plugins, agent.LoadedPlugin{Name: p.Name, LeftOut: p.Reason})
	}
	for _, spec := range s.agent.Tools.Specs() {
		step.Tools = append(step.Tools, spec.Name)
	}
	return step
}

// record takes what one plugin did.
func (t *tracer) record(r plugin.Record) {
	if t.verbose {
		t.line(describe(r))
	}
	t.check(t.writer.Record(r))
}

// fired takes a dispatch, before its records.
func (t *tracer) fired(f plugin.Firing) { t.writer.Fired(f) }

// step takes a step of a turn. The context has its folder when the turn is over,
// if there is anything to keep.
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

// check reports the first error; tracing then goes on as it can.
func (t *tracer) check(err error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if err != nil && !t.failed {
		t.failed = true
		t.line(fmt.Sprintf("chibi: %v; some of it is missing", err))
	}
}

// describe is a record as one line for people.
func describe(r plugin.Record) string {
	what := string(r.Result)
	if len(r.Changed) > 0 {
		what += " " + strings.Join(r.Changed, " ")
	}
	if r.Why != "" {
		what += " (" + r.Why + ")"
	}
	point := string(r.Point)
	if r.Event != "" {
		point += ", " + r.Event
	}
	parts := []string{fmt.Sprintf("[%s] %s: %s", point, term.Name(r.Plugin), what)}
	for _, l := range r.Lost {
		parts = append(parts, fmt.Sprintf("lost %s to %s", l.Path, l.Winner))
	}
	parts = append(parts, r.Notes...)
	if r.Result != plugin.Skipped {
		parts = append(parts, fmt.Sprintf("%.1f ms, received %s", r.DurationMS, humanize.IBytes(uint64(r.PayloadBytes))))
	}
	return strings.Join(parts, "; ")
}
