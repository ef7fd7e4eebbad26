package homes

import (
	"cmp"
	"context"
	"slices"
	"time"

	"github.com/chibi-host/chibi/contexts/internal/parts"
	"github.com/chibi-host/chibi/store"
)

// Window returns the window.
func (t *sharedTranscript) Window(ctx context.Context) ([]parts.Entry, error) {
	w, err := windows{t.sharedContext}.look(ctx, 0)
	if err != nil {
		return nil, err
	}
	return slices.Clone(w.entries), nil
}

// Begins returns the first entries of the window.
func (t *sharedTranscript) Begins(ctx context.Context) ([]parts.Entry, error) {
	w, err := windows{t.sharedContext}.look(ctx, 2)
	if err != nil {
		return nil, err
	}
	return slices.Clone(w.entries[:min(2, len(w.entries))]), nil
}

// clockSlack is how far the clocks of machines may be apart: records have the store's time,
// entries the time of the machine that wrote them.
const clockSlack = 24 * time.Hour

// Each reads the records that can have entries of the wanted time.
func (t *sharedTranscript) Each(ctx context.Context, wanted parts.Wanted, each func(parts.Entry) (more bool)) error {
	tail, err := t.end(ctx)
	if err != nil || tail.Last == 0 {
		return err
	}
	part := store.Range{Last: tail.Last, Backward: wanted.Backward}
	if !wanted.Since.IsZero() {
		part.Since = wanted.Since.Add(-clockSlack)
	}
	readErr := t.readLog(ctx, part, func(r store.Record) bool {
		entries, _ := t.entriesOf(ctx, r)
		if wanted.Backward {
			slices.Reverse(entries)
		}
		for _, e := range entries {
			if err = ctx.Err(); err != nil || !each(e) {
				return false
			}
			if err = ctx.Err(); err != nil {
				return false
			}
		}
		return true
	})
	return cmp.Or(err, readErr)
}

// sharedWindow is the window of a context with where it ends in the log.
type sharedWindow struct {
	tail    store.Tail
	begun   bool          // the transcript has entries
	entries []parts.Entry // without the lock, the first ones, or all
}

// summary returns the summary that the window begins with.
func (w *sharedWindow) summary() string {
	if len(w.entries) == 0 {
		return ""
	}
	return summaryIn(w.entries[0])
}

// summaryIn returns the summary that is a part of an anchor, or of another entry that a window
// begins with.
func summaryIn(anchor parts.Entry) string {
	summary, _ := parts.SummaryOf(anchor)
	return cmp.Or(parts.MetaOf(anchor).Carried, summary)
}

// add adds what was appended.
func (w *sharedWindow) add(tail store.Tail, entries []parts.Entry) {
	w.tail, w.begun = tail, true
	if slices.ContainsFunc(entries, parts.IsAnchor) {
		w.entries = parts.WindowOf(entries)
		return
	}
	w.entries = append(w.entries, parts.WindowOf(entries)...)
}

// windows reads the window of a context.
type windows struct{ *sharedContext }

// manyRecords is the number of records from which a log certainly has entries: marks
// alone are few.
const manyRecords = 64

// beginning returns the end of the log and as much of the window as its next record needs:
// all of it while the lock is held, and remembered then.
func (t windows) beginning(ctx context.Context, id string) (*sharedWindow, error) {
	if t.isHeld() {
		return t.load(ctx)
	}
	return t.read(ctx, id, 1)
}

// load returns the window, which is read once while the lock is held: up to where no mark has
// been seen, so that nothing is appended behind the entries of another holder.
func (t windows) load(ctx context.Context) (*sharedWindow, error) {
	if t.known != nil {
		return t.known, nil
	}
	w, err := t.upTo(ctx, t.seen, 0)
	if err != nil {
		return nil, err
	}
	t.known = w
	return w, nil
}

// read reads the window; if most is not 0, only so many entries from its beginning.
func (t windows) read(ctx context.Context, id string, most int) (*sharedWindow, error) {
	tail, err := t.home.engine.Log.Tail(ctx, id)
	if err != nil {
		return &sharedWindow{}, err
	}
	return t.upTo(ctx, tail, most)
}

// upTo reads the window that a log had when it ended at a tail.
func (t windows) upTo(ctx context.Context, tail store.Tail, most int) (*sharedWindow, error) {
	if tail.Last == 0 {
		return &sharedWindow{}, nil
	}
	var entries []parts.Entry
	count := 0
	all := store.Range{First: tail.Window, Last: tail.Last}
	err := t.readLog(ctx, all, func(r store.Record) bool {
		some, _ := t.entriesOf(ctx, r)
		entries = append(entries, some...)
		for _, e := range some {
			if !parts.IsBeside(e) {
				count++
			}
		}
		return ctx.Err() == nil && (most == 0 || count < most)
	})
	w := &sharedWindow{tail: tail, begun: len(entries) > 0 || tail.Count > manyRecords, entries: parts.WindowOf(entries)}
	return w, cmp.Or(err, ctx.Err())
}

// look returns the window of a context that may not exist; without the lock, as many
// entries from its beginning as are wanted, 0: all.
func (t windows) look(ctx context.Context, most int) (*sharedWindow, error) {
	id, err := t.find(ctx)
	switch {
	case err != nil:
		return nil, err
	case id == "":
		return &sharedWindow{}, nil
	case t.isHeld():
		return t.load(ctx)
	}
	return t.read(ctx, id, most)
}
