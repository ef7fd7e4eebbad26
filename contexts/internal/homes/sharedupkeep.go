package homes

import (
	"context"
	"encoding/json"
	"errors"
	"strconv"
	"time"

	"github.com/chibi-host/chibi/contexts/internal/parts"
	"github.com/chibi-host/chibi/internal/strictjson"
	"github.com/chibi-host/chibi/store"
)

// sharedUpkeep is what one machine does for all, once a day.
type sharedUpkeep struct{ *sharedHome }

// keyGC is the document that says when it was last done, and the lease of who does it.
const keyGC = "gc"

type gcDoc struct {
	At int64 `json:"at"`
	// After is the place of Walk that it ended with; "": it was done.
	After string `json:"after,omitempty"`
}

// AgesAt returns the store's time.
func (h sharedUpkeep) AgesAt(ctx context.Context) (time.Time, error) { return h.engine.AgesAt(ctx) }

// Daily asks the store once a day at most: this machine remembers it in .tidied.
func (h sharedUpkeep) Daily(ctx context.Context) (isDue bool, after string, err error) {
	isDue, _, err = fileUpkeep{h.host}.Daily(ctx)
	if err != nil || !isDue {
		return false, "", err
	}
	now, err := h.AgesAt(ctx)
	if err != nil {
		return false, "", err
	}
	last, rev, err := h.lastTidied(ctx)
	if err != nil || rev != 0 && !parts.IsDayOld(time.Unix(last.At, 0), now) {
		return false, "", err
	}
	return h.note(ctx, rev, gcDoc{now.Unix(), last.After})
}

// lastTidied reads when that was last done; a damaged document says nothing.
func (h sharedUpkeep) lastTidied(ctx context.Context) (last gcDoc, rev uint64, err error) {
	d, err := h.get(ctx, keyGC)
	if err != nil || d.Rev == 0 {
		return gcDoc{}, 0, err
	}
	err = strictjson.Decode(d.Data, &last)
	if _, noPlace := strconv.ParseUint(last.After, 10, 64); err != nil || noPlace != nil {
		last.After = ""
	}
	return last, d.Rev, nil
}

// note stores the document, unless another machine does it now.
func (h sharedUpkeep) note(ctx context.Context, rev uint64, d gcDoc) (isNoted bool, after string, err error) {
	_, err = putJSON(ctx, h.engine, store.Doc{Key: keyGC, Rev: rev}, d)
	if errors.Is(err, store.ErrConflict) {
		return false, "", nil
	}
	return err == nil, d.After, err
}

func (h sharedUpkeep) Tidied(ctx context.Context, upTo string) error {
	now, err := h.engine.Time(ctx)
	if err != nil {
		return err
	}
	_, rev, err := h.lastTidied(ctx)
	if err != nil {
		return err
	}
	_, _, err = h.note(ctx, rev, gcDoc{now.Unix(), upTo})
	return err
}

// Housekeep finishes renamings and deletions, unless another machine does it now.
func (h sharedUpkeep) Housekeep(ctx context.Context) error {
	holder, err := json.Marshal(h.holderHere())
	if err != nil {
		return err
	}
	lease, err := h.engine.Leases.Take(ctx, keyGC, holder)
	if _, ok := errors.AsType[*store.HeldError](err); ok {
		return nil
	}
	if err != nil {
		return err
	}
	defer h.release(context.Background(), lease)
	list, err := h.docs.list(ctx)
	if err != nil {
		return err
	}
	return h.emptyTrash(ctx, list)
}
