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
// entries that of the machine that wrote them.
const clockSlack = 24 * time.Hour

// Each reads the records that can have entries of the wanted time.
func (t *sharedTranscript) Each(ctx context.Context, wanted parts.Wanted, each func(parts.Entry) (more bool)) error {
	id, err := t.find(ctx)
	if err != nil || id == "" {
		return err
	}
	tail, err := t.home.engine.Log.Tail(ctx, id)
	if err != nil || tail.Last == 0 {
		return err
	}
	part := store.Range{Last: tail.Last, Backward: wanted.Backward}
	if !wanted.Since.IsZero() {
		part.Since = wanted.Since.Add(-clockSlack)
	}
	readErr := t.home.engine.Log.Read(ctx, id, part, func(r store.Record) bool {
		entries, _ := t.entriesOf(r)
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
