package trace

import (
	"context"
	"fmt"
	"os"
	"time"

	"github.com/chibi-host/chibi/contexts"
	"github.com/chibi-host/chibi/internal/term"
	"github.com/chibi-host/chibi/internal/usage"
)

// Elsewhere says that the newest turn of a context ran on another host: its trace is there.
type Elsewhere struct {
	Context string
	// By is the program that wrote the newest entry, At is when, by the clock of its host.
	By contexts.Writer
	At time.Time
}

// String says where the turn ran, and what to do.
func (e *Elsewhere) String() string {
	return term.Line(fmt.Sprintf("the newest turn of context %q ran on %s (%s); a trace stays on the host where its turn "+
		"ran, so ask there: chibi -C %s trace explain", e.Context, e.By.Host, e.details(), e.Context))
}

func (e *Elsewhere) details() string {
	text := e.At.Local().Format(time.DateTime)
	if e.By.Version != "" {
		text = "chibi " + e.By.Version + ", " + text
	}
	if e.By.User != "" {
		text = e.By.User + ", " + text
	}
	return text
}

// RanElsewhere returns where the newest turn of a context ran, nil if that was this host, or
// if the store does not say: only those that many machines share do.
func RanElsewhere(ctx context.Context, store *contexts.Store, name string) (*Elsewhere, error) {
	if !store.IsShared() {
		return nil, nil
	}
	c, err := store.Context(name)
	if err != nil {
		return nil, usage.Error{Err: err}
	}
	host, err := os.Hostname()
	if err != nil {
		return nil, fmt.Errorf("reading the name of this host: %w", err)
	}
	var found *Elsewhere
	newest := contexts.Query{Last: 1, Keep: func(e contexts.Entry) bool { return e.Type != contexts.TypeSystemPrompt }}
	err = c.History(ctx, newest, func(e contexts.Entry) bool {
		if m := e.Metadata; m != nil && m.By != nil && m.By.Host != "" && m.By.Host != host {
			found = &Elsewhere{name, *m.By, time.Unix(e.Timestamp, 0)}
		}
		return true
	})
	return found, err
}
