package contexts

import (
	"context"
	"fmt"

	"github.com/chibi-host/chibi/contexts/internal/parts"
)

// handle is one context of a store.
type handle struct {
	keeper parts.Keeper
	*conversation
	*notes
	*mailbox
	*owner
	*settings
	*scripts
}

// handle opens a context.
func (s *Store) handle(name string) *handle {
	r := &parts.Ref{Settings: &s.Settings, Name: name}
	k := s.backend.Parts(r)
	c := &conversation{ref: r, transcript: k.Transcript, views: k.Views}
	return &handle{
		keeper: k, conversation: c, notes: &notes{ref: r, texts: k.Texts, transcript: k.Transcript},
		mailbox: &mailbox{store: s, ref: r, inbox: k.Inbox, conversation: c}, owner: &owner{s, r, k.Lock},
		settings: &settings{ref: r, texts: k.Texts}, scripts: &scripts{ref: r, copies: k.Scripts},
	}
}

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

// settings implements the rules for a context's own configuration.
type settings struct {
	ref   *parts.Ref
	texts parts.Texts
}

// LocalConfig returns the context's own settings, "" if there are none.
func (s *settings) LocalConfig(ctx context.Context) (string, error) {
	return s.texts.Text(ctx, parts.TextLocalConfig)
}

// ChangeLocalConfig replaces the context's own settings.
func (s *settings) ChangeLocalConfig(change func(old string) (string, error)) error {
	err := s.texts.ChangeText(parts.TextLocalConfig, func(old string) (string, error) {
		text, err := change(old)
		if err == nil {
			err = parts.CheckText(text)
		}
		return text, err
	})
	return writing(s.ref, parts.TextLocalConfig, err)
}
