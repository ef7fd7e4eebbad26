package contexts

import (
	"context"
	"fmt"

	"github.com/chibi-host/chibi/contexts/internal/parts"
)

// scripts implements what plugins and scripts need that know the files of a home.
type scripts struct {
	ref    *parts.Ref
	copies parts.Dropbox // nil: the store is the files, or has none
}

// KeepCopies keeps copies of the context's files in the home's directory.
func (s *scripts) KeepCopies(ctx context.Context) error {
	if s.copies == nil {
		return nil
	}
	if err := s.copies.Keep(ctx); err != nil {
		return fmt.Errorf("writing copies of context %q for plugins: %w", s.ref.Name, err)
	}
	return nil
}

// SendDropped sends what plugins have put into the context's inbox.jsonl.
func (s *scripts) SendDropped(ctx context.Context) error {
	if s.copies == nil {
		return nil
	}
	if err := s.copies.SendDropped(ctx); err != nil {
		return fmt.Errorf("context %q: %w", s.ref.Name, err)
	}
	return nil
}
