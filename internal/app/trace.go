package app

import (
	"fmt"
	"io"
	"net/url"
	"regexp"

	"github.com/chibi-host/chibi/agent"
	"github.com/chibi-host/chibi/internal/config"
	"github.com/chibi-host/chibi/internal/disk"
	"github.com/chibi-host/chibi/internal/trace"
	"github.com/google/uuid"
)

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
	s.tracer, s.isBorrowed = newTracer(s), false
	s.closers = append(s.closers, s.tracer)
	s.tracer.Loaded = func() *agent.LoadedEvent { return trace.LoadedEvent(s.Loaded, s.Agent.Tools) }
	if writes {
		writeTrace(s, s.tracer)
		s.Agent.Output.Event = s.tracer.Step
	}
	if b := s.opts.Bridge; b != nil { // what the events of its session write together is the trace of one run
		s.tracer.Continue(b.trace(s.Home), b.Run, int64(s.Config.Trace.MaxBytes))
	}
	return nil
}

// writeTrace makes a tracer write to the file of the options, and to the file of the context, which
// keeps the newest turns, if that is configured.
func writeTrace(s *Session, t *trace.Tracer) {
	if s.trace != nil {
		t.To(s.trace)
	}
	if !s.Config.Trace.Enabled || s.opts.Trace.Off || s.opts.NoSave && s.isNew {
		return
	}
	layout, most := s.Host.Layout(), int64(s.Config.Trace.MaxBytes)
	t.Into(func(context string) (io.WriteCloser, error) {
		if s.place.IsShared() { // this machine may have nothing of the context yet
			if err := disk.MkdirAll(disk.OS{}, layout.Directory(context), 0o700); err != nil {
				return nil, err
			}
		}
		return trace.Open(layout.Trace(context), most)
	})
}

// newTracer returns a tracer that writes no file, for the turns of a session's context.
func newTracer(s *Session) *trace.Tracer {
	c := s.Config
	var patterns []*regexp.Regexp
	for _, p := range c.Trace.Redact {
		patterns = append(patterns, regexp.MustCompile(p))
	}
	w := &trace.Writer{
		Run: uuid.NewString(), KeepOriginal: c.Trace.Received || c.Trace.KeepOriginal,
		Redact: trace.NewRedactor(append(config.StoreSecrets(s.place.URL), secrets(c)...), patterns),
	}
	w.Context(s.Name())
	return &trace.Tracer{Writer: w, OnRecord: s.opts.Trace.Record, Failed: s.opts.Trace.Failed}
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

// TracesOf returns the traces of the session's home.
func TracesOf(s *Session) trace.Traces {
	t := trace.Traces{Store: s.Store, Layout: s.Host.Layout()}
	if s.opts.Context != "" {
		t.Context = s.Name()
	}
	return t
}
