package homes

import (
	"context"
	"errors"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/chibi-host/chibi/contexts/internal/parts"
	"github.com/chibi-host/chibi/store"
)

// sharedTranscript is the log of a context.
type sharedTranscript struct {
	*sharedContext
	view *viewFile
}

// Append adds entries as one record.
func (t *sharedTranscript) Append(entries []parts.Entry) error {
	return t.write(func(*sharedWindow) []parts.Entry { return entries })
}

// Begin adds an anchor as one record. The summary is a part of the newest anchor: one that
// leaves it as it is carries it on.
func (t *sharedTranscript) Begin(anchor parts.Entry) error {
	return t.write(func(w *sharedWindow) []parts.Entry {
		next := parts.GoingOn(anchor, w.entries)
		if _, isSet := parts.SummaryOf(next); !isSet {
			meta := parts.MetaOf(next)
			meta.Carried = w.summary()
			next.Metadata = &meta
		}
		return []parts.Entry{next}
	})
}

// write appends a record with the entries that follow a window, of which at least the
// beginning is known. If others have appended meanwhile, it is tried again behind that,
// unless they have taken the context over.
func (t *sharedTranscript) write(follow func(*sharedWindow) []parts.Entry) error {
	ctx := context.Background()
	if err := (outbox{t}).sendUnsent(ctx); err != nil {
		return outbox{t}.alsoUnsent(follow, err)
	}
	var created []parts.Entry
	var tried []string
	for try := range maxTries {
		id, w, err := t.before(ctx)
		if err != nil {
			return err
		}
		entries := follow(w)
		if len(entries) == 0 {
			return nil
		}
		if !w.begun {
			if created == nil {
				created = []parts.Entry{t.Created()}
			}
			entries = append(slices.Clone(created), entries...)
		}
		record, err := encodeRecord(entries, t.home.writer())
		if err != nil {
			return err
		}
		tail, err := t.home.engine.Log.Append(ctx, id, w.tail, record)
		switch {
		case err == nil:
			t.added(w, tail, entries)
			return nil
		case errors.Is(err, store.ErrUnavailable):
			return outbox{t}.keep(pending{id, w, record, entries}, err)
		case !errors.Is(err, store.ErrConflict):
			return err
		}
		tried = append(tried, record.ID)
		if isStored, err := t.overtaken(ctx, id, w.tail, tried); err != nil || isStored {
			return err
		}
		pauseBefore(try)
	}
	return store.ErrConflict
}

// pending is a record that is to be appended to the log of a context.
type pending struct {
	id      string
	after   *sharedWindow
	record  store.Record
	entries []parts.Entry
}

// pauseBefore waits a little before a further try, so that many writers at once do not
// all begin again at once.
func pauseBefore(try int) {
	if try > 2 {
		time.Sleep(time.Duration(rand.IntN(min(try, 20))) * time.Millisecond)
	}
}

// before returns what a record is appended to.
func (t *sharedTranscript) before(ctx context.Context) (id string, w *sharedWindow, err error) {
	if t.taken != nil {
		return "", nil, t.taken
	}
	if id, err = t.make(ctx); err == nil {
		w, err = windows{t.sharedContext}.beginning(ctx, id)
	}
	return id, w, err
}

// added notes what was appended.
func (t *sharedTranscript) added(w *sharedWindow, tail store.Tail, entries []parts.Entry) {
	if t.known == w {
		w.add(tail, entries)
	}
	t.ahead.mail = nil // a turn reads it before
	if !slices.ContainsFunc(entries, parts.IsAnchor) {
		t.view.added(entries)
		return
	}
	t.ahead = ahead{} // that took its time, and plugins were asked
	window := parts.WindowOf(entries)
	if t.known != nil {
		window = slices.Clone(t.known.entries)
	}
	t.view.begun(window)
}

// overtaken looks at what others have appended after a tail. A mark among that says that
// another process has taken the context over; the record may be there too, if the store
// had stored it and did not say so.
func (t *sharedTranscript) overtaken(ctx context.Context, id string, after store.Tail, tried []string) (isStored bool,
	err error) {
	tail, err := t.home.engine.Log.Tail(ctx, id)
	if err != nil {
		return false, err
	}
	var mark *parts.Holder
	if tail.Last > after.Last {
		between := store.Range{First: after.Last + 1, Last: tail.Last}
		err = t.readLog(ctx, between, func(r store.Record) bool {
			if slices.Contains(tried, r.ID) {
				isStored = true
			} else if isMarkLine(r.Data) {
				_, mark = t.entriesOf(ctx, r)
			}
			return true
		})
	}
	t.known = nil // what others have appended without the lock comes first
	if err != nil || !t.isHeld() {
		return isStored, err
	}
	t.seen = tail
	if mark == nil && tail.Last >= after.Last { // else its log was removed
		return isStored, nil
	}
	t.taken = &parts.TakenError{Context: t.Name, By: value(mark)}
	if isStored {
		return true, nil // before the mark; nothing more is
	}
	return false, t.taken
}

func value(h *parts.Holder) parts.Holder {
	if h == nil {
		return parts.Holder{}
	}
	return *h
}

// NoteSystemPrompt stores the whole text, and with it the hash of the context's own one.
func (t *sharedTranscript) NoteSystemPrompt(combined string) error {
	ctx := context.Background()
	texts := sharedTexts{t.sharedContext}
	own, err := texts.Text(ctx, parts.TextSystemPrompt)
	if err != nil {
		return err
	}
	before, err := texts.combined(ctx)
	if err != nil {
		return err
	}
	after := meta{LastCombinedPrompt: combined, SystemPromptSum: sumOf(own)}
	if own != "" && after.SystemPromptSum != before.SystemPromptSum {
		if err := t.Append([]parts.Entry{parts.SystemPromptChange(t.Name, own)}); err != nil {
			return err
		}
	}
	if after == before {
		return nil
	}
	return texts.setCombined(after)
}
