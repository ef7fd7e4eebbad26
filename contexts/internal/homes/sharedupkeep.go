package homes

import (
	"context"
	"encoding/json"
	"errors"
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
}

// AgesAt returns the store's time.
func (h sharedUpkeep) AgesAt(ctx context.Context) (time.Time, error) { return h.engine.AgesAt(ctx) }

// Daily asks the store once a day at most: this machine remembers it in .tidied.
func (h sharedUpkeep) Daily(ctx context.Context) (bool, error) {
	isDue, err := fileUpkeep{h.host}.Daily(ctx)
	if err != nil || !isDue {
		return false, err
	}
	now, err := h.AgesAt(ctx)
	if err != nil {
		return false, err
	}
	d, err := h.get(ctx, keyGC)
	if err != nil {
		return false, err
	}
	var last gcDoc
	if d.Rev != 0 && strictjson.Decode(d.Data, &last) == nil && !parts.IsDayOld(time.Unix(last.At, 0), now) {
		return false, nil
	}
	_, err = putJSON(ctx, h.engine, store.Doc{Key: keyGC, Rev: d.Rev}, gcDoc{now.Unix()})
	if errors.Is(err, store.ErrConflict) {
		return false, nil // another machine does it
	}
	return err == nil, err
}

// Housekeep finishes renamings and deletions, unless another machine does it now.
func (h sharedUpkeep) Housekeep(ctx context.Context) error {
	holder, err := json.Marshal(h.holderHere())
	if err != nil {
		return err
	}
	lease, err := h.engine.Leases.Take(ctx, keyGC, holder)
	var held *store.HeldError
	if errors.As(err, &held) {
		return nil
	}
	if err != nil {
		return err
	}
	defer h.release(lease)
	list, err := h.docs.list(ctx)
	if err != nil {
		return err
	}
	return h.emptyTrash(ctx, list)
}
