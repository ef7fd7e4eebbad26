package app

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"
)

// TraceFile is the file in which the turns of the session's context are traced if
// its options name the context, else the newest of those of all contexts.
func TraceFile(ctx context.Context, s *Session) (string, error) {
	layout := s.Store.Layout()
	if s.opts.Context != "" {
		path := layout.Trace(s.Name())
		if _, err := os.Stat(path); err != nil {
			return "", fmt.Errorf("nothing was traced in context %q yet", s.Name())
		}
		return path, nil
	}
	names, err := s.Store.Names(ctx)
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

// HasTrace reports whether there is a context of this name that has a trace.
func HasTrace(s *Session, name string) bool {
	if _, err := s.Store.Context(name); err != nil {
		return false
	}
	_, err := os.Stat(s.Store.Layout().Trace(name))
	return err == nil
}
