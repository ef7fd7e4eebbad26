package trace

import (
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/chibi-host/chibi/contexts"
)

// Traces are the files in which the turns of a home's contexts are traced.
type Traces struct {
	Store *contexts.Store
	// Layout is the layout of this machine.
	Layout contexts.Layout
	// Context is the one that a person names; "": none.
	Context string
}

// Last returns the trace that a person means, and its context: the trace of the context that the
// options name, else the newest of all contexts. Whatever the contexts are kept in, traces
// are on this machine.
func (t Traces) Last() (name, path string, err error) {
	if t.Context != "" {
		path = t.Layout.Trace(t.Context)
		if _, err := os.Stat(path); err != nil {
			return t.Context, "", &UntracedError{t.Context}
		}
		return t.Context, path, nil
	}
	newest := time.Time{}
	for _, dir := range t.Layout.Directories() {
		candidate := filepath.Base(dir)
		if contexts.ValidName(candidate) != nil {
			continue // what is left of a deleted context
		}
		stat, err := os.Stat(t.Layout.Trace(candidate))
		if err == nil && stat.ModTime().After(newest) {
			newest, name, path = stat.ModTime(), candidate, t.Layout.Trace(candidate)
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
	if _, err := t.Store.Context(name); err != nil {
		return false
	}
	_, err := os.Stat(t.Layout.Trace(name))
	return err == nil
}
