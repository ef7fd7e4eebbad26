package homes

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"path/filepath"

	"github.com/chibi-host/chibi/contexts/internal/parts"
	"github.com/chibi-host/chibi/internal/disk"
)

// copies are files in this machine's directory of a context that a store keeps for many
// machines: what plugins and scripts read that know the files of a home. They are derived:
// nobody may write them, writing them waits for no disk, and nothing reads them again.
type copies struct {
	home       *fileHome
	ref        *parts.Ref
	transcript parts.EntryStore
	texts      parts.Texts
	inbox      parts.Inbox
	isKept     bool

	window []byte // of context.jsonl
	first  string // the id of its first entry
	count  int    // of its entries
}

// copiedTexts are the texts of which there are copies, under the names of their files.
func copiedTexts() []string {
	return []string{parts.TextSystemPrompt, parts.TextSummary, parts.TextTodos, parts.TextGoals, parts.TextLocalConfig}
}

func (c *copies) path(file string) string { return filepath.Join(c.home.directory(c.ref.Name), file) }

// Keep writes the copies, and keeps them as the context is from now on.
func (c *copies) Keep(ctx context.Context) error {
	if err := c.check(); err != nil {
		return err
	}
	if err := disk.MkdirAll(c.home.fs, c.home.directory(c.ref.Name), 0o700); err != nil {
		return err
	}
	window, err := c.transcript.Window(ctx)
	if err != nil {
		return err
	}
	if err := c.writeWindow(window); err != nil {
		return err
	}
	for _, name := range copiedTexts() {
		text, err := c.texts.Text(ctx, name)
		if err != nil {
			return err
		}
		if err := c.writeText(name, text); err != nil {
			return err
		}
	}
	c.isKept = true
	return nil
}

// check refuses a directory that has a conversation of its own.
func (c *copies) check() error {
	if c.home.hasConversation(c.ref.Name) {
		return fmt.Errorf("%s has a conversation in files, which is not the one in the store; chibi store copy puts it "+
			"there, or move the directory away", c.home.directory(c.ref.Name))
	}
	return nil
}

// hasConversation reports whether a directory has the conversation of a context in files,
// from when the home did not use a shared store.
func (f *fileHome) hasConversation(name string) bool {
	dir := f.directory(name)
	for _, file := range []string{"transcript", "transcript.jsonl", "context.json"} {
		if disk.Exists(f.fs, filepath.Join(dir, file)) {
			return true
		}
	}
	return disk.MayReplaceCopy(f.fs, filepath.Join(dir, "context.jsonl")) != nil
}

// writeWindow writes context.jsonl.
func (c *copies) writeWindow(window []parts.Entry) error {
	c.window, c.first, c.count = nil, "", 0
	return c.extendWindow(window)
}

// extendWindow writes context.jsonl with entries behind those that it has.
func (c *copies) extendWindow(window []parts.Entry) error {
	records, err := parts.Encode(window[c.count:])
	if err != nil {
		return err
	}
	c.window = append(c.window, bytes.Join(append(records, nil), []byte("\n"))...)
	if c.count = len(window); c.count > 0 {
		c.first = window[0].ID
	}
	return disk.ReplaceCopy(c.home.fs, c.path("context.jsonl"), c.window)
}

// writeText writes the copy of a text, or removes it if the text is empty. A file of
// somebody else stays, and is reported.
func (c *copies) writeText(name, text string) (err error) {
	if path := c.path(name); text == "" {
		err = disk.RemoveCopy(c.home.fs, path)
	} else {
		err = disk.ReplaceCopy(c.home.fs, path, []byte(text))
	}
	if errors.Is(err, disk.ErrNoCopy) {
		parts.Report(c.ref.Settings, "%s has no effect, and chibi does not change it: the file of context %q is in the "+
			"store", c.path(name),
			c.ref.Name)
		return nil
	}
	return err
}

// stored brings context.jsonl up to date after something was stored, and the summary if
// another window has begun.
func (c *copies) stored(err error) error {
	if err != nil || !c.isKept {
		return err
	}
	ctx := context.Background()
	window, err := c.transcript.Window(ctx)
	switch {
	case err != nil:
	case c.count > 0 && len(window) >= c.count && window[0].ID == c.first:
		err = c.extendWindow(window)
	default:
		var summary string
		if summary, err = c.texts.Text(ctx, parts.TextSummary); err == nil {
			err = errors.Join(c.writeText(parts.TextSummary, summary), c.writeWindow(window))
		}
	}
	c.reportError(err)
	return nil
}

// replaced brings the copy of a text up to date.
func (c *copies) replaced(name, text string, err error) error {
	if err == nil && c.isKept {
		c.reportError(c.writeText(name, text))
	}
	return err
}

// reportError reports that a copy could not be written. The store has what matters.
func (c *copies) reportError(err error) {
	if err != nil {
		c.isKept = false
		parts.Report(c.ref.Settings, "context %q: writing copies for plugins: %v", c.ref.Name, err)
	}
}

// withCopies returns parts of a context that keep copies up to date, once they are kept.
func withCopies(k parts.Keeper, home *fileHome, r *parts.Ref) parts.Keeper {
	c := &copies{home: home, ref: r, transcript: k.Transcript, texts: k.Texts, inbox: k.Inbox}
	k.Scripts = c
	k.Transcript, k.Texts = copiedTranscript{k.Transcript, c}, textsWithCopies{k.Texts, c}
	return k
}

// copiedTranscript keeps context.jsonl.
type copiedTranscript struct {
	parts.EntryStore
	copies *copies
}

func (t copiedTranscript) Append(entries []parts.Entry) error {
	return t.copies.stored(t.EntryStore.Append(entries))
}

func (t copiedTranscript) Begin(anchor parts.Entry) error {
	return t.copies.stored(t.EntryStore.Begin(anchor))
}

// textsWithCopies keeps the copies of texts.
type textsWithCopies struct {
	parts.Texts
	copies *copies
}

func (t textsWithCopies) SetText(name, text string) error {
	return t.copies.replaced(name, text, t.Texts.SetText(name, text))
}

func (t textsWithCopies) ChangeText(name string, change func(old string) (string, error)) error {
	var text string
	err := t.Texts.ChangeText(name, func(old string) (_ string, err error) {
		text, err = change(old)
		return text, err
	})
	return t.copies.replaced(name, text, err)
}
