package contexts

import (
	"context"
	"fmt"

	"github.com/chibi-host/chibi/contexts/internal/parts"
)

// Context is a conversation with everything that belongs to it. It is not safe for
// concurrent use; each goroutine opens its own. A write is durable when the call returns.
// Writes take no context.Context, so that Ctrl-C does not lose what has arrived; reads and
// waits take one.
type Context struct {
	keeper parts.Keeper
	*conversation
	*notes
	*mailbox
	*owner
	*settings
	*scripts
}

// handle opens a context.
func (s *Store) handle(name string) *Context {
	r := &parts.Ref{Settings: &s.Settings, Name: name}
	k := s.backend.Parts(r)
	c := &conversation{ref: r, transcript: k.Transcript, views: k.Views}
	return &Context{
		keeper: k, conversation: c, notes: &notes{ref: r, texts: k.Texts, transcript: k.Transcript},
		mailbox: &mailbox{store: s, ref: r, inbox: k.Inbox, texts: k.Texts, conversation: c}, owner: &owner{s, r, k.Lock},
		settings: &settings{ref: r, texts: k.Texts}, scripts: &scripts{ref: r, copies: k.Scripts},
	}
}

// scripts serves plugins and scripts that know the files of a home, where a store that many
// machines share keeps the context. Elsewhere it does nothing: they use the files.
type scripts struct {
	ref    *parts.Ref
	copies parts.Dropbox // nil: the store is the files, or has none
}

// KeepCopies writes copies of the window, the summary, the todos, the goals, the context's
// own system prompt and its local.toml, under the names of the files, and keeps them up to
// date as long as this handle is used; the caller holds the lock. Nobody may write them, and
// they are never read.
func (s *scripts) KeepCopies(ctx context.Context) error {
	if s.copies == nil {
		return nil
	}
	if err := s.copies.Keep(ctx); err != nil {
		return fmt.Errorf("writing copies of context %q for plugins: %w", s.ref.Name, err)
	}
	return nil
}

// SendDropped sends the lines that scripts have appended to inbox.jsonl there to the
// context, as messages.
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

// LocalConfig returns the text of the context's own settings, local.toml; "" if there is
// none.
func (s *settings) LocalConfig(ctx context.Context) (string, error) {
	return s.texts.Text(ctx, parts.TextLocalConfig)
}

// ChangeLocalConfig replaces the text by what change makes of it, while nobody else changes
// it; change may be called more than once. If change fails, nothing is written, and its
// error is wrapped.
func (s *settings) ChangeLocalConfig(change func(old string) (string, error)) error {
	err := s.texts.ChangeText(parts.TextLocalConfig, func(old string) (string, error) {
		text, err := change(old)
		if err != nil {
			return text, err
		}
		return text, parts.CheckText(text)
	})
	return writing(s.ref, parts.TextLocalConfig, err)
}
