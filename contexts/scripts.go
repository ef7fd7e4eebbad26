package contexts

import (
	"context"
	"fmt"
)

// scripts implements what plugins and scripts need that know the files of a home.
type scripts struct {
	ref    *ref
	copies dropbox // nil: the store is the files, or has none
}

// KeepCopies keeps copies of the context's files in the home's directory.
func (s *scripts) KeepCopies(ctx context.Context) error {
	if s.copies == nil {
		return nil
	}
	if err := s.copies.keep(ctx); err != nil {
		return fmt.Errorf("writing copies of context %q for plugins: %w", s.ref.name, err)
	}
	return nil
}

// SendDropped sends what plugins have put into the context's inbox.jsonl.
func (s *scripts) SendDropped(ctx context.Context) error {
	if s.copies == nil {
		return nil
	}
	if err := s.copies.sendDropped(ctx); err != nil {
		return fmt.Errorf("context %q: %w", s.ref.name, err)
	}
	return nil
}
