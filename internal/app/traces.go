package app

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/chibi-host/chibi/contexts"
	"github.com/chibi-host/chibi/plugin/dialect"
)

// Traces are the files in which the turns of a home's contexts are traced.
type Traces struct {
	store   *contexts.Files
	context string // that the options name, "": none
}

// TracesOf returns the traces of the session's home.
func TracesOf(s *Session) Traces {
	if s.opts.Context == "" {
		return Traces{store: s.Store}
	}
	return Traces{s.Store, s.Name()}
}

// Last returns the trace that a person means: that of the context that the options
// name, else the newest of all contexts.
func (t Traces) Last(ctx context.Context) (string, error) {
	layout := t.store.Layout()
	if t.context != "" {
		path := layout.Trace(t.context)
		if _, err := os.Stat(path); err != nil {
			return "", fmt.Errorf("nothing was traced in context %q yet", t.context)
		}
		return path, nil
	}
	names, err := t.store.Names(ctx)
	if err != nil {
		return "", err
	}
	newest, found := time.Time{}, ""
	for _, name := range names {
		path := layout.Trace(name)
		if stat, err := os.Stat(path); err == nil && stat.ModTime().After(newest) {
			newest, found = stat.ModTime(), path
		}
	}
	if found == "" {
		return "", errors.New("nothing was traced yet; ask something first, or see trace.enabled in the configuration")
	}
	return found, nil
}

// Has reports whether there is a context of this name that has a trace.
func (t Traces) Has(name string) bool {
	if _, err := t.store.Context(name); err != nil {
		return false
	}
	_, err := os.Stat(t.store.Layout().Trace(name))
	return err == nil
}

// LastOf returns the trace of the newest session of another agent.
func (t Traces) LastOf(agent string) (string, error) {
	d, known := dialect.ByName(agent)
	if !known {
		return "", UsageError{fmt.Errorf("there is no agent %q; there are: %s", agent, strings.Join(dialect.Names(), ", "))}
	}
	dir := BridgeDir(t.store.Layout().Home, d.Name)
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
