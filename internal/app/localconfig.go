package app

import (
	"context"
	"fmt"

	"github.com/chibi-host/chibi/internal/config"
)

// localConfig reads the local.toml of the session's context. One in a store that machines
// share is foreign: only what package config marks counts in it.
func localConfig(ctx context.Context, s *Session) (config.Local, error) {
	text, err := s.Context.LocalConfig(ctx)
	switch {
	case err != nil && s.Store.IsShared():
		return config.Local{}, err
	case err != nil:
		return config.Local{}, UsageError{Err: fmt.Errorf("reading the configuration: %w", err)}
	}
	return newLocal(s, text), nil
}

// newLocal returns a text as the local.toml of the session's context.
func newLocal(s *Session, text string) config.Local {
	if s.Store.IsShared() {
		return config.Local{Name: fmt.Sprintf("local.toml of context %q", s.Name()), Text: text, IsShared: true}
	}
	return config.Local{Name: s.Host.Layout().LocalConfig(s.Name()), Text: text}
}

// ChangeLocalConfig changes the local.toml of the session's context while nobody else does,
// and reads the configuration again. An error of edit is returned as a [UsageError], and so is
// that of a text that could not be read afterwards.
func ChangeLocalConfig(ctx context.Context, s *Session, edit func(name string, text []byte) ([]byte, error)) error {
	var wrong error
	err := s.Context.ChangeLocalConfig(func(old string) (string, error) {
		var text []byte
		local := newLocal(s, old)
		if text, wrong = edit(local.Name, []byte(old)); wrong == nil {
			wrong = newLocal(s, string(text)).Check()
		}
		return string(text), wrong
	})
	switch {
	case wrong != nil:
		return UsageError{Err: wrong}
	case err != nil:
		return err
	}
	return Configure(ctx, s)
}
