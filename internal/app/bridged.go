package app

import (
	"bytes"
	"context"
	"io"
	"path/filepath"
	"time"

	"github.com/chibi-host/chibi/agent"
	"github.com/chibi-host/chibi/internal/disk"
	"github.com/chibi-host/chibi/internal/trace"
)

// Bridge says in which session of another agent something happens.
type Bridge struct {
	// Agent is the agent's name, such as "claude". Plugins are told it as that of the context,
	// and the configuration of a context of this name holds.
	Agent string
	// Session is the name of the session's directory, Run its id in the trace.
	Session, Run string
	// Until is when the time for the event is over.
	Until time.Time
}

// BridgeDir returns the directory in which a home keeps the traces of an agent's sessions.
func BridgeDir(home, agent string) string { return filepath.Join(home, "bridge", agent) }

// Dir returns the session's directory.
func (b Bridge) Dir(home string) string { return filepath.Join(BridgeDir(home, b.Agent), b.Session) }

// BridgeTrace is the name of the trace in a session's directory.
const BridgeTrace = "trace.jsonl"

// bridgeSteps open a home for an event in another agent: nothing of it is changed but the
// trace, and what plugins answered when they were asked what they are.
func bridgeSteps(ctx context.Context) []func(*Session) error {
	return []func(*Session) error{
		func(s *Session) error { return openHome(ctx, s) }, func(s *Session) error { return openContext(ctx, s) },
		openTrace, openProject,
		func(s *Session) error { return s.Load(ctx) },
	}
}

// continueTrace makes the session's tracer write to the trace of that of the agent. Each of
// its events is a process of its own: what they write together is the trace of one run.
func (b Bridge) continueTrace(s *Session) {
	path := b.trace(s.Home)
	w := s.tracer.writer
	w.Run, w.Dispatched, w.Before = b.Run, time.Now().UnixMicro(), trace.LastTurn(path, b.Run)
	s.Agent.Output.Event = s.tracer.step
	most := int64(s.Config.Trace.MaxBytes)
	if s.tracer.begin == nil {
		return
	}
	s.tracer.begin = func() (io.WriteCloser, error) {
		return &sharedTrace{path: path, most: most}, nil
	}
}

// trace returns the path of the session's trace.
func (b Bridge) trace(home string) string { return filepath.Join(b.Dir(home), BridgeTrace) }

// BridgedTrace is the trace of a session of another agent, to which each of its events adds.
type BridgedTrace struct{ session *Session }

// BridgedTraceOf returns the trace of a session that was opened with [ToBridge].
func BridgedTraceOf(s *Session) BridgedTrace { return BridgedTrace{s} }

// Turns returns how many prompts the agent's session has had, as far as they are traced.
func (t BridgedTrace) Turns() int {
	b := t.session.opts.Bridge
	return trace.LastTurn(b.trace(t.session.Home), b.Run)
}

// Prompt returns the last prompt of the agent's session, "" if it is not traced.
func (t BridgedTrace) Prompt() string {
	b := t.session.opts.Bridge
	return trace.LastPrompt(b.trace(t.session.Home), b.Run)
}

// Step adds a step.
func (t BridgedTrace) Step(e agent.Event) { t.session.tracer.step(e) }

// Keep writes what was traced.
func (t BridgedTrace) Keep() {
	tracer := t.session.tracer
	tracer.check(tracer.openFile())
	tracer.check(tracer.Close())
}

// sharedTrace is a trace to which several processes write: all lines of one at once.
type sharedTrace struct {
	path string
	most int64
	text bytes.Buffer
}

// Write keeps a line.
func (t *sharedTrace) Write(line []byte) (int, error) { return t.text.Write(line) }

// traceLock is how long a process waits for another one that writes to the same trace.
const traceLock = time.Second

// Close writes the lines.
func (t *sharedTrace) Close() error {
	if t.text.Len() == 0 {
		return nil
	}
	if err := disk.MkdirAll(disk.OS{}, filepath.Dir(t.path), 0o700); err != nil {
		return err
	}
	unlock, err := disk.LockWithin(t.path, traceLock)
	if err != nil {
		return err
	}
	defer unlock()
	file, err := trace.Open(t.path, t.most)
	if err != nil {
		return err
	}
	defer file.Close()
	_, err = file.Write(t.text.Bytes())
	return err
}
