package app

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/chibi-host/chibi/agent"
	"github.com/chibi-host/chibi/internal/agents"
	"github.com/chibi-host/chibi/internal/trace"
)

// BridgeDir returns the directory in which a home keeps the traces of an agent's sessions.
func BridgeDir(home, agent string) string { return filepath.Join(home, "bridge", agent) }

// Dir returns the session's directory.
func (b Bridge) Dir(home string) string { return filepath.Join(BridgeDir(home, b.Agent), b.Session) }

// BridgeTrace is the name of the trace in a session's directory.
const BridgeTrace = "trace.jsonl"

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
func (t BridgedTrace) Step(e agent.Event) { t.session.tracer.Step(e) }

// Keep writes what was traced.
func (t BridgedTrace) Keep() {
	t.session.tracer.Keep()
}

// LastBridged returns the trace of the newest session of another agent.
func LastBridged(home, agent string) (string, error) {
	d, known := agents.ByName(agent)
	if !known {
		return "", UsageError{Err: fmt.Errorf("there is no agent %q; there are: %s", agent,
			strings.Join(agents.BridgeNames(), ", "))}
	}
	dir := BridgeDir(home, d.Name)
	sessions, err := os.ReadDir(dir)
	newest, found := time.Time{}, ""
	for _, s := range sessions {
		path := filepath.Join(dir, s.Name(), BridgeTrace)
		if stat, err := os.Stat(path); err == nil && stat.ModTime().After(newest) {
			newest, found = stat.ModTime(), path
		}
	}
	if found == "" && (err == nil || errors.Is(err, fs.ErrNotExist)) {
		err = fmt.Errorf("nothing was traced in %s yet; see chibi bridge list, and trace.enabled in the configuration",
			d.Title)
	}
	if found != "" {
		err = nil
	}
	return found, err
}
