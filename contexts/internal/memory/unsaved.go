package memory

import (
	"context"
	"errors"
	"sync"

	"github.com/chibi-host/chibi/contexts/internal/parts"
	"github.com/chibi-host/chibi/contexts/internal/registry"
)

// Unsaved is a home whose contexts are the contexts of base, as far as the process has not changed them:
// its changes are in memory, and end with it. It waits for nobody else's lock or change.
func Unsaved(s *parts.Settings, base parts.Backend) parts.Backend {
	return unsaved{Backend: New(s), base: base, changed: &changedTexts{set: map[[2]string]bool{}}}
}

type unsaved struct {
	parts.Backend // in memory
	base          parts.Backend
	changed       *changedTexts
}

// changedTexts says which texts of which contexts are in memory: an empty text may be one that was
// removed. It is held while a text or a transcript is taken over from the base.
type changedTexts struct {
	sync.Mutex
	set map[[2]string]bool
}

func (u unsaved) Exists(ctx context.Context, name string) bool {
	return u.Backend.Exists(ctx, name) || u.base.Exists(ctx, name)
}

func (u unsaved) Names(ctx context.Context) ([]string, error) { return u.base.Names(ctx) }

func (u unsaved) Create(ctx context.Context, name string) (isNew bool, err error) {
	if u.base.Exists(ctx, name) {
		return false, nil
	}
	return u.Backend.Create(ctx, name)
}

func (u unsaved) State(ctx context.Context) (*registry.File, error) { return u.base.State(ctx) }

func (u unsaved) Current(ctx context.Context) (registry.State, error) { return u.base.Current(ctx) }

func (u unsaved) Entry(ctx context.Context, name string) (*registry.Context, error) {
	return u.base.Entry(ctx, name)
}

func (u unsaved) Holder(ctx context.Context, name string) (h parts.Holder, inUse bool) {
	return u.base.Holder(ctx, name)
}

func (u unsaved) Parts(r *parts.Ref) parts.Keeper {
	own, base := u.Backend.Parts(r), u.base.Parts(&parts.Ref{Settings: r.Settings, Name: r.Name})
	texts := &unsavedTexts{Texts: own.Texts, base: base.Texts, ref: r, changed: u.changed}
	own.Transcript = &unsavedTranscript{EntryStore: own.Transcript, base: base.Transcript, texts: texts}
	own.Texts, own.Inbox = texts, unsavedInbox{own.Inbox}
	return own
}

// unsavedTranscript is the transcript of the base until something is added; then it is the window
// of the base with the new entries.
type unsavedTranscript struct {
	parts.EntryStore // in memory
	base             parts.EntryStore
	texts            *unsavedTexts
}

// takeOver puts the window of the base, and the summary that belongs to it, into memory.
func (t *unsavedTranscript) takeOver() error {
	ctx := context.Background() // a write is not cancelled
	t.texts.changed.Lock()
	defer t.texts.changed.Unlock()
	if t.now(ctx) == t.EntryStore {
		return nil
	}
	window, err := t.base.Window(ctx)
	if err != nil {
		return err
	}
	summary, err := t.texts.base.Text(ctx, parts.TextSummary)
	if err != nil {
		return err
	}
	if err := t.texts.set(parts.TextSummary, summary); err != nil || len(window) == 0 {
		return err
	}
	return t.EntryStore.Append(window)
}

// now returns the transcript as it is now.
func (t *unsavedTranscript) now(ctx context.Context) parts.EntryStore {
	if begins, _ := t.EntryStore.Begins(ctx); len(begins) > 0 {
		return t.EntryStore
	}
	return t.base
}

func (t *unsavedTranscript) Append(entries []parts.Entry) error {
	if err := t.takeOver(); err != nil {
		return err
	}
	return t.EntryStore.Append(entries)
}

func (t *unsavedTranscript) Begin(anchor parts.Entry) error {
	if err := t.takeOver(); err != nil {
		return err
	}
	return t.EntryStore.Begin(anchor)
}

func (t *unsavedTranscript) Window(ctx context.Context) ([]parts.Entry, error) {
	return t.now(ctx).Window(ctx)
}

func (t *unsavedTranscript) Begins(ctx context.Context) ([]parts.Entry, error) {
	return t.now(ctx).Begins(ctx)
}

func (t *unsavedTranscript) Each(ctx context.Context, s parts.Wanted, each func(parts.Entry) (more bool)) error {
	return t.now(ctx).Each(ctx, s, each)
}

// unsavedTexts are the texts of the base, but for those that were set.
type unsavedTexts struct {
	parts.Texts // in memory
	base        parts.Texts
	ref         *parts.Ref
	changed     *changedTexts
}

func (t *unsavedTexts) Text(ctx context.Context, name string) (string, error) {
	t.changed.Lock()
	defer t.changed.Unlock()
	return t.text(ctx, name)
}

func (t *unsavedTexts) text(ctx context.Context, name string) (string, error) {
	if t.changed.set[[2]string{t.ref.Name, name}] {
		return t.Texts.Text(ctx, name)
	}
	return t.base.Text(ctx, name)
}

// set sets a text. The caller holds changed.
func (t *unsavedTexts) set(name, text string) error {
	t.changed.set[[2]string{t.ref.Name, name}] = true
	return t.Texts.SetText(name, text)
}

func (t *unsavedTexts) SetText(name, text string) error {
	return t.ChangeText(name, func(string) (string, error) { return text, nil })
}

func (t *unsavedTexts) ChangeText(name string, change func(old string) (string, error)) error {
	t.changed.Lock()
	defer t.changed.Unlock()
	old, err := t.text(context.Background(), name)
	if err != nil {
		return err
	}
	text, err := change(old)
	if err != nil {
		return err
	}
	return t.set(name, text)
}

func (t *unsavedTexts) Prompt(ctx context.Context, name string) (string, error) {
	t.changed.Lock()
	defer t.changed.Unlock()
	if t.changed.set[[2]string{"", name}] {
		return t.Texts.Prompt(ctx, name)
	}
	return t.base.Prompt(ctx, name)
}

func (t *unsavedTexts) SetPrompt(name, text string) error {
	t.changed.Lock()
	defer t.changed.Unlock()
	t.changed.set[[2]string{"", name}] = true
	return t.Texts.SetPrompt(name, text)
}

// unsavedInbox is empty, so that no mail counts as delivered.
type unsavedInbox struct{ parts.Inbox }

// Put refuses mail, which nobody would read.
func (unsavedInbox) Put(parts.Mail) error {
	return errors.New("a run that keeps nothing sends no messages either")
}
