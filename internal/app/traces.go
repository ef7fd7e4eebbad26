package app

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/chibi-host/chibi/contexts"
	"github.com/chibi-host/chibi/internal/agents/engine"
)

// Traces are the files in which the turns of a home's contexts are traced.
type Traces struct {
	store   *contexts.Store
	layout  contexts.Layout // of this machine
	context string          // that the options name, "": none
}

// TracesOf returns the traces of the session's home.
func TracesOf(s *Session) Traces {
	if s.opts.Context == "" {
		return Traces{store: s.Store, layout: s.Host.Layout()}
	}
	return Traces{s.Store, s.Host.Layout(), s.Name()}
}

// Last returns the trace that a person means, and its context: that of the context that the
// options name, else the newest of all contexts. Whatever the contexts are kept in, traces
// are on this machine.
func (t Traces) Last() (name, path string, err error) {
	if t.context != "" {
		path = t.layout.Trace(t.context)
		if _, err := os.Stat(path); err != nil {
			return t.context, "", &UntracedError{t.context}
		}
		return t.context, path, nil
	}
	newest := time.Time{}
	for _, dir := range t.layout.Directories() {
		candidate := filepath.Base(dir)
		if contexts.ValidName(candidate) != nil {
			continue // what is left of a deleted context
		}
		stat, err := os.Stat(t.layout.Trace(candidate))
		if err == nil && stat.ModTime().After(newest) {
			newest, name, path = stat.ModTime(), candidate, t.layout.Trace(candidate)
		}
	}
	if path == "" {
		return "", "", &UntracedError{}
	}
	return name, path, nil
}

// UntracedError reports that there is no trace of a context, or of any.
type UntracedError struct{ Context string }

// Error says what to do.
func (e *UntracedError) Error() string {
	if e.Context != "" {
		return fmt.Sprintf("nothing was traced in context %q yet", e.Context)
	}
	return "nothing was traced yet; ask something first, or see trace.enabled in the configuration"
}

// Has reports whether there is a context of this name that has a trace.
func (t Traces) Has(name string) bool {
	if _, err := t.store.Context(name); err != nil {
		return false
	}
	_, err := os.Stat(t.layout.Trace(name))
	return err == nil
}

// LastOf returns the trace of the newest session of another agent.
func (t Traces) LastOf(agent string) (string, error) {
	d, known := engine.ByName(agent)
	if !known {
		return "", UsageError{Err: fmt.Errorf("there is no agent %q; there are: %s", agent, strings.Join(engine.Names(), ", "))}
	}
	dir := BridgeDir(t.layout.Home, d.Name)
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
